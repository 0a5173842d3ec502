import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Args, forExamples } from './calls.ts'
import { workspace, type Workspace } from './workspace.ts'

let server: Workspace
beforeAll(async () => {
  server = await workspace(forExamples)
})
afterAll(async () => server[Symbol.asyncDispose]())

const cycle = 'eb535a39-8874-466d-ad0d-3e44551fcb39'
const mine = { assignee: { isMe: { eq: true } } }
const commit = '9fceb02d0ae598e95dc970b74767f19372d61af8'
const comment = 'c053d589-3a50-4e0c-a75f-fed2700e6355'
const closed = { issue_id: 'ENG-23', state: 'closed' }

/** A mistaken call, with the change that completes or restates it. */
const completed: readonly (readonly [name: string, args: Args, change: Args])[] = [
  // The team of a new issue follows from its project, parent, label, state or cycle.
  ['CreateIssue', { title: 'a', parent: 'OPS-3' }, { parent: null, parent_issue: 'OPS-3', team: 'OPS' }],
  ['CreateIssue', { title: 'a', labels: ['Maps', 'Bug'] }, { labels: null, labels_to_add: ['Maps', 'Bug'], team: 'ENG' }],
  ['CreateIssue', { title: 'a', state: 'Triage' }, { team: 'OPS' }],
  ['CreateIssue', { title: 'a', cycleId: cycle }, { cycleId: null, cycle, team: 'ENG' }],
  ['CreateIssue', { title: 'a', project: 'Website and brand for Trails', labels_to_add: ['Research'] }, { team: 'DES' }],
  // Jira's project is a team.
  ['CreateIssue', { project: 'OPS', summary: 'a' }, { project: null, summary: null, title: 'a', team: 'OPS' }],
  ['CreateIssue', { project: 'engineering', title: 'a' }, { project: null, team: 'ENG' }],
  ['CreateIssue', { fields: { project: { key: 'DES' }, summary: 'a' } }, { fields: null, title: 'a', team: 'DES' }],
  // A null in a wrapper is written on purpose.
  [
    'UpdateIssue',
    { id: 'ENG-4', input: { assigneeId: null } },
    { id: null, input: null, issue_id: 'ENG-4', assigneeId: null, fields_to_clear: ['assignee'] },
  ],
  // A summary is a title in every tool for issues.
  ['UpdateIssue', { issue_id: 'ENG-4', fields: { summary: 'a' } }, { fields: null, title: 'a' }],
  [
    'UpdateIssue',
    { issue_id: 'ENG-4', summary: 'a', issuetype: { name: 'Bug' } },
    { summary: null, title: 'a', issuetype: null, labels_to_add: ['Bug'] },
  ],
  [
    'UpdateIssue',
    { issue_id: 'ENG-4', add_labels: 'Maps', removeLabel: 'Bug' },
    { add_labels: null, labels_to_add: ['Maps'], removeLabel: null, labels_to_remove: ['Bug'] },
  ],
  ['UpdateIssue', { issue_id: 'DES-10', labels: ['brand', 'Security'] }, { labels: null, labels_to_add: ['brand', 'Security'] }],
  ['UpdateIssue', { ...closed, state_reason: 'not_planned' }, { state: 'canceled', state_reason: null }],
  ['UpdateIssue', { issue_id: 'ENG-23', resolution: { name: "Won't Do" } }, { state: 'canceled', resolution: null }],
  ['TransitionIssueState', { ...closed, state_reason: 'completed' }, { state: null, state_reason: null, target_state: 'completed' }],
  ['ReplyToComment', { parent_comment_id: comment, text: 'a' }, { text: null, body: 'a', issue: 'ENG-9' }],
  ['ArchiveProject', { id: 'Trails launch', force: true }, { id: null, project: 'Trails launch', force: null }],
  // Conditions in the form of Linear's API.
  [
    'ListIssues',
    { filter: { ...mine, state: { type: { eq: 'started' } } }, first: 5 },
    { filter: null, assignee: '@me', state: 'started', first: null, limit: 5 },
  ],
  ['ListIssues', { filter: '{"state":{"type":{"nin":["completed","canceled"]}}}' }, { filter: null, state: 'open' }],
  ['ListIssues', { where: { and: [mine, { labels: { some: { name: { eq: 'Bug' } } } }] } }, { where: null, assignee: '@me', label: 'Bug' }],
  [
    'ListIssues',
    { createdAt: { gte: '2026-11-01' }, priority: { in: [1] } },
    { createdAt: null, created_after: '2026-11-01', priority: 'urgent' },
  ],
  ['ListIssues', { filter: { title: { containsIgnoreCase: 'sync' } } }, { filter: null, keywords: 'sync' }],
  ['ListCycles', { filter: { isActive: { eq: true }, team: { key: { eq: 'ENG' } } } }, { filter: null, active_only: true, team: 'ENG' }],
  // The parts of a URL.
  [
    'LinkCodeHostToIssue',
    { issue: 'ENG-4', repo: 'acme/web', pr_number: '5' },
    { repo: null, pr_number: null, code_host_url: 'https://github.com/acme/web/pull/5' },
  ],
  [
    'LinkCodeHostToIssue',
    { issue: 'ENG-4', repo: 'acme/web', issue_number: 5 },
    { repo: null, issue_number: null, code_host_url: 'https://github.com/acme/web/issues/5' },
  ],
  ['ListIssues', { createdAt: { gt: '-P1M' } }, { createdAt: null, created_after: expect.any(String) }],
  [
    'LinkCodeHostToIssue',
    { issue: 'ENG-4', owner: 'acme', repo: 'web', sha: commit },
    { owner: null, repo: null, sha: null, code_host_url: `https://github.com/acme/web/commit/${commit}` },
  ],
  [
    'LinkCodeHostToIssue',
    { issue: 'ENG-4', repository: 'https://gitlab.com/acme/web', mr_iid: 5 },
    { repository: null, mr_iid: null, code_host_url: 'https://gitlab.com/acme/web/-/merge_requests/5' },
  ],
]

