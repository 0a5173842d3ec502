import { shareOf } from '@mcp-toolkits/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { teamIdOf, type Args } from './calls.ts'
import { workspace, type Workspace } from './workspace.ts'

/** One server for all calls, because no call changes records that another call uses. */
let server: Workspace
beforeAll(async () => {
  server = await workspace()
  server.emulator.addTeam({ key: 'QA2', name: 'Quality' })
  server.emulator.addUser({ name: 'Zoë Quist', teams: ['Engineering'], active: false })
})
afterAll(async () => server[Symbol.asyncDispose]())

/** One call takes as long as ten unit tests. */
const share = <Case>(cases: readonly Case[]) => shareOf(cases, 4, 0)

const tool = (name: string) => `IssueTracker.${name}`

/** The texts of a result, with those of its notices. */
async function answer(name: string, args: Args): Promise<{ readonly text: string; readonly notices: string }> {
  const { notices = [], ...data } = await server.call(tool(name), args)
  return { text: JSON.stringify(data), notices: JSON.stringify(notices) }
}

const decorated = [
  'ENG 9',
  'ENG9',
  'eng9',
  '#ENG-9',
  'ENG–9',
  'ENG‑9',
  'ENG_9',
  'ENG/9',
  'ENG #9',
  'ENG-09',
  '"ENG-9"',
  '“ENG-9”',
  "'ENG-9'",
  '`ENG-9`',
  '[ENG-9]',
  '(ENG-9)',
  '**ENG-9**',
  'id:ENG-9',
  'identifier: ENG-9',
  'issue ENG-9',
  'ENG-9.',
  'ENG-9: Session cookie',
  'ENG-9 Session cookie lacks SameSite',
  '[ENG-9](https://linear.app/lodestar/issue/ENG-9/any)',
  '<https://linear.app/lodestar/issue/ENG-9>',
  'robin.vance/eng-9-session-cookie-lacks-samesite',
]

test.for(share(decorated))('reads the issue %j at once and says so', async (issue_id) => {
  const { text, notices } = await answer('GetIssue', { issue_id, include_comments: false })
  expect(text).toContain('"identifier":"ENG-9"')
  if (!issue_id.includes('linear.app')) expect(notices).toContain('read as ENG-9')
})

test.for([
  'ENG-9',
  ' eng-9 ',
  'https://linear.app/lodestar/issue/ENG-9/x',
  'linear.app/lodestar/issue/eng-9',
  'linear://lodestar/issue/ENG-9',
])('takes the issue %j as it is, without a notice', async (issue_id) => {
  const { text, notices } = await answer('GetIssue', { issue_id, include_comments: false })
  expect(text).toContain('"identifier":"ENG-9"')
  expect(notices).toBe('[]')
})

test.for([
  ['EGN-9', ['ENG-9']],
  ['ENG-I0', ['ENG-10']],
  ['9', ['ENG-9', 'OPS-9', 'DES-9']],
  ['#9', ['ENG-9', 'OPS-9', 'DES-9']],
  ['XYZ-3', ['ENG-3']],
  ['Rotate signing keys', ['ENG-10']],
  ['QA29', []],
  ['ENG-9 and ENG-10', []],
] as const)('refuses the issue %j, suggests what it may mean, and writes nothing', async ([issue, candidates]) => {
  const writes = server.emulator.store.mutations().length
  for (const [name, args] of [
    ['GetIssue', { issue_id: issue }],
    ['AddComment', { issue, body: 'x' }],
    ['ArchiveIssue', { issue }],
    ['TransitionIssueState', { issue_id: issue, target_state: 'Done' }],
  ] as const) {
    const error = await server.fails(tool(name), args)
    expect(error.code).toBe('not_found')
    expect(error.suggestions?.map(({ value }) => value) ?? []).toEqual(expect.arrayContaining([...candidates]))
    expect(error.next).not.toEqual({ tool: 'IssueTracker_ListIssues' })
    const [parameter] = Object.entries<string>(args).find(([, value]) => value === issue) ?? ['']
    const change = issue === 'Rotate signing keys' ? { [parameter]: 'ENG-10' } : undefined
    expect(error.next?.change, 'an identifier is never corrected into another').toEqual(change)
  }
  expect(server.emulator.store.mutations().length).toBe(writes)
})

