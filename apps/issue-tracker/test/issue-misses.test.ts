import { expect, test } from 'vitest'
import * as z from 'zod'
import type { Args } from './calls.ts'
import { textWith } from './matching.ts'
import { workspace, type Workspace } from './workspace.ts'

const create = 'IssueTracker.CreateIssue'
const update = 'IssueTracker.UpdateIssue'
const transition = 'IssueTracker.TransitionIssueState'

test.for(['almost done', 'half done', 'nearly done'])(
  'the state %j is not an obvious typo: Done is only suggested',
  async (target_state) => {
    await using server = await workspace()
    const error = await server.fails(transition, { issue_id: 'ENG-1', target_state })
    expect(error.next).not.toHaveProperty('change')
    expect(error.suggestions?.map(({ value }) => value)).toContain('Done')
  },
)

const misses: readonly (readonly [tool: string, args: Args, text: string])[] = [
  [create, { team: 'zzz' }, '"Design", "Engineering Ops", "Engineering"'],
  [create, { assignee: 'zzz' }, '"Robin Vance"'],
  [create, { assignee: 'Grace Kim' }, 'not a member of team ENG'],
  [create, { team: 'DES', assignee: 'Beacon' }, '"Beacon" is not a member of team DES, so the issue cannot be assigned to it.'],
  [create, { state: 'triage' }, '"Backlog", "Todo", "In Progress"'],
  [create, { cycle: '9999' }, 'No cycle matches "9999"'],
  [create, { labels_to_add: ['zzz'] }, '"Performance", "qa/regression", '],
  [create, { project: 'zzz' }, '"Apollo"'],
  [transition, { issue_id: 'ENG-1', target_state: 'zzz' }, '"Backlog", "Todo"'],
]

test.for(misses)(
  '%s %j: if nothing is close, the error lists what is available, or names the tool that does',
  async ([tool, args, text]) => {
    await using server = await workspace()
    const error = await server.fails(tool, tool === create ? { team: 'ENG', title: 'x', assignee: 'none', ...args } : args)
    expect(error.code).toBe('not_found')
    expect(error.message).toContain(text)
    expect(error.next?.tool).toBeDefined()
    expect(await server.call(error.next?.tool ?? '', { ...error.next?.arguments })).toBeDefined()
    expect(server.emulator.store.mutations()).toEqual([])
  },
)

test('proposes the identifier for the exact title of an issue, even in a write', async () => {
  await using server = await workspace()
  const made = await server.call(create, { team: 'ENG', title: 'A title of one issue' })
  const { identifier } = z.object({ identifier: z.string() }).parse(made['issue'])
  const read = async (issue_id: string) => (await server.fails('IssueTracker.GetIssue', { issue_id })).next
  expect(await read('a title of one issue')).toEqual({ change: { issue_id: identifier } })
  expect(await read('title of one')).not.toHaveProperty('change')
  const written = { issue_id: 'A title of one issue', priority: 'low' }
  expect((await server.fails(update, written)).next).toEqual({ change: { issue_id: identifier } })
  await server.call(create, { team: 'DES', title: 'A title of one issue' })
  expect(await read('A title of one issue')).not.toHaveProperty('change')
  expect((await server.fails(update, written)).next).not.toHaveProperty('change')
})

test('an unknown person does not lead to the list of teams', async () => {
  await using server = await workspace()
  expect((await server.fails('IssueTracker.ListIssues', { assignee: 'Qqqqq' })).next?.tool).not.toBe('IssueTracker_ListTeams')
})

test('suggests "@me" for "me", wherever a person is referred to', async () => {
  await using server = await workspace()
  const args = { team: 'ENG', title: 'x', assignee: ' Me ' }
  const error = await server.fails(create, args)
  expect(error).toMatchObject({ code: 'not_found', next: { change: { assignee: '@me' } } })
  const { issue } = await server.call(create, { ...args, ...error.next?.change })
  expect(issue).toMatchObject({ assignee: 'Robin Vance' })
  expect((await server.fails('IssueTracker.CreateProject', { team: 'ENG', name: 'x', lead: 'me' })).next?.change).toEqual({ lead: '@me' })
})

test('says that the team has no current or next cycle', async () => {
  await using server = await workspace()
  server.emulator.addTeam({ key: 'NEW', name: 'Newcomers', cyclesEnabled: true })
  for (const cycle of ['current', 'Next']) {
    const error = await server.fails(create, { team: 'NEW', title: 'x', assignee: 'none', cycle })
    expect(error.message).toContain(`Team NEW has no ${cycle.toLowerCase()} cycle.`)
    expect(error.next).toEqual({ tool: 'IssueTracker_ListCycles', arguments: { team: 'NEW' } })
  }
})

