import { expect, test } from 'vitest'
import type { Args } from './calls.ts'
import { textWith } from './matching.ts'
import { workspace, type Workspace } from './workspace.ts'

/* The workspace's rules apply to every tool that sets labels or estimates, alone or in a batch. */

const tools = ['CreateIssue', 'UpdateIssue', 'BatchCreateIssues', 'BatchUpdateIssues'] as const

/** The arguments with which a tool sets these fields on a new or an existing issue. */
function argsFor(tool: (typeof tools)[number], fields: Args, issue = 'ENG-9'): Args {
  const row = { ...(tool.includes('Create') ? { team: 'ENG', title: 'x', assignee: 'none' } : { issue_id: issue }), ...fields }
  return tool.startsWith('Batch') ? { issues: [row] } : row
}

const open = async () => workspace({ toolsets: ['triage'] })
const written = ({ emulator }: Workspace) => emulator.store.mutations().length

test.for(tools)('%s refuses two labels from one group, and an estimate off the scale, before anything is written', async (tool) => {
  await using server = await open()
  const refused = async (fields: Args) => (await server.fails(`IssueTracker.${tool}`, argsFor(tool, fields))).message
  expect(await refused({ labels_to_add: ['Bug', 'Feature'] })).toMatch(
    /"(?:Bug|Feature)" and "(?:Bug|Feature)" are in the same group, "Type"/,
  )
  expect(await refused({ estimate: 4 })).toContain('Team ENG estimates in 1, 2, 3, 5, 8 points; 4 is not one of them.')
  const both = await refused({ estimate: 4, labels_to_add: ['Nothing of the kind'] })
  expect(both).toContain('No label matches "Nothing of the kind"')
  expect(both).toContain('4 is not one of them')
  expect(written(server)).toBe(0)
})

test.for(['UpdateIssue', 'BatchUpdateIssues'] as const)('%s replaces a label with another from its group, if told to', async (tool) => {
  await using server = await open()
  // ENG-2 is a feature.
  const call = async (fields: Args) => server.call(`IssueTracker.${tool}`, argsFor(tool, fields, 'ENG-2'))
  const message = (await server.fails(`IssueTracker.${tool}`, argsFor(tool, { labels_to_add: ['Bug'] }, 'ENG-2'))).message
  expect(message).toContain('The issue has "Feature": to replace it, name it in labels_to_remove too.')
  const changed = await call({ labels_to_add: ['Bug'], labels_to_remove: ['Feature'], estimate: 5 })
  const issue = { labels: ['Bug'], estimate: 5 }
  expect(changed).toMatchObject(tool === 'UpdateIssue' ? { issue } : { issues: [{ outcome: 'updated', issue }] })
  expect(await call({ fields_to_clear: ['estimate'] })).toMatchObject(
    tool === 'UpdateIssue' ? { issue: {} } : { issues: [{ changed: ['estimate'] }] },
  )
})

test('the rows of a batch follow the rules of their own teams', async () => {
  await using server = await open()
  const { issues } = await server.call('IssueTracker.BatchCreateIssues', {
    issues: [
      { team: 'ENG', title: 'One', labels_to_add: ['Bug'], estimate: 3 },
      { team: 'DES', title: 'Two', labels_to_add: ['Feature'] },
    ],
  })
  expect(issues).toMatchObject([{ issue: { labels: ['Bug'], estimate: 3 } }, { issue: { labels: ['Feature'] } }])
  const error = await server.fails('IssueTracker.BatchCreateIssues', { issues: [{ team: 'DES', title: 'x', estimate: 1 }] })
  expect(error.message).toEqual(textWith('Row 1: Team DES does not use estimates.'))
})