/** A call, and the text that its result must contain. */
const understood: readonly (readonly [name: string, args: Args, contains: string])[] = [
  ['GetTeam', { value: 'ENG' }, '"key":"ENG"'],
  ['GetTeam', { value: 'Engineering Ops' }, '"key":"OPS"'],
  ['GetTeam', { value: ' "design" ' }, '"key":"DES"'],
  ['GetTeam', { value: 'key: DES' }, '"key":"DES"'],
  ['GetTeam', { value: 'https://linear.app/lodestar/team/OPS/all' }, '"key":"OPS"'],
  ['GetTeam', { value: 'Engineering (ENG)' }, '"key":"ENG"'],
  ['GetProject', { value: 'Apollo' }, '"name":"Apollo"'],
  ['GetProject', { value: '“billing rewrite”' }, '"name":"Billing rewrite"'],
  ['GetInitiative', { value: 'Reliability' }, '"name":"Reliability"'],
  ['GetInitiative', { value: 'Self–serve growth' }, '"name":"Self-serve growth"'],
  ['GetProjectDescription', { project_id: 'Incident tooling' }, 'Alerts first'],
  ['GetInitiativeDescription', { initiative_id: 'self-serve growth' }, 'Week 1'],
  ['ListIssues', { team: '"ENG"' }, '"identifier":"ENG-'],
  ['ListIssues', { team: 'https://linear.app/lodestar/team/DES' }, '"identifier":"DES-'],
  ['ListIssues', { state: 'completed' }, '"identifier":"ENG-11"'],
  ['ListIssues', { state: 'DUPLICATE' }, '"identifier":"ENG-26"'],
  ['ListIssues', { label: '`Security`' }, '"identifier":"ENG-9"'],
  ['ListIssues', { label: 'Performance (ENG)' }, '"identifier":"ENG-8"'],
  ['ListIssues', { assignee: 'Ada Okafor (ada.okafor@lodestar.example)' }, '"identifier":"ENG-'],
  ['ListIssues', { assignee: 'Ada Okafor <ada.okafor@lodestar.example>' }, '"identifier":"ENG-'],
  ['ListIssues', { assignee: 'Zoë Quist' }, '"issues":[]'],
  ['ListIssues', { assignee: 'Beacon' }, '"issues":[]'],
  ['ListCycles', { team: '`OPS`' }, '"number":3'],
  ['ListWorkflowStates', { team: 'Engineering (ENG)' }, 'In Review'],
  ['GetCycle', { cycle_id: 'https://linear.app/lodestar/team/ENG/cycle/4' }, '"number":4'],
  ['GetCycle', { cycle_id: 'https://linear.app/lodestar/team/OPS/cycle/active' }, '"number":3'],
]

test.for(share(understood))('%s %j is understood at once', async ([name, args, contains]) => {
  expect((await answer(name, args)).text).toContain(contains)
})

const create = { team: 'ENG', title: 'Logs rotate too late' }

