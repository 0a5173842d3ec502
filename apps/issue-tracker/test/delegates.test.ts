import { linearEmulator } from '@mcp-toolkits/linear-emulator'
import { expect, onTestFinished, test } from 'vitest'
import { textWith } from './matching.ts'
import { workspace } from './workspace.ts'

/* Work that is assigned to an app is delegated to the app, and a person stays responsible. */

const delegated = ['"Beacon" is an app, so it becomes the delegate of the issue, not its assignee.']

test('delegates a new issue to an app, and says so', async () => {
  await using server = await workspace()
  const { issue, notices } = await server.call('IssueTracker.CreateIssue', { team: 'ENG', title: 'x', assignee: 'beacon' })
  expect([issue, notices]).toEqual([expect.objectContaining({ delegate: 'Beacon' }), delegated])
  expect(issue).not.toHaveProperty('assignee')
  expect(server.requests()).toBe(2)
})

test('delegates an issue to an app in addition to its assignee, and keeps the delegate when the assignee changes', async () => {
  await using server = await workspace()
  const update = async (args: object) => server.call('IssueTracker.UpdateIssue', { issue_id: 'ENG-1', ...args })
  const named = { issue: { assignee: 'Robin Vance', delegate: 'Beacon' }, notices: delegated }
  expect(await update({ assignee: 'Beacon' })).toMatchObject(named)
  expect(await update({ assignee: 'Béacon', auto_accept_matches: true })).toMatchObject({
    ...named,
    notices: [textWith('was taken to mean "Beacon"'), ...delegated],
  })
  expect(await update({ assignee: 'Ada Okafor' })).toMatchObject({ issue: { assignee: 'Ada Okafor', delegate: 'Beacon' } })
  expect(await update({ fields_to_clear: ['assignee'] })).toMatchObject({ issue: { delegate: 'Beacon' } })
  expect(await server.call('IssueTracker.GetIssue', { issue_id: 'ENG-1' })).toMatchObject({ issue: { delegate: { name: 'Beacon' } } })
})

test('removes the delegate and keeps the assignee, also in a batch, as its dry run says', async () => {
  await using server = await workspace({ toolsets: ['triage'] })
  const delegate = async () => server.call('IssueTracker.UpdateIssue', { issue_id: 'ENG-1', assignee: 'Beacon' })
  const args = { issue_id: 'ENG-1', fields_to_clear: ['delegate'] }
  await delegate()
  const { issue } = await server.call('IssueTracker.UpdateIssue', args)
  expect(issue).toMatchObject({ assignee: 'Robin Vance' })
  expect(issue).not.toHaveProperty('delegate')
  await delegate()
  const batch = async (dry_run: boolean) => server.call('IssueTracker.BatchUpdateIssues', { issues: [args], dry_run })
  expect(await batch(true)).toMatchObject({ issues: [{ write: { fields_to_clear: ['delegate'] } }] })
  expect(await batch(false)).toMatchObject({ issues: [{ outcome: 'updated', changed: ['delegate'] }] })
})

test('finds issues delegated to an app when it is named as the assignee', async () => {
  await using server = await workspace({ toolsets: ['triage'] })
  await server.call('IssueTracker.UpdateIssue', { issue_id: 'ENG-1', assignee: 'Beacon' })
  for (const tool of ['ListIssues', 'SearchIssues'])
    expect(await server.call(`IssueTracker.${tool}`, { assignee: 'Beacon' })).toMatchObject({ issues: [{ identifier: 'ENG-1' }] })
})

test('delegates the rows of a batch, as a dry run shows', async () => {
  await using server = await workspace({ toolsets: ['triage'] })
  const issues = [{ team: 'ENG', title: 'x', assignee: 'beacon' }]
  const dry = await server.call('IssueTracker.BatchCreateIssues', { issues, dry_run: true })
  expect(dry).toMatchObject({ issues: [{ write: { assignee: 'Beacon' }, notices: delegated }] })
  const created = await server.call('IssueTracker.BatchCreateIssues', { issues })
  expect(created).toMatchObject({ issues: [{ outcome: 'created', issue: { delegate: 'Beacon' }, notices: delegated }] })
  const rows = [{ issue_id: 'ENG-1', assignee: 'Beacon' }]
  const first = await server.call('IssueTracker.BatchUpdateIssues', { issues: rows })
  expect(first).toMatchObject({
    issues: [{ outcome: 'updated', changed: ['delegate'], issue: { assignee: 'Robin Vance', delegate: 'Beacon' } }],
  })
  expect(await server.call('IssueTracker.BatchUpdateIssues', { issues: rows })).toMatchObject({ issues: [{ outcome: 'unchanged' }] })
})

test.for([
  ['take', /"delegateId":"[^"]*"/, { assignee: 'Beacon' }],
  ['take away', /"delegateId":null/, { fields_to_clear: ['delegate'] }],
] as const)('says so if Linear answers "success" but does not %s the delegate', async ([, sent, change]) => {
  const emulator = linearEmulator({ seed: 'edge-cases', apiKey: 'lin_api_test' })
  onTestFinished(() => emulator.close())
  const vendor: typeof emulator.fetch = async (input, init) => {
    const request = new Request(input, init)
    const body = (await request.clone().text()).replace(sent, '"trashed":false')
    return emulator.fetch(new Request(request, { body }))
  }
  await using server = await workspace({ vendor })
  if (!('assignee' in change)) await server.call('IssueTracker.UpdateIssue', { issue_id: 'ENG-1', assignee: 'Beacon' })
  const error = await server.fails('IssueTracker.UpdateIssue', { issue_id: 'ENG-1', ...change })
  expect(error).toMatchObject({ code: 'unavailable', message: textWith('assignee' in change ? 'assignee' : 'delegate') })
})
