import { isObject, member } from '@mcp-toolkits/core/base'
import { expect, test } from 'vitest'
import type { Args } from '../calls.ts'
import { textWith } from '../matching.ts'
import { workspace, type Workspace } from '../workspace.ts'

const search = 'IssueTracker.SearchIssues'
const settings = { toolsets: ['triage'], emulated: { seed: 'company' } } as const

async function found(server: Workspace, args: Args): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { issues } = await server.call(search, { limit: 50, ...args })
  return Array.isArray(issues) ? issues.filter(isObject) : []
}
/** The issues as the emulator stores them, from which the tests know what a filter must find. */
const all = (server: Workspace) => server.emulator.store.issues().filter(({ archivedAt }) => archivedAt === null)
const identifiers = (rows: readonly Readonly<Record<string, unknown>>[]) => rows.map(({ identifier }) => String(identifier)).toSorted()

test('finds issues by several states, words for several states, and types', async () => {
  await using server = await workspace(settings)
  const states = async (...names: string[]) => new Set((await found(server, { team: 'ENG', states: names })).map(({ state }) => state))
  expect(await states('todo', 'In Progress')).toEqual(new Set(['Todo', 'In Progress']))
  const open = await states('open')
  expect(open.has('Done')).toBe(false)
  expect(open.size).toBeGreaterThan(2)
  expect(await states('Todo', 'closed')).toEqual(new Set([...(await states('closed')), 'Todo']))
})

test('finds issues by date ranges, which include both days', async () => {
  await using server = await workspace(settings)
  const dated = all(server).filter(({ dueDate }) => dueDate !== null)
  const day = String(dated[0]?.['dueDate'])
  expect(identifiers(await found(server, { due_after: day, due_before: day }))).toEqual(
    identifiers(dated.filter(({ dueDate }) => dueDate === day)),
  )
  const updated = all(server).toSorted((one, other) => String(one['updatedAt']).localeCompare(String(other['updatedAt'])))
  const edge = String(updated[Math.floor(updated.length / 2)]?.['updatedAt']).slice(0, 10)
  const rows = await found(server, { updated_before: edge, updated_after: edge })
  expect(identifiers(rows)).toEqual(identifiers(updated.filter((issue) => String(issue['updatedAt']).startsWith(edge))))
})

test('finds issues by creator, parent, milestone, cycle and labels, and unassigned and archived ones, in one request', async () => {
  await using server = await workspace(settings)
  const archived = await found(server, { include_archived: true, states: ['Done'], order: 'updated' })
  expect(archived.some((row) => typeof row['archived_at'] === 'string')).toBe(true)
  const calls: readonly Args[] = [
    { creator: 'Ada Okonkwo' },
    { parent_issue: 'eng-1' },
    { cycle: 'current', team: 'ENG' },
    { labels: ['Bug'], unassigned: true },
    { assignee: '@me', priorities: ['urgent', 'high'] },
  ]
  for (const args of calls) {
    const before = server.requests()
    const rows = await found(server, args)
    expect([args, rows.length > 0 || 'assignee' in args, server.requests() - before]).toEqual([args, true, 1])
  }
  for (const row of await found(server, { labels: ['Bug'], unassigned: true })) {
    expect(row).not.toHaveProperty('assignee')
    expect(row['labels']).toContain('Bug')
  }
})

test('rejects unknown names together, with suggestions, in at most four requests', async () => {
  await using server = await workspace(settings)
  const error = await server.fails(search, { states: ['In Progres'], creator: 'Ada Okonkw', cycle: 'never', parent_issue: 'ENG-9999' })
  expect(server.requests()).toBeLessThanOrEqual(4)
  for (const text of ['In Progres', 'Ada Okonkw', 'never', 'ENG-9999']) expect(error.message).toContain(text)
  expect(await server.fails(search, { team: 'Enginering' })).toMatchObject({ next: { change: { team: 'Engineering' } } })
  expect(await server.fails(search, { assignee: 'nobody' })).toMatchObject({ next: { change: { assignee: null, unassigned: true } } })
  expect(await server.fails(search, { assignee: '@me', unassigned: true })).toMatchObject({ code: 'invalid_input' })
})