/** A mistaken call, with the change that must be proposed. */
const corrected: readonly (readonly [name: string, args: Args, change: Args])[] = [
  ['CreateIssue', { ...create, assignee: 'Priya' }, { assignee: 'Priya Nair' }],
  ['CreateIssue', { ...create, assignee: 'Vance' }, { assignee: 'Robin Vance' }],
  ['CreateIssue', { ...create, assignee: 'Robbin' }, { assignee: 'Robin Vance' }],
  ['CreateIssue', { ...create, assignee: '@mikael.lindstrom' }, { assignee: 'Mikael Lindström' }],
  ['CreateIssue', { ...create, assignee: 'Nair, Priya' }, { assignee: 'Priya Nair' }],
  ['CreateIssue', { ...create, assignee: 'lindstrom' }, { assignee: 'Mikael Lindström' }],
  ['CreateIssue', { ...create, assignee: 'current user' }, { assignee: '@me' }],
  ['CreateIssue', { ...create, assignee: '@myself' }, { assignee: '@me' }],
  ['CreateIssue', { ...create, assignee: 'nobody' }, { assignee: 'none' }],
  ['CreateIssue', { ...create, assignee: 'unassigned' }, { assignee: 'none' }],
  ['CreateIssue', { ...create, labels_to_add: ['Bugs'] }, { labels_to_add: ['Type/Bug'] }],
  ['CreateIssue', { ...create, labels_to_add: ['#security'] }, { labels_to_add: ['Security'] }],
  ['CreateIssue', { ...create, labels_to_add: ['Bug', 'security label'] }, { labels_to_add: ['Bug', 'Security'] }],
  ['CreateIssue', { ...create, labels_to_add: ['Bug, Security'] }, { labels_to_add: ['Bug', 'Security'] }],
  ['CreateIssue', { ...create, labels_to_add: ['customer requests'] }, { labels_to_add: ['Customer request'] }],
  ['CreateIssue', { ...create, project: 'Project Apollo' }, { project: 'Apollo' }],
  ['CreateIssue', { ...create, project: 'the Billing rewrite project' }, { project: 'Billing rewrite' }],
  ['CreateIssue', { ...create, cycle: '#4' }, { cycle: 'Cycle 4' }],
  ['CreateIssue', { ...create, cycle: 'Sprint 4' }, { cycle: 'Cycle 4' }],
  ['CreateIssue', { ...create, cycle: 'next sprint' }, { cycle: 'Cycle 4' }],
  ['CreateIssue', { ...create, cycle: 'this cycle' }, { cycle: 'Polish' }],
  ['CreateIssue', { ...create, state: 'wip' }, { state: 'In Progress' }],
  ['CreateIssue', { ...create, state: 'review' }, { state: 'In Review' }],
  ['CreateIssue', { ...create, state: 'finished' }, { state: 'Done' }],
  ['CreateIssue', { ...create, state: 'not started' }, { state: 'Todo' }],
  ['CreateIssue', { ...create, state: "won't fix" }, { state: 'Canceled' }],
  ['CreateIssue', { ...create, state: 'In Develpment' }, { state: 'In Progress' }],
  [
    'CreateIssue',
    { fields: { project: { key: 'OPS' }, summary: 'x', priority: { name: 'Highest' }, duedate: '2027-01-31' } },
    { fields: null, team: 'OPS', title: 'x', priority: 'urgent', duedate: '2027-01-31' },
  ],
  ['CreateIssue', { ...create, team: 'Design team', assignee: 'none' }, { team: 'Design' }],
  ['TransitionIssueState', { issue_id: 'ENG-3', target_state: 'Doen' }, { target_state: 'Done' }],
  ['TransitionIssueState', { issue_id: 'ENG-3', target_state: 'resolved' }, { target_state: 'Done' }],
  ['ListIssues', { assignee: 'Grace' }, { assignee: 'Grace Kim' }],
  ['ListIssues', { project: 'Apollo project' }, { project: 'Apollo' }],
  ['ListIssues', { label: 'tag Security' }, { label: 'Security' }],
  ['ListProjects', { team: 'Team Design' }, { team: 'Design' }],
  ['GetProject', { value: 'Incident Tools', lookup_by: 'name' }, { value: 'Incident tooling' }],
  ['CreateProject', { name: 'x', team: 'ENG', lead: 'tomas' }, { lead: 'Tomás Herrera' }],
  ['UpdateProject', { project_id: 'Biling rewrite', state: 'paused' }, { project_id: 'Billing rewrite' }],
  ['ListIssues', { priority: 'P4' }, { priority: 'low' }],
  ['CreateIssue', { ...create, priority: 'priority: P4' }, { priority: 'low' }],
  ['ListIssues', { priority: 'normal' }, { priority: 'medium' }],
  ['ListIssues', { priority: 'highest' }, { priority: 'urgent' }],
  ['ListIssues', { priority: 'none' }, { priority: 'no_priority' }],
  ['ListProjects', { state: 'ongoing' }, { state: 'started' }],
  ['ListProjects', { state: 'on hold' }, { state: 'paused' }],
  ['ListWorkflowStates', { state_type: 'done' }, { state_type: 'completed' }],
  ['ListIssues', { query: 'export' }, { query: null, keywords: 'export' }],
  ['ListIssues', { team: 'ENG', state: 'not completed' }, { state: 'open' }],
  ['GetTeam', { key: 'ENG' }, { key: null, value: 'ENG', lookup_by: 'key' }],
  ['CreateIssueRelation', { issue: 'ENG-3', related_issue: 'ENG-4', relation_type: 'depends on' }, { relation_type: 'blockedBy' }],
  ['CreateIssueRelation', { issue: 'ENG-3', related_issue: 'ENG-4', relation_type: 'relates to' }, { relation_type: 'related' }],
  ['CreateProjectUpdate', { project_id: 'Apollo', body: 'x', health: 'green' }, { health: 'onTrack' }],
  ['ListCycles', { team: 'any' }, { team: null }],
  ['ListIssues', { team: 'null', assignee: 'all' }, { team: null, assignee: null }],
  ['CreateIssue', { ...create, priority: 'any' }, { priority: null }],
  ['CreateIssue', { ...create, labels_to_add: ['none'] }, { labels_to_add: null }],
  ['UpdateIssue', { issue_id: 'ENG-9', state: 'none', title: 'x' }, { state: null }],
  ['UpdateProject', { project_id: 'Apollo', name: 'x', start_date: 'none' }, { start_date: null }],
  ['UpdateProject', { project_id: 'Apollo', state: 'paused', lead: 'nobody' }, { lead: null }],
]

