import { expect, test } from 'vitest'
import { workspace } from './workspace.ts'

test.for([
  ['ArchiveIssue', { issue: 'undefined' }],
  ['UpdateIssue', { issue_id: '{{issue.id}}', title: 'x' }],
  ['CreateIssue', { team: '[object Object]', title: 'x' }],
  ['UpdateProject', { project_id: 'null', name: 'x' }],
] as const)('%s with %j writes nothing and names the placeholder', async ([tool, args]) => {
  await using server = await workspace()
  const { message } = await server.fails(`IssueTracker.${tool}`, args)
  expect(message).toContain('which programs write for a value that they do not have')
  expect(server.emulator.store.mutations()).toEqual([])
})