test('pages through all issues once', async () => {
  await using server = await workspace(settings)
  const seen: string[] = []
  let cursor: unknown
  do {
    const { issues, pagination } = await server.call(search, { limit: 17, ...(typeof cursor === 'string' && { end_cursor: cursor }) })
    seen.push(...identifiers(Array.isArray(issues) ? issues.filter(isObject) : []))
    cursor = member(pagination, 'end_cursor')
  } while (typeof cursor === 'string')
  expect(seen.toSorted()).toEqual(identifiers(all(server)))
})

test('finds open issues that are similar to a new one, the most similar first', async () => {
  await using server = await workspace(settings)
  const [issue] = (await found(server, { states: ['open'], limit: 1 })).map(({ title, identifier }) => ({ title, identifier }))
  const { issues } = await server.call('IssueTracker.FindDuplicates', { title: String(issue?.title) })
  const [first] = Array.isArray(issues) ? issues.filter(isObject) : []
  expect(first?.['identifier']).toBe(issue?.identifier)
  expect(Number(first?.['likeness'])).toBeGreaterThan(0.7)
  const none = await server.call('IssueTracker.FindDuplicates', { title: 'Zyzzyva quux' })
  expect(none).toEqual({ issues: [], notices: ['No similar open issues found.'] })
})

test('treats the last representable day as no limit, and says why an archived project has no issues', async () => {
  await using server = await workspace({ toolsets: ['triage'] })
  const all = await server.call('IssueTracker.SearchIssues', {})
  const days = { created_before: '9999-12-31', updated_before: '9999-12-31' }
  expect((await server.call('IssueTracker.SearchIssues', days))['issues']).toEqual(all['issues'])
  await server.call('IssueTracker.CreateProject', { name: 'Over', team: 'ENG' })
  await server.call('IssueTracker.ArchiveProject', { project: 'Over' })
  const { notices } = await server.call('IssueTracker.SearchIssues', { project: 'Over', keywords: 'is:unassigned' })
  expect(notices).toEqual([textWith('No issue matches'), '"Over" is archived.', textWith('no filter syntax')])
})

test.for([
  ['Completed', ['Done']],
  ['Closed', ['Done']],
  ['Open', ['Icebox', 'Open', 'Doing']],
  ['Active', ['Active', 'Doing']],
  ['Started', ['Doing']],
] as const)('reads %j as the state with that name, within the team', async ([name, types]) => {
  await using server = await workspace(settings)
  const states = [
    { name: 'Icebox', type: 'backlog' },
    { name, type: 'unstarted' },
    { name: 'Doing', type: 'started' },
    { name: 'Done', type: 'completed' },
  ]
  server.emulator.addTeam({ key: 'SUP', name: 'Support', states })
  const issues = states.map((state) => ({ team: 'SUP', title: state.name, state: state.name, assignee: 'none' }))
  await server.call('IssueTracker.BatchCreateIssues', { issues })
  const read = async (state: string) => (await found(server, { team: 'SUP', states: [state] })).map((row) => row['state']).toSorted()
  const before = server.requests()
  expect(await server.call(search, { team: 'SUP', states: [name] })).toMatchObject({
    issues: [{ state: name }],
    notices: [textWith("was read as a state's name")],
  })
  expect(server.requests() - before).toBe(2)
  expect(await read(name.toLowerCase())).toEqual(types.toSorted())
  expect(await read('backlog')).toEqual(['Icebox'])
})

test('rejects an unknown parent with one more request', async () => {
  await using server = await workspace(settings)
  expect(await server.fails(search, { parent_issue: 'ENG-9999' })).toMatchObject({ code: 'not_found', message: textWith('ENG-9999') })
  expect(server.requests()).toBe(2)
})