test.for(share(corrected))('%s %j is refused with the intended change', async ([name, args, change]) => {
  const writes = server.emulator.store.mutations().length
  const error = await server.fails(tool(name), args)
  expect(error.next).toEqual({ change })
  expect(server.emulator.store.mutations().length).toBe(writes)
})

/** A call that must not be corrected, with a reference that must be suggested. */
const uncertain: readonly (readonly [name: string, args: Args, suggested: readonly string[]])[] = [
  ['ListIssues', { assignee: 'Ada' }, ['Ada Okafor', 'Ada Okonkwo']],
  ['ListIssues', { assignee: '!Priya Nair' }, []],
  ['ListIssues', { assignee: 'everyone except Priya Nair' }, []],
  ['ListIssues', { assignee: 'none' }, []],
  ['ListIssues', { label: 'non-security' }, []],
  ['CreateIssue', { ...create, state: 'closed' }, ['Done', 'Canceled']],
  ['CreateIssue', { ...create, state: 'open' }, ['Todo', 'Backlog']],
  ['CreateIssue', { ...create, estimate: 4 }, ['3', '5']],
  ['CreateIssue', { ...create, priority: 'P1' }, ['urgent', 'high']],
  ['UpdateIssue', { issue_id: 'ENG-9', priority: 'Priority P-1' }, ['urgent', 'high']],
  ['LinkCodeHostToIssue', { issue: 'ENG-1', code_host_url: 'acme/app#7' }, ['https://github.com/acme/app/pull/7']],
  ['ListIssues', { priority: 'p2' }, ['high', 'medium']],
  ['UpdateIssue', { issue_id: 'ENG-9', estimate: 0 }, ['estimate', '1']],
  ['CreateIssue', { ...create, project: 'Design system' }, []],
  ['CreateIssue', { ...create, state: 'skipped' }, []],
  ['CreateIssue', { ...create, due_date: 'next Monday' }, []],
  ['CreateIssue', { ...create, labels_to_add: ['Research'] }, []],
  ['CreateIssue', { ...create, state: 'Triage' }, []],
  ['CreateIssue', { ...create, assignee: 'Leo Brandt' }, []],
  ['CreateIssue', { ...create, team: 'OPS', assignee: '@me' }, []],
  ['UpdateIssue', { issue_id: 'OPS-2', assignee: '@me' }, []],
  ['UpdateComment', { comment_id: '00000000-0000-4000-8000-000000000000', body: 'x' }, []],
  ['GetCycle', { cycle_id: 'Polish' }, ['Polish']],
  ['GetCycle', { cycle_id: '00000000-0000-4000-8000-000000000000' }, ['Polish (ENG)', 'Polish (OPS)']],
]