test.for(completed)('%s %j is refused with the intended change', async ([name, args, change]) => {
  const writes = server.emulator.store.mutations().length
  expect((await server.fails(`IssueTracker.${name}`, args)).next).toEqual({ change })
  expect(server.emulator.store.mutations().length).toBe(writes)
})

test('reports an argument for another tool, along with the rest of the call', async () => {
  const { message, next } = await server.fails('IssueTracker.UpdateProject', { id: 'Trails launch', status: 'paused', health: 'atRisk' })
  expect(message).toContain(
    'To post one, use IssueTracker_CreateProjectUpdate. The rest of the call, corrected: {"project_id":"Trails launch"',
  )
  expect(next).toBeUndefined()
})

const teams = 'The team can be DES (Design), OPS (Operations) or ENG (Engineering).'

/** A call with several meanings, or none, with text that the error contains, and suggestions. */
test.for<readonly [name: string, args: Args, text: string, suggested: readonly string[]]>([
  ['CreateIssue', { title: 'a' }, teams, ['DES', 'OPS', 'ENG']],
  ['CreateIssue', { title: 'a', project: 'Zeppelin' }, teams, ['DES', 'OPS', 'ENG']],
  [
    'CreateIssue',
    { title: 'a', project: 'Website and brand for Trails' },
    'The team can be DES (Design) or ENG (Engineering).',
    ['DES', 'ENG'],
  ],
  ['CreateIssue', { title: 'a', cycle: 'Launch polish' }, 'The team can be OPS (Operations) or ENG (Engineering).', ['OPS', 'ENG']],
  ['CreateProject', { name: 'a' }, teams, ['DES', 'OPS', 'ENG']],
  ['UpdateIssue', { issue_id: 'DES-10', labels: ['Security'] }, 'also labels_to_remove: ["Brand"]', ['labels_to_add', 'Security', 'Brand']],
  ['UpdateIssue', { issue_id: 'DES-10', labels: [] }, 'To remove them, pass labels_to_remove: ["Brand"].', ['labels_to_add', 'Brand']],
  ['UpdateIssue', { issue_id: 'DES-10', title: 'a', summary: 'b' }, 'Unknown argument "summary".', ['description']],
  ['UpdateProject', { project_id: 'Trails launch', summary: 'b' }, 'Unknown argument "summary".', ['description']],
  ['UpdateIssue', { issue_id: 'DES-10', exclude_labels: ['Brand'] }, 'Unknown argument "exclude_labels".', []],
  ['TransitionIssueState', { issue_id: 'ENG-23', state: 'open', state_reason: 'not_planned' }, 'Unknown arguments', ['target_state']],
  ['ListIssues', { filter: { priority: { lte: 2 }, team: { key: { eq: 'ENG' } } } }, '{"priority":[1,2],"team":"ENG"}', ['urgent', 'high']],
  ['ListIssues', { filter: { or: [{ priority: { eq: 1 } }, { priority: { eq: 2 } }] } }, 'pass one per call', ['urgent', 'high']],
  ['ListIssues', { filter: { or: [mine, { priority: { eq: 2 } }] } }, 'No argument means {"or":', []],
  [
    'ListIssues',
    { filter: { assignee: { email: { neq: 'a@b.example' } }, priority: { eq: 1 } } },
    'No argument means assignee.email {"neq":"a@b.example"}.',
    ['urgent'],
  ],
  ['ListIssues', { filter: { createdAt: { lt: '2026-11-01' } } }, 'There is no filter for that; the triage toolset has one.', []],
  ['ListIssues', { filter: { assignee: { null: true } } }, 'There is no filter for that; the triage toolset has one.', []],
  ['ListIssues', { filter: { labels: { every: { name: { eq: 'Bug' } } } } }, 'No argument means labels.every.name', []],
  ['LinkCodeHostToIssue', { issue: 'ENG-4', owner: 'acme', repo: 'web' }, '"code_host_url" is required.', []],
  ['LinkCodeHostToIssue', { issue: 'ENG-4', repo: 'web', pull_number: 5 }, '"code_host_url" is required.', []],
])('%s %j is refused without proposing a change', async ([name, args, text, suggested]) => {
  const { message, next, suggestions = [] } = await server.fails(`IssueTracker.${name}`, args)
  expect(message).toContain(text)
  expect(next).toBeUndefined()
  expect(suggestions.map(({ value }) => value)).toEqual(suggested)
})