test.for(['3', 'active'])("refuses the URL of another team's cycle %s before any write", async (cycle) => {
  await using server = await workspace({ toolsets: ['triage'] })
  const change = { issue_id: 'ENG-9', title: 'Other', cycle: `https://linear.app/lodestar/team/OPS/cycle/${cycle}` }
  const issue = { ...change, issue_id: undefined, team: 'ENG' }
  for (const [tool, args] of [
    ['CreateIssue', issue],
    ['UpdateIssue', change],
    ['BatchCreateIssues', { issues: [issue] }],
    ['BatchUpdateIssues', { issues: [change] }],
  ] as const)
    expect((await server.fails(`IssueTracker.${tool}`, args)).message).toContain('is a cycle of team OPS, and the issue is in team ENG.')
  expect(server.emulator.store.mutations()).toEqual([])
  expect(await server.call(update, { ...change, cycle: change.cycle.replace('OPS', 'eng') })).toMatchObject({ issue: { cycle: 'Polish' } })
})

test('does not propose a change that would leave nothing to do', async () => {
  await using server = await workspace()
  const issue = z
    .object({ identifier: z.string() })
    .parse((await server.call(create, { team: 'DES', title: 'x', assignee: 'none' }))['issue'])
  for (const only of [{ estimate: 3 }, { cycle: 'current' }, { estimate: 3, cycle: 'current' }]) {
    const error = await server.fails(update, { issue_id: issue.identifier, ...only })
    expect(error.message).toContain('does not use')
    expect(error.next).toBeUndefined()
  }
  const args = { issue_id: issue.identifier, estimate: 3, cycle: 'current', title: 'y' }
  const { next } = await server.fails(update, args)
  expect(await server.call(update, { ...args, ...next?.change })).toMatchObject({ issue: { title: 'y' } })
})

test.for([
  [-1, ['1']],
  [0, undefined],
  [4, ['3', '5']],
  [100, ['8']],
] as const)('rejects an estimate of %i and suggests the nearest ones without choosing', async ([estimate, suggested]) => {
  await using server = await workspace()
  const args = { team: 'ENG', title: 'x', estimate }
  const error = await server.fails(create, args)
  expect(error.message).toContain('Team ENG estimates in 1, 2, 3, 5, 8 points')
  expect(error.suggestions?.map(({ value, parameter }) => [parameter, value])).toEqual(suggested?.map((value) => ['estimate', value]))
  expect(error.next).toEqual(estimate === 0 ? { change: { estimate: null } } : undefined)
  const sent = server.requests()
  const { message } = await server.fails(update, { issue_id: 'ENG-1', estimate })
  expect(message.includes('fields_to_clear')).toBe(estimate === 0)
  expect(server.requests() - sent).toBe(1)
})

test('accepts an estimate of 0 if the team allows it', async () => {
  await using server = await workspace()
  server.emulator.addTeam({ key: 'NEW', name: 'Newcomers', issueEstimationType: 'linear', issueEstimationAllowZero: true })
  expect(await server.call(create, { team: 'NEW', title: 'x', assignee: 'none', estimate: 0 })).toMatchObject({ issue: { estimate: 0 } })
})

test('along with a misspelt team, reports only names that do not exist in the workspace', async () => {
  await using server = await workspace()
  server.emulator.addUser({ name: 'Ada Okafor', displayName: 'ada2', teams: ['Design'] })
  const url = await addressOf(server, 'Apollo')
  const right = { assignee: 'Ada Okafor', state: 'completed', project: url, labels_to_add: ['REGRESSION', 'Performance'] }
  const error = await server.fails(create, { team: 'Enginering', title: 'x', ...right })
  expect(error.message).toMatch(/^No team matches "Enginering"[.] Closest: [^.]*[.]$/)
  const group = await server.fails(create, { team: 'Enginering', title: 'x', labels_to_add: ['Type'], state: 'nope' })
  expect(group.message).toContain('"Type" is a label group')
  expect(group.message).toContain('"nope" (state)')
  const gone = await server.fails(update, { issue_id: 'ENG-99999', ...right })
  expect(gone.message).not.toContain('Ada')
  expect(gone.message).toContain('"ENG-99999"')
})

test.for([
  [update, { issue_id: 'ENGG-1', state: 'nope' }, 'issue_id'],
  [create, { team: 'Enginering', title: 'x', parent_issue: 'ENGG-1' }, 'parent_issue'],
  [create, { team: 'ENG', title: 'x', parent_issue: 'ENGG-1', state: 'nope' }, 'parent_issue'],
  ['IssueTracker.ReplyToComment', { issue: 'ENGG-1', parent_comment_id: crypto.randomUUID(), body: 'x' }, 'issue'],
  ['IssueTracker.CreateIssueRelation', { issue: 'ENGG-1', related_issue: 'ENGG-2', relation_type: 'related' }, 'related_issue'],
] as const)('%s %j: a wrong issue has suggestions even along with another error', async ([tool, args, parameter]) => {
  await using server = await workspace()
  const { suggestions = [] } = await server.fails(tool, args)
  const found = suggestions.filter((each) => each.parameter === parameter).map(({ value }) => value)
  expect(found.join()).toMatch(/\bENG-[12]\b/)
})