test.for(share(uncertain))('%s %j is refused without proposing a change', async ([name, args, suggested]) => {
  const writes = server.emulator.store.mutations().length
  const error = await server.fails(tool(name), args)
  expect(error.next?.change).toBeUndefined()
  expect(error.next?.tool ?? '').not.toMatch(/Create|Update|Archive|Add/)
  expect(error.suggestions?.map(({ value }) => value) ?? []).toEqual(expect.arrayContaining([...suggested]))
  expect(server.emulator.store.mutations().length).toBe(writes)
})

/** A call with an argument that only another tool accepts, or none, and text that the error must contain. */
const elsewhere: readonly (readonly [name: string, args: Args, text: string])[] = [
  ['TransitionIssueState', { issue_id: 'ENG-3', target_state: 'Done', note: 'Merged' }, 'use IssueTracker_AddComment'],
  ['UpdateIssue', { issue_id: 'ENG-3', title: 'New', blocks: 'ENG-4' }, 'use IssueTracker_CreateIssueRelation'],
  ['UpdateInitiative', { initiative_id: 'Reliability', description: 'More', mode: 'append' }, 'A text replaces the old one.'],
  ['UpdateIssue', { issue_id: 'ENG-3', tags: ['Bug'] }, 'ending in _to_add adds'],
  ['ListIssues', { team: 'ENG', changedSince: '2026-11-01' }, 'use IssueTracker_GetRecentActivity'],
  ['GetNotifications', { person: 'Priya Nair' }, 'always about the current user'],
  ['CreateIssue', { ...create, severity: 'high' }, 'no severity'],
  ['CreateIssueRelation', { issue: 'ENG-3', related_issue: 'ENG-4', relation_type: 'Sub-issue of' }, 'A parent is no relation'],
  ['ArchiveIssue', { issue: 'ENG-3', dry_run: true }, 'There is no dry run'],
  ['CreateProject', { name: 'x', teams: ['ENG', 'DES'] }, 'use IssueTracker_UpdateProject'],
  ['AddProjectToInitiative', { initiative: 'Reliability', projects: ['Apollo', 'Billing rewrite'] }, '"project" takes one value per call.'],
  ['CreateIssueRelation', { issue: 'ENG-3', related_issue: 'ENG-4', relation_type: 'child of' }, 'the triage toolset or a person'],
  ['ArchiveProject', { project_id: 'Apollo', permanently: true }, 'Only a person can delete it'],
  ['ArchiveInitiative', { name: 'Reliability', include_projects: true }, 'Its projects stay.'],
  ['ListTeams', { include_members: true }, 'use IssueTracker_GetTeam'],
  ['GetProjectDescription', { project: 'Apollo', page: 2 }, 'pass next_offset'],
  ['ListIssues', { query: 'assignee = currentUser() OR status != Done' }, 'keywords has no filter syntax'],
]

test.for(share(elsewhere))('%s %j is refused, and no proposed call drops the argument', async ([name, args, text]) => {
  const writes = server.emulator.store.mutations().length
  const { message, next } = await server.fails(tool(name), args)
  expect(message).toContain(text)
  expect(next?.change).toBeUndefined()
  expect(server.emulator.store.mutations().length).toBe(writes)
})