test.for([
  ['UpdateComment', { issue: 'ENG-9', body: 'a' }],
  ['ReplyToComment', { issueKey: 'ENG-9', comment: 'I agree.' }],
] as const)('%s %j leads to the comments on the issue', async ([name, args]) => {
  const { next } = await server.fails(`IssueTracker.${name}`, args)
  expect(next).toEqual({ tool: 'IssueTracker_ListComments', arguments: { issue: 'ENG-9' } })
})

test('SearchIssues accepts conditions too', async () => {
  await using triage = await workspace({ ...forExamples, toolsets: ['triage'] })
  const filter = { dueDate: { lt: '2026-12-06' }, priority: { lte: 2 }, state: { type: { in: ['started', 'completed'] } } }
  const change = { filter: null, due_before: '2026-12-06', priorities: ['urgent', 'high'], states: ['started', 'completed'] }
  const { next } = await triage.fails('IssueTracker.SearchIssues', { filter })
  expect(next).toEqual({ change })
})

test.for([
  [
    { number: 29, team: { key: { eq: 'ENG' } } },
    { tool: 'IssueTracker_GetIssue', arguments: { issue_id: 'ENG-29' } },
  ],
  [
    { cycle: { isActive: { eq: true } }, team: { key: { eq: 'ENG' } } },
    { tool: 'IssueTracker_GetCycle', arguments: { cycle_id: 'current (ENG)' } },
  ],
  [{ cycle: { isActive: { eq: true } }, ...mine }, undefined],
] as const)('a list with the filter %j leads to another tool, unless a condition would be lost', async ([filter, expected]) => {
  expect((await server.fails('IssueTracker.ListIssues', { filter })).next).toEqual(expected)
})

test('finding the team of a new issue takes one request', async () => {
  const before = server.requests()
  await server.fails('IssueTracker.CreateIssue', { title: 'a', project: 'Trails launch', labels: ['On-call'] })
  expect(server.requests()).toBe(before + 1)
})
