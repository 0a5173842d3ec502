import { expect, test } from 'vitest'
import * as z from 'zod'
import type { Args } from './calls.ts'
import { workspace, type Workspace } from './workspace.ts'

const update = 'IssueTracker.UpdateIssue'

test('changes only the fields that the call passes', async () => {
  await using server = await workspace()
  const before = row(server)
  const { issue } = await server.call(update, { issue_id: 'eng-1', priority: 'urgent', title: null, description: null })
  expect(issue).toMatchObject({ identifier: 'ENG-1', priority: 'urgent' })
  expect({ ...row(server), priority: 0, updatedAt: '' }).toEqual({ ...before, priority: 0, updatedAt: '' })
})

test('clears fields by name, and rejects a field that is both set and cleared', async () => {
  await using server = await workspace()
  const fields = ['assignee', 'cycle', 'project', 'due_date', 'estimate']
  await server.call(update, {
    issue_id: 'ENG-1',
    assignee: '@me',
    cycle: 'current',
    project: 'Apollo',
    due_date: '2027-01-01',
    estimate: 2,
  })
  expect(row(server)).toMatchObject({ estimate: 2, dueDate: '2027-01-01' })
  const { issue } = await server.call(update, { issue_id: 'ENG-1', fields_to_clear: fields })
  for (const field of fields) expect(issue).not.toHaveProperty(field)
  const error = await server.fails(update, { issue_id: 'ENG-1', estimate: 2, fields_to_clear: ['estimate'] })
  expect(error.message).toContain('estimate cannot be both set and cleared')
  expect((await server.fails(update, { issue_id: 'ENG-1', assignee: 'none' })).next?.change).toEqual({
    assignee: null,
    fields_to_clear: ['assignee'],
  })
})

test.for([{ due_date: 'none' }, { dueDate: 'none', estimate: 'none' }, { due_date: '' }, { assignee: 'nobody' }, { assignee: '' }])(
  'leads %j to a call that clears',
  async (args) => {
    await using server = await workspace()
    const call = { issue_id: 'ENG-1', ...args }
    const { next } = await server.fails(update, call)
    expect(next?.change).toHaveProperty('fields_to_clear')
    const changed = Object.entries<unknown>({ ...call, ...next?.change }).filter(([, value]) => value !== null)
    expect(await server.call(update, Object.fromEntries(changed))).toMatchObject({ issue: { identifier: 'ENG-1' } })
  },
)

test('adds and removes labels, never replaces them', async () => {
  await using server = await workspace()
  const issue = 'ENG-9'
  await server.call(update, { issue_id: issue, labels_to_add: ['Security', 'Customer request'] })
  const before = await labels(server, issue)
  await server.call(update, { issue_id: issue, labels_to_add: ['Performance'], labels_to_remove: ['Security'] })
  expect(await labels(server, issue)).toEqual([...before.filter((name) => name !== 'Security'), 'Performance'].toSorted())
  await server.call(update, { issue_id: issue, labels_to_remove: ['Security'] })
  expect(await labels(server, issue)).toContain('Performance')
})

test('rejects a second label from a group unless the first is removed', async () => {
  await using server = await workspace()
  await server.call(update, { issue_id: 'ENG-10', labels_to_remove: ['Bug', 'Feature', 'Chore'] })
  await server.call(update, { issue_id: 'ENG-10', labels_to_add: ['Bug'] })
  const changes = server.emulator.store.mutations().length
  const error = await server.fails(update, { issue_id: 'ENG-10', labels_to_add: ['Feature'] })
  expect(error.message).toContain('"Bug" and "Feature" are in the same group')
  expect(server.emulator.store.mutations().length).toBe(changes)
  await server.call(update, { issue_id: 'ENG-10', labels_to_add: ['Feature'], labels_to_remove: ['Bug'] })
  expect(await labels(server, 'ENG-10')).toContain('Feature')
})

test('attaches a URL once and keeps its title unless the call gives another', async () => {
  await using server = await workspace()
  const attach = async (args: Args) => server.call(update, { issue_id: 'ENG-2', ...args })
  const url = 'https://example.com/spec'
  const first = await attach({ attachment_url: url, attachment_title: 'The spec' })
  expect(first['attachment']).toMatchObject({ title: 'The spec', url })
  const changes = server.emulator.store.mutations().length
  const again = await attach({ attachment_url: url, labels_to_add: [] })
  expect(server.emulator.store.mutations().length).toBe(changes)
  expect(again).toMatchObject({ attachment: { title: 'The spec' }, notices: ['The URL was already attached.'] })
  expect(await attach({ attachment_url: url, attachment_title: 'Version 2' })).toMatchObject({ attachment: { title: 'Version 2' } })
  expect(server.emulator.store.attachments().filter((each) => each['url'] === url)).toHaveLength(1)
})

