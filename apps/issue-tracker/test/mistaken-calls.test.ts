import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Args } from './calls.ts'
import { workspace, type Workspace } from './workspace.ts'

let server: Workspace
beforeAll(async () => {
  server = await workspace()
})
afterAll(async () => server[Symbol.asyncDispose]())

const jql = 'project = ENG AND status != Done AND text ~ "log in" ORDER BY created'
const issue = { team: 'ENG', title: 'Logs rotate too late' }
const paragraph = { type: 'paragraph', content: [{ type: 'text', text: 'a' }] }
const comment = '00000000-0000-4000-8000-000000000000'

/** A mistaken call, with the change that must be proposed. */
const corrected: readonly (readonly [name: string, args: Args, change: Args])[] = [
  ['UpdateInitiative', { value: 'Reliability', lookup_by: 'name' }, { value: null, initiative_id: 'Reliability', lookup_by: null }],
  ['GetRecentActivity', { since: '-P7D' }, { since: null, days: 7 }],
  ['GetRecentActivity', { since: '2 weeks' }, { since: null, days: 14 }],
  ['CreateProjectUpdate', { type: 'project', project: 'Apollo', body: 'x' }, { type: null, project: null, project_id: 'Apollo' }],
  ['ListIssues', { jql }, { jql: null, team: 'ENG', state: 'open', keywords: 'log in' }],
  ['ListIssues', { keywords: 'is:open assignee:@me battery' }, { keywords: 'battery', state: 'open', assignee: '@me' }],
  ['ListWorkflowStates', { issue_id: 'OPS-2' }, { issue_id: null, team: 'OPS' }],
  ['CreateIssue', { title: 'x', parent: 'OPS2' }, { parent: null, parent_issue: 'OPS-2', team: 'OPS' }],
  ['CreateIssue', { ...issue, estimate: 0, due_date: '' }, { estimate: null }],
  ['TransitionIssueState', { issue_id: 'ENG-3', target_state: 'En cours' }, { target_state: 'In Progress' }],
  ['AddProjectToInitiative', { initiative: 'Apollo', project: 'Reliability' }, { initiative: 'Reliability', project: 'Apollo' }],
  [
    'ReplyToComment',
    { issue: 'ENG-1', comment_id: comment, text: 'x' },
    { comment_id: null, parent_comment_id: comment, text: null, body: 'x' },
  ],
  ['UpdateInitiative', { name: 'Reliability', status: 'active' }, { initiative_id: 'Reliability', name: null, status: 'started' }],
  ['CreateIssue', { ...issue, type: 'Bug', severity: 'S1' }, { type: null, severity: null, labels_to_add: ['Bug', 'S1'] }],
  ['CreateIssue', { ...issue, epic: 'Apollo', points: '3 points' }, { epic: null, project: 'Apollo', points: null, estimate: 3 }],
  [
    'UpdateIssue',
    { issue_id: 'ENG-1', labels: { add: ['Bug'], remove: ['S1'] } },
    { labels: null, labels_to_add: ['Bug'], labels_to_remove: ['S1'] },
  ],
  [
    'UpdateIssue',
    { issue_id: 'ENG-1', assignee: null, due_date: '' },
    { assignee: null, due_date: null, fields_to_clear: ['due_date', 'assignee'] },
  ],
  [
    'CreateIssueRelation',
    { issue: 'ENG-3', duplicate_of: 'ENG-4' },
    { duplicate_of: null, related_issue: 'ENG-4', relation_type: 'duplicate' },
  ],
  [
    'ListWorkflowStates',
    { project: 'DES', category: 'in progress' },
    { project: null, team: 'DES', category: null, state_type: 'started' },
  ],
  [
    'ListIssues',
    { created_after: '2026-11-01T00:00:00Z', sort: 'priority', page: 1 },
    { created_after: '2026-11-01', sort: null, page: null },
  ],
  [
    'GetNotifications',
    { filter: { read: false }, first: 5, after: '' },
    { filter: null, first: null, limit: 5, after: null, unread_only: true },
  ],
  ['GetTeam', { team: 'ENG', include_members: true }, { team: null, value: 'ENG', include_members: null }],
  ['AddComment', { issue: 'ENG-1', body: '', message: 'x' }, { message: null, body: 'x' }],
  ['AddComment', { issue: 'ENG-1', body: { type: 'doc', content: [paragraph, paragraph] } }, { body: 'a\n\na' }],
  ['LinkCodeHostToIssue', { issue: 'ENG-1', code_host_url: 'github.com/acme/app/pull/3', status: 'merged' }, { status: null }],
  [
    'LinkCodeHostToIssue',
    { issue: 'ENG-1', pull_request: { url: 'https://github.com/acme/app/pull/3', title: 'Rotate logs' } },
    { pull_request: null, code_host_url: 'https://github.com/acme/app/pull/3', title: 'Rotate logs' },
  ],
  [
    'GetIssue',
    { storyPublicId: 'ENG-1', include_subtasks: false },
    { storyPublicId: null, issue_id: 'ENG-1', include_subtasks: null, include_children: false },
  ],
  ['UpdateIssue', { issueId: 'ENG-1', patch: { title: 'New' } }, { patch: null, title: 'New' }],
  ['CreateIssue', { title: 'T', parent: { key: 'ENG-1' } }, { parent: null, parent_issue: 'ENG-1', team: 'ENG' }],
  ['ArchiveIssue', { cardId: 'ENG-1' }, { cardId: null, issue: 'ENG-1' }],
  ['ListIssues', { boardId: 'OPS', completed: false }, { boardId: null, team: 'OPS', completed: null, state: 'open' }],
  ['UpdateIssue', { issue_id: 'ENG-1', completed: true }, { completed: null, state: 'completed' }],
  ['UpdateIssue', { issue_id: 'ENG-1', custom_fields: { estimate: 3 } }, { custom_fields: null, estimate: 3 }],
  ['CreateIssue', { title: 'Logs', list_id: 'OPS', due_date: '1796342400000' }, { list_id: null, team: 'OPS', due_date: '2026-12-04' }],
  ['CreateIssue', { title: 'Logs', board: 'Engineering', list_id: 'Todo' }, { board: null, team: 'ENG', list_id: null, state: 'Todo' }],
  [
    'CreateIssueRelation',
    { inwardIssue: { key: 'ENG-1' }, outwardIssue: { key: 'ENG-3' }, type: { name: 'Relates' } },
    { inwardIssue: null, issue: 'ENG-1', outwardIssue: null, related_issue: 'ENG-3', type: null, relation_type: 'related' },
  ],
]