/** Calls that name several things where one is expected, with the names that exist. */
test.for([
  ['ListIssues', { team: 'DES; OPS' }, { team: 'DES' }, ['DES', 'OPS']],
  ['ListIssues', { assignee: 'Priya Nair and Robin Vance' }, { assignee: 'Priya Nair' }, ['Priya Nair', 'Robin Vance']],
  ['CreateIssue', { ...create, project: 'Apollo, Billing rewrite' }, undefined, ['Apollo', 'Billing rewrite']],
  ['ArchiveIssue', { issue: 'ENG-9, ENG-999 and ENG-10' }, undefined, ['ENG-9', 'ENG-10']],
  ['GetIssue', { issue_id: ['ENG-9', 'ENG-10'] }, undefined, ['ENG-9', 'ENG-10']],
] as const)('%s %j is refused, because only one is accepted', async ([name, args, change, found]) => {
  const { message, next, suggestions } = await server.fails(tool(name), args)
  expect(message).toMatch(/takes one|pass one per call/)
  expect(next).toEqual(change && { change })
  expect(suggestions?.map(({ value }) => value)).toEqual(expect.arrayContaining([...found]))
})

test('says that the name is a project where an issue is expected', async () => {
  const { message, next } = await server.fails(tool('ListComments'), { issue: 'billing rewrite' })
  expect(message).toContain('"billing rewrite" is a project, not an issue.')
  expect(next).toEqual({ tool: 'IssueTracker_GetProject', arguments: { value: 'billing rewrite', lookup_by: 'name' } })
})

test.for([
  ['ArchiveIssue', { issue: 'Apollo' }, 'ArchiveProject', { project: 'Apollo' }],
  ['ArchiveProject', { project: 'Reliability' }, 'ArchiveInitiative', { initiative: 'Reliability' }],
  ['GetInitiativeDescription', { initiative_id: 'Apollo' }, 'GetProjectDescription', { project_id: 'Apollo' }],
  ['UpdateInitiative', { initiative_id: 'Apollo', name: 'x' }, undefined, undefined],
  ['UpdateComment', { comment_id: 'ENG-1', body: 'x' }, 'ListComments', { issue: 'ENG-1' }],
] as const)('%s %j leads to the tool for that kind', async ([name, args, other, expected]) => {
  const { next } = await server.fails(tool(name), args)
  expect(next).toEqual(other && { tool: `IssueTracker_${other}`, arguments: expected })
})

test("proposes the team's own state for the id of another team's state", async () => {
  const { suggestions } = await server.fails(tool('TransitionIssueState'), { issue_id: 'DES-4', target_state: 'Doen' })
  const state = suggestions?.find(({ value }) => value === 'Done')?.id
  const { message, next } = await server.fails(tool('TransitionIssueState'), { issue_id: 'ENG-3', target_state: state })
  expect(message).toContain('team ENG has its own, "Done"')
  expect(next).toEqual({ change: { target_state: 'Done' } })
})

test.for([
  ['closed', ['Done', 'Canceled', 'Duplicate']],
  ['reopen', ['Backlog', 'Todo', 'In Progress', 'In Review']],
] as const)('%s names the same states in its message and its suggestions', async ([state, names]) => {
  const error = await server.fails(tool('TransitionIssueState'), { issue_id: 'ENG-7', target_state: state })
  expect(error.suggestions?.map(({ value }) => value)).toEqual(names)
  for (const name of names) expect(error.message).toContain(`"${name}"`)
})

test.for([
  ['state', 'not triage'],
  ['assignee', 'not me'],
  ['label', '!Bug'],
] as const)('%s %j is refused, because a name cannot exclude anything', async ([parameter, value]) => {
  const error = await server.fails(tool('ListIssues'), { team: 'ENG', [parameter]: value })
  expect(error.message).toContain('A name cannot exclude anything')
  expect(error.next?.change).toBeUndefined()
  if (parameter === 'assignee') expect(error.next).toBeUndefined()
})

test('says which team has what this one lacks', async () => {
  for (const [args, text] of [
    [{ labels_to_add: ['Research'] }, '"Research" is a label of team DES'],
    [{ state: 'Triage' }, '"Triage" is a state of team OPS'],
    [{ project: 'Design system' }, 'is not part of project "Design system"'],
    [{ assignee: 'Grace Kim' }, 'not a member of team ENG'],
  ] as const)
    expect((await server.fails(tool('CreateIssue'), { ...create, ...args })).message).toContain(text)
})