const refused: readonly (readonly [args: Args, text: string])[] = [
  [{}, 'Nothing to change'],
  [{ due_date: null }, 'To clear one of assignee, delegate, cycle, project, due_date, estimate, description, name it in fields_to_clear'],
  [{ labels_to_add: [], fields_to_clear: [] }, 'Nothing to change'],
  [{ title: '' }, 'Nothing to change'],
  [{ state: '', description: '' }, 'Nothing to change'],
  [{ parent_issue: null, priority: 'low' }, 'Unknown argument "parent_issue"'],
  [{ due_date: 'tomorrow' }, 'YYYY-MM-DD'],
  [{ estimate: 4 }, 'Team ENG estimates in 1, 2, 3, 5, 8'],
  [{ state: 'Shipped' }, 'No workflow state matches'],
  [{ assignee: 'Grace Kim' }, 'not a member of team ENG'],
  [{ labels_to_add: ['Type'] }, 'label group'],
  [{ labels_to_remove: ['Type'] }, 'label group'],
  [{ labels_to_add: ['Bug', 'Chore'], labels_to_remove: ['nope'] }, 'nope'],
  [{ project: 'Design system', cycle: '4711' }, '4711'],
  [{ attachment_title: 'x' }, 'attachment_url'],
  [{ parent_issue: 'ENG-1' }, 'Unknown argument'],
  [{ fields_to_clear: ['title'] }, 'fields_to_clear'],
  [{ issue_id: 'ENG-99999', title: 'x' }, 'ENG-99999'],
  [{ issue_id: 'ENG-99999', labels_to_add: ['Securty'], state: 'Todo' }, 'Securty'],
]

test.for(refused)('rejects %j and writes nothing', async ([args, text]) => {
  await using server = await workspace()
  const error = await server.fails(update, { issue_id: 'ENG-1', ...args })
  expect(error.message).toContain(text)
  expect(server.emulator.store.mutations()).toEqual([])
})

test.for([
  { description: null },
  { description: '' },
  { description: ' \n' },
  { assignee: null, due_date: '', cycle: null, estimate: null },
])('does not propose to clear anything for %j, which a host may send unasked', async (args) => {
  await using server = await workspace()
  const error = await server.fails(update, { issue_id: 'ENG-1', ...args })
  expect(error.message).toContain('fields_to_clear')
  expect(error).not.toHaveProperty('next')
})

test('proposes to clear a date passed as a blank, and nothing else', async () => {
  await using server = await workspace()
  expect((await server.fails(update, { issue_id: 'ENG-1', due_date: '' })).next?.change).toEqual({
    due_date: null,
    fields_to_clear: ['due_date'],
  })
})

test('reads a description once before it clears it', async () => {
  await using server = await workspace()
  await server.call(update, { issue_id: 'ENG-1', description: 'Twelve chars' })
  const sent = server.requests()
  const { notices } = await server.call(update, { issue_id: 'ENG-1', fields_to_clear: ['description'] })
  expect(server.requests() - sent).toBe(2)
  expect(notices).toEqual(['The description had 12 characters and now has 0.'])
  expect(row(server)).toMatchObject({ description: null })
})

test.for([
  [{ labels_to_add: 'Bug' }, { labels_to_add: ['Bug'] }],
  [{ estimate: '3' }, { estimate: 3 }],
] as const)('reads %j in the right form', async ([args, read]) => {
  // With the system's clock, the two changes would have different times.
  const emulated = { now: () => Date.UTC(2026, 10, 28) }
  await using server = await workspace({ emulated })
  await using other = await workspace({ emulated })
  const result = await server.call(update, { issue_id: 'ENG-1', ...args })
  expect(result).toEqual(await other.call(update, { issue_id: 'ENG-1', ...read }))
  expect(server.emulator.store.mutations()).toHaveLength(1)
})

function row({ emulator }: Workspace): Record<string, unknown> {
  return emulator.store.issues().find((issue) => issue['identifier'] === 'ENG-1') ?? {}
}

async function labels(server: Workspace, issue: string): Promise<string[]> {
  const { issue: found } = await server.call('IssueTracker.GetIssue', { issue_id: issue })
  const Labelled = z.object({ labels: z.array(z.object({ name: z.string() })) })
  return Labelled.parse(found)
    .labels.map(({ name }) => name)
    .toSorted()
}

test('the error for an estimate off a T-shirt scale names the sizes', async () => {
  await using server = await workspace()
  await server.mutate('mutation Scale($id: String!, $input: TeamUpdateInput!) { teamUpdate(id: $id, input: $input) { success } }', {
    id: server.emulator.store.issues().find(({ identifier }) => identifier === 'ENG-9')?.['teamId'],
    input: { issueEstimationType: 'tShirt', issueEstimationAllowZero: true },
  })
  expect((await server.fails('IssueTracker.UpdateIssue', { issue_id: 'ENG-9', estimate: 4 })).message).toContain(
    'Team ENG estimates in 0, 1 (XS), 2 (S), 3 (M), 5 (L), 8 (XL) points; 4 is not one of them.',
  )
})