test('finds people by display name, but no inactive ones', async () => {
  await using server = await workspace()
  const robin2 = server.emulator.addUser({ name: 'Robin Vance', displayName: 'robin2', teams: ['Engineering'] })
  server.emulator.addUser({ name: 'Zoë Quist', displayName: 'zoe', teams: ['Engineering'], active: false })
  const assign = async (assignee: string) => (await server.call(create, { team: 'ENG', title: 'x', assignee }))['issue']
  expect(await assign('ROBIN2')).toMatchObject({ assignee: 'Robin Vance' })
  expect(server.emulator.store.issues().at(-1)?.['assigneeId']).toBe(robin2)
  expect((await server.fails(create, { team: 'ENG', title: 'x', assignee: 'Robin Vance' })).message).toContain('@lodestar.example')
  for (const assignee of ['Zoë Quist', 'Zoe Quist', 'Leo Brandt']) {
    const args = { issue_id: 'ENG-1', assignee, attachment_url: 'https://example.com/a' }
    expect((await server.fails(update, { ...args, auto_accept_matches: true })).message).toMatch(/No person matches|is deactivated/)
  }
  expect(server.emulator.store.attachments().filter(({ url }) => url === 'https://example.com/a')).toEqual([])
})

test('a name means the member of the team; two members with that name are ambiguous', async () => {
  await using server = await workspace()
  server.emulator.addUser({ name: 'Priya Nair', displayName: 'priya2', teams: ['Engineering Ops'] })
  expect(await server.call(create, { team: 'ENG', title: 'x', assignee: 'Priya Nair' })).toMatchObject({ issue: { assignee: {} } })
  server.emulator.addUser({ name: 'Priya Nair', displayName: 'priya3', teams: ['Design'] })
  const error = await server.fails(create, { team: 'DES', title: 'x', assignee: 'Priya Nair' })
  expect(error).toMatchObject({ code: 'ambiguous' })
  expect(error.message).toContain('priya3@lodestar.example')
})

test('finds a project by its URL or the end of it, and rejects it only if the team is not part of it', async () => {
  await using server = await workspace()
  const url = await addressOf(server, 'Apollo')
  for (const project of [url, url.slice(url.lastIndexOf('/') + 1), ' apollo ']) {
    expect(await server.call(create, { team: 'ENG', title: 'x', project })).toMatchObject({ issue: { project: 'Apollo' } })
    expect(await server.call(update, { issue_id: 'ENG-1', project })).toMatchObject({ issue: { project: 'Apollo' } })
  }
  const foreign = await server.fails(create, { team: 'ENG', title: 'x', project: await addressOf(server, 'Design system') })
  expect(foreign.message).toContain('Team ENG is not part of project "Design system"')
  expect(foreign.next).toEqual({ tool: 'IssueTracker_ListProjects', arguments: { team: 'ENG' } })
})

test('says what is archived or retired', async () => {
  await using server = await workspace()
  await server.call('IssueTracker.ArchiveProject', { project: 'Apollo' })
  const error = await server.fails(create, { team: 'ENG', title: 'x', project: 'Apollo' })
  expect(error.message).toContain('Project "Apollo" is archived')
  const lab = await server.fails(create, { team: 'LAB', title: 'x', assignee: 'none' })
  expect(lab.message).toContain('Team LAB is retired')
  server.emulator.addTeam({ key: 'LAB2', name: 'LAB' })
  expect(await server.call(create, { team: 'lab', title: 'x', assignee: 'none' })).toMatchObject({ issue: { identifier: 'LAB2-1' } })
})

test('finds a team by its id in capitals', async () => {
  await using server = await workspace()
  const { team } = z
    .object({ team: z.object({ id: z.string() }) })
    .parse(await server.call('IssueTracker.GetTeam', { value: 'ENG', lookup_by: 'key' }))
  expect(await server.call(create, { team: team.id.toUpperCase(), title: 'x' })).toMatchObject({ issue: { identifier: textWith('ENG-') } })
})

async function addressOf(server: Workspace, name: string): Promise<string> {
  const { project } = await server.call('IssueTracker.GetProject', { value: name, lookup_by: 'name' })
  return z.object({ url: z.string() }).parse(project).url
}

test.for([
  [create, { team: 'Enginering', title: 'x' }],
  [update, { issue_id: 'ENG-9999' }],
] as const)('%s %j without a team says what is not checked yet, without another request', async ([tool, args]) => {
  await using server = await workspace()
  const costOf = async (more: Args) => {
    const before = server.requests()
    const { message } = await server.fails(tool, { ...args, priority: 'low', ...more })
    return [server.requests() - before, /Not checked yet[^.]*\./.exec(message)?.[0]]
  }
  for (const others of [{}, { state: 'Tood' }, { state: 'Tood', labels_to_add: ['Bgu'] }]) {
    const [cost, unchecked] = await costOf(others)
    expect(unchecked).toBeUndefined()
    const said = 'Not checked yet, because they depend on the team: '
    expect(await costOf({ ...others, cycle: '9999' })).toEqual([cost, `${said}cycle.`])
    expect(await costOf({ ...others, cycle: '9999', estimate: 4 })).toEqual([cost, `${said}cycle and estimate.`])
  }
})