/** Calls that succeed, and the text that their notices must contain. They come last, because they write. */
const noticed: readonly (readonly [name: string, args: Args, text: string])[] = [
  [
    'CreateIssue',
    { ...create, team: 'Enginering', auto_accept_matches: true },
    '\\"Enginering\\" (team) was taken to mean \\"Engineering\\"',
  ],
  ['CreateIssue', { ...create, assignee: null }, 'pass \\"none\\"'],
  [
    'TransitionIssueState',
    { issue_id: 'ENG-7', target_state: 'In Progres', auto_accept_matches: true },
    'was taken to mean \\"In Progress\\"',
  ],
  ['UpdateIssue', { issue_id: 'ENG-1', labels_to_add: ['Bug', 'bug'] }, 'more than once'],
  ['UpdateIssue', { issue_id: 'ENG-1', labels_to_add: ['Bug'] }, 'already has the label \\"Type/Bug\\"'],
  ['UpdateIssue', { issue_id: 'ENG-1', labels_to_remove: ['Security'] }, 'does not have the label'],
  ['UpdateIssue', { issue_id: 'ENG-1', title: 'New', assignee: null }, 'assignee was null and counts as not given: nothing was cleared.'],
  ['UpdateIssue', { issue_id: 'ENG-17', title: 'Old' }, 'ENG-17 is archived'],
  ['AddComment', { issue: 'ENG-17', body: 'x' }, 'ENG-17 is archived'],
  ['ManageIssueSubscription', { issue: 'ENG-17', subscribe: true }, 'ENG-17 is archived'],
  ['TransitionIssueState', { issue_id: 'ENG-17', target_state: 'Done' }, 'ENG-17 is archived'],
  ['CreateIssue', { ...create, parent_issue: 'ENG-17' }, 'ENG-17 is archived'],
  ['CreateIssueRelation', { issue: 'ENG-9', related_issue: 'OPS-12', relation_type: 'related' }, 'OPS-12 is archived'],
  ['LinkCodeHostToIssue', { issue: 'ENG-17', code_host_url: 'github.com/acme/app/pull/3' }, 'ENG-17 is archived'],
  ['UpdateInitiative', { initiative_id: 'Early bets', name: 'Early bets' }, 'is archived'],
  ['AddProjectToInitiative', { initiative: 'Self-serve growth', project: 'Apollo' }, 'already'],
  ['UpdateProject', { project_id: 'Apollo', teams_to_add: ['Design'] }, 'is already in the project'],
  ['CreateProject', { name: 'Apollo', team: 'ENG' }, 'has the same name'],
  ['CreateIssue', { ...create, title: 'With cycle', cycle: 'active' }, 'was read as \\"Polish\\"'],
]

test.for(share(noticed))('%s %j says what the caller might otherwise miss', async ([name, args, text]) => {
  expect((await answer(name, args)).notices).toContain(text)
})

test('offers an unassigned issue only if the caller named nobody', async () => {
  const nextOf = async (args: Args) => (await server.fails(tool('CreateIssue'), { team: 'OPS', title: 'Rotate the keys', ...args })).next
  expect([await nextOf({}), (await nextOf({ assignee: '@me' }))?.change]).toEqual([{ change: { assignee: 'none' } }, undefined])
})

test('says that two issues block each other', async () => {
  const relate = { issue: 'ENG-20', related_issue: 'ENG-21' }
  await server.call(tool('CreateIssueRelation'), { ...relate, relation_type: 'blocks' })
  expect((await answer('CreateIssueRelation', { ...relate, relation_type: 'blockedBy' })).notices).toContain('block each other')
  expect((await answer('CreateIssueRelation', { ...relate, relation_type: 'blocks' })).notices).toContain('already')
})

test('unwraps a call written for the API into one that succeeds', async () => {
  const wrapped = { input: { title: 'x', teamId: await teamIdOf(server, 'ENG'), priority: 2 } }
  const { next } = await server.fails(tool('CreateIssue'), wrapped)
  const { input, ...args } = { ...wrapped, ...next?.change }
  expect(input).toBeNull()
  expect(await server.call(tool('CreateIssue'), args)).toMatchObject({ issue: { title: 'x', priority: 'high' } })
})
