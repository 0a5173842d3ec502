import { expect, test } from 'vitest'
import * as z from 'zod'
import { workspace, type Workspace } from './workspace.ts'

const Rows = z.object({ issues: z.array(z.object({ identifier: z.string(), state: z.string() })) })
const listed = async (server: Workspace, args: Readonly<Record<string, unknown>>) =>
  Rows.parse(await server.call('IssueTracker.ListIssues', { limit: 50, ...args })).issues

/** The identifiers of all issues in states of some types, read page by page without using the tool. */
async function inTypes(server: Workspace, types: readonly string[]): Promise<string[]> {
  const Teams = z.object({ workflow_states: z.array(z.object({ states: z.array(z.object({ name: z.string(), type: z.string() })) })) })
  const { workflow_states: teams } = Teams.parse(await server.call('IssueTracker.ListWorkflowStates', { limit: 100 }))
  const names = new Set(teams.flatMap(({ states }) => states.filter(({ type }) => types.includes(type)).map(({ name }) => name)))
  const found: string[] = []
  for (const state of names) found.push(...(await listed(server, { state })).map(({ identifier }) => identifier))
  return found.toSorted()
}

test.for([
  ['open', ['triage', 'backlog', 'unstarted', 'started']],
  ['Open', ['triage', 'backlog', 'unstarted', 'started']],
  ['"open"', ['triage', 'backlog', 'unstarted', 'started']],
  ['active', ['unstarted', 'started']],
  ['closed', ['completed', 'canceled', 'duplicate']],
  ...['backlog', 'unstarted', 'started', 'completed', 'canceled'].map((type) => [type, [type]] as const),
] as const)('ListIssues finds state %j in one request', async ([state, types]) => {
  await using server = await workspace()
  const expected = await inTypes(server, types)
  const before = server.requests()
  const found = await listed(server, { state })
  expect(server.requests() - before).toBe(1)
  expect(found.map(({ identifier }) => identifier).toSorted()).toEqual(expected)
  expect(found.length).toBeGreaterThan(0)
})

test('pages through open issues as one list, with one request per page', async () => {
  await using server = await workspace()
  const whole = await listed(server, { state: 'open' })
  const before = server.requests()
  const pages: string[] = []
  let cursor: unknown = undefined
  do {
    const page = await server.call('IssueTracker.ListIssues', {
      state: 'open',
      limit: 7,
      ...(cursor !== undefined && { end_cursor: cursor }),
    })
    pages.push(...Rows.parse(page).issues.map(({ identifier }) => identifier))
    cursor = z.object({ pagination: z.object({ end_cursor: z.string().nullable() }) }).parse(page).pagination.end_cursor ?? undefined
  } while (cursor !== undefined)
  expect(pages).toEqual(whole.map(({ identifier }) => identifier).slice(0, pages.length))
  expect(pages.length).toBeGreaterThanOrEqual(whole.length)
  expect(server.requests() - before).toBe(Math.ceil(pages.length / 7))
})

test.for([
  ['Open', 'open', 'started', 'the types triage, backlog, unstarted and started'],
  ['open', 'OPEN', 'started', 'the types triage, backlog, unstarted and started'],
  ['Completed', 'completed', 'completed', 'the type completed'],
] as const)('the workflow state %j must be written exactly so; %j is the word for types', async ([name, word, type, types]) => {
  await using server = await workspace()
  const all = (await listed(server, { state: word })).length
  server.emulator.addTeam({ key: 'SUP', name: 'Support', states: [{ name, type }] })
  await server.call('IssueTracker.CreateIssue', { team: 'SUP', title: 'Asked', state: name, assignee: 'none' })
  const call = async (args: Readonly<Record<string, unknown>>, cost: number) => {
    const before = server.requests()
    const { issues, notices } = await server.call('IssueTracker.ListIssues', { limit: 50, ...args })
    expect(server.requests() - before).toBe(cost)
    return [Rows.parse({ issues }).issues.map(({ state }) => state), notices]
  }
  const byName = `"${name}" (state) was read as a state's name. To match ${types}, pass "${word}".`
  const byWord = `"${word}" (state) was read as ${types}. To match only the state with that name, pass "${name}".`
  expect(await call({ state: name }, 2)).toEqual([[name], [byName]])
  expect(await call({ state: name, team: 'SUP' }, 2)).toEqual([[name], [byName]])
  expect(await call({ state: word }, 1)).toEqual([expect.toSatisfy((rows: readonly string[]) => rows.length === all + 1), [byWord]])
  expect((await call({ state: name, team: 'ENG' }, 1))[1]).toBeUndefined()
})

test('says how it read an undocumented word, but not a documented one', async () => {
  await using server = await workspace()
  const notices = async (state: string) => (await server.call('IssueTracker.ListIssues', { state }))['notices']
  expect(await notices('active')).toEqual(['"active" (state) was read as the types unstarted and started.'])
  for (const state of ['open', 'closed', 'started', 'Todo']) expect(await notices(state)).toBeUndefined()
})

test('does not blame the state if the team has states of its types', async () => {
  await using server = await workspace()
  server.emulator.addTeam({ key: 'NEW', name: 'New' })
  const { notices } = await server.call('IssueTracker.ListIssues', { state: 'open', team: 'NEW' })
  expect(notices).toEqual([expect.stringMatching(/^No issue matches/)])
})

test.for([
  ['ListProjects', 'projects'],
  ['ListInitiatives', 'initiatives'],
  ['ListWorkflowStates', 'workflow_states'],
] as const)('%s accepts open, active and closed, in one request each', async ([tool, rows]) => {
  await using server = await workspace({ emulated: { seed: 'company' } })
  const parameter = tool === 'ListWorkflowStates' ? 'state_type' : 'state'
  const count = async (state?: string) => {
    const { [rows]: found } = await server.call(`IssueTracker.${tool}`, { ...(state !== undefined && { [parameter]: state }) })
    return JSON.stringify(found).match(/"name":/g)?.length ?? 0
  }
  const all = await count()
  const before = server.requests()
  const [open, closed, active] = [await count('Open'), await count('closed'), await count('active')]
  expect(server.requests() - before).toBe(3)
  expect([open + closed, active > 0 && active <= open]).toEqual([all, true])
})