test.for(corrected)('%s %j is refused with the intended change', async ([name, args, change]) => {
  const writes = server.emulator.store.mutations().length
  expect((await server.fails(`IssueTracker.${name}`, args)).next).toEqual({ change })
  expect(server.emulator.store.mutations().length).toBe(writes)
})

/** A mistaken call for which no change is proposed, and text that the error must contain. */
test.for([
  ['ArchiveIssue', { ids: ['ENG-3', 'ENG-4'] }, '"issue" takes one value per call.', ['ENG-3', 'ENG-4']],
  ['UpdateInitiative', { id: 'Reliability', state: 'on hold' }, 'An initiative cannot be paused.', ['initiative_id']],
  ['CreateIssue', { ...issue, milestone: 'Launch' }, 'A new issue has no milestone', undefined],
  ['UpdateComment', { comment_id: comment, body: '' }, 'its author can delete it in Linear', undefined],
  ['UpdateIssue', { id: 'ENG-1', due_date: '+3d' }, 'counted from today', ['issue_id', expect.any(String)]],
  ['ArchiveIssue', { issue_id: 'ENG-1', restore: true }, 'the triage toolset or a person in Linear restores an issue', undefined],
  [
    'TransitionIssueState',
    { id: 'ENG-1', status: 'Done', comment: 'x' },
    '{"issue_id":"ENG-1","target_state":"Done"}',
    ['issue_id', 'target_state'],
  ],
  ['ListIssues', { jql: jql.replace('!=', '<') }, 'keywords has no filter syntax', undefined],
  [
    'ManageIssueSubscription',
    { issue: 'ENG-1', accountId: 'Priya Nair', subscribe: true },
    'only the current user can be subscribed',
    undefined,
  ],
  ['UpdateIssue', { issue_id: 'ENG-1', assignees: { add: ['Priya Nair'] } }, 'Unknown argument "assignees"', ['assignee']],
  ['UpdateIssue', { issue_id: 'ENG-1', completed: false }, 'Unknown argument "completed"', undefined],
  ['ArchiveIssue', { issues: ['ENG-3', 'ENG-4'] }, 'Make these calls: {"issue":"ENG-3"}, then {"issue":"ENG-4"}.', ['ENG-3', 'ENG-4']],
  [
    'CreateIssueRelation',
    { inwardIssue: 'ENG-1', outwardIssue: 'ENG-3', relation_type: 'blocks' },
    'do not say which issue comes first. Pass {"issue":"ENG-1","related_issue":"ENG-3","relation_type":"blocks"} or',
    ['issue', 'related_issue'],
  ],
] as const)('%s %j is refused without proposing a change', async ([name, args, text, suggested]) => {
  const { message, next, suggestions } = await server.fails(`IssueTracker.${name}`, args)
  expect(message).toContain(text)
  expect(next).toBeUndefined()
  expect(suggestions?.map(({ value }) => value)).toEqual(suggested)
})

const late = { project: 'Apollo', health: 'atRisk', summary: 'Late' }
/** A call meant for another tool, with that tool and its arguments. */
test.for([
  ['UpdateProject', late, 'CreateProjectUpdate', { project_id: 'Apollo', health: 'atRisk', body: 'Late' }],
  ['ListProjects', { initiative: 'Reliability', state: 'started' }, 'GetInitiative', { value: 'Reliability' }],
  ['AddComment', { issueId: 'ENG-1', content: 'x', notify: ['Priya Nair'] }, 'AddComment', { issue: 'ENG-1', body: 'x @Priya Nair' }],
  ['UpdateIssue', { issue_id: 'ENG-1', comment: 'x' }, 'AddComment', { issue: 'ENG-1', body: 'x' }],
  ['UpdateComment', { issue: 'ENG-1', comment_id: '0', new_body: 'x' }, 'ListComments', { issue: 'ENG-1' }],
  ['GetIssue', { issue_id: 'the one about moon phases' }, 'ListIssues', { keywords: 'moon phases' }],
] as const)('%s %j leads to %s', async ([name, args, other, expected]) => {
  const { next, suggestions } = await server.fails(`IssueTracker.${name}`, args)
  expect(next).toEqual({ tool: `IssueTracker_${other}`, arguments: expected })
  expect(suggestions).toBeUndefined()
})
