import { expect, test } from 'vitest'
import { candidates } from '../src/linear/candidates.ts'
import { getCycle, listCycles } from '../src/linear/cycles.ts'
import { findInitiative, getInitiativeText, listInitiatives } from '../src/linear/initiatives.ts'
import { getIssue, listComments, listIssues } from '../src/linear/issues.ts'
import { listLabels, listWorkflowStates } from '../src/linear/metadata.ts'
import { findProject, getProject, getProjectText, listProjects } from '../src/linear/projects.ts'
import { findTeam, listTeams } from '../src/linear/teams.ts'
import { recentActivity, whoAmI } from '../src/linear/viewer.ts'
import { complexityOf, unbounded } from './complexity.ts'

const operations = [
  ...[candidates, getCycle, listCycles, findInitiative, getInitiativeText, listInitiatives, getIssue, listComments, listIssues],
  ...[listLabels, listWorkflowStates, findProject, getProject, getProjectText, listProjects, findTeam, listTeams, recentActivity, whoAmI],
].map(({ name, text }) => ({ name, text }))

test('the calculator agrees with the rule of Linear’s documentation', () => {
  expect(complexityOf('query A { viewer { id name } }', {})).toBe(2)
  // 50 rows of 2.3 points: the issue 1, its two scalars 0.2, its assignee 1.1.
  expect(complexityOf('query B { issues { nodes { id title assignee { id } } } }', {})).toBe(115)
  expect(complexityOf('query C { issues(first: 5) { nodes { id title assignee { id } } } }', {})).toBe(12)
})

test.for(operations)('$name costs at most 2,500 points at its largest limit, and bounds every connection', ({ name, text }) => {
  const first = ['ListLabels', 'ListWorkflowStates'].includes(name) ? 100 : 50
  expect(complexityOf(text, { first })).toBeLessThanOrEqual(2_500)
  expect(unbounded(text)).toEqual([])
})
