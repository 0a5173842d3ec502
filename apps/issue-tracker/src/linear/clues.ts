import * as z from 'zod'
import type { LinearCall } from './client.ts'
import { field, nodes, query } from './document.ts'
import { cycleFilter, issueFilter, labelFilter, projectFilter, readingsOf, stateFilter } from './references.ts'
import { LabelRef, NamedRef, TeamChoice, TeamRef, Text } from './records.ts'

/* Lookups for a refused call whose arguments may imply the missing ones. */

const team = TeamRef.optional()

/** All teams, and the teams of the records that a new issue refers to. */
export const teamClues = query(
  'TeamClues',
  { project: 'ProjectFilter', parent: 'IssueFilter', labels: 'IssueLabelFilter', state: 'WorkflowStateFilter', cycle: 'CycleFilter' },
  {
    teams: nodes('teams(first: 50)', TeamChoice),
    project: nodes(
      'projects(first: 3, filter: $project) @include(if: $hasProject)',
      NamedRef.extend({ teams: nodes('teams(first: 20)', TeamRef) }),
    ).default([]),
    parent: nodes('issues(first: 1, filter: $parent) @include(if: $hasParent)', z.object({ team })).default([]),
    labels: nodes('issueLabels(first: 50, filter: $labels) @include(if: $hasLabels)', z.object({ team })).default([]),
    state: nodes('workflowStates(first: 50, filter: $state) @include(if: $hasState)', z.object({ team })).default([]),
    cycle: nodes('cycles(first: 20, filter: $cycle) @include(if: $hasCycle)', z.object({ team })).default([]),
  },
)

/** References in a new issue that can imply its team. */
interface Clues {
  readonly project?: string | undefined
  readonly parent_issue?: string | undefined
  readonly label?: string | undefined
  readonly state?: string | undefined
  readonly cycle?: string | undefined
}

export async function findTeamClues(linear: LinearCall, { project, parent_issue: parent, label, state, cycle }: Clues) {
  return linear.send(teamClues, {
    project: project === undefined ? undefined : projectFilter(...readingsOf(project)),
    parent: parent === undefined ? undefined : issueFilter(parent),
    labels: label === undefined ? undefined : labelFilter(...readingsOf(label)),
    state: state === undefined ? undefined : stateFilter(...readingsOf(state)),
    cycle: cycle === undefined ? undefined : cycleFilter(cycle),
  })
}

/** An issue's labels. */
export const labelsOfIssue = query(
  'LabelsOfIssue',
  { id: 'String!' },
  { issue: field('issue(id: $id)', z.object({ identifier: Text, labels: nodes('labels(first: 50)', LabelRef) })) },
)
