import { member } from '@mcp-toolkits/core/base'
import { expect, test } from 'vitest'
import { workspace } from './workspace.ts'

type Args = Readonly<Record<string, unknown>>

/** Calls whose arguments can mean several things, with the suggestions. */
const unclear: readonly (readonly [tool: string, args: Args, ...suggested: string[]])[] = [
  ['UpdateProject', { project_id: 'apollo', project_name: 'apollo', state: 'paused' }, 'name'],
  ['UpdateProject', { project_id: 'apollo', teams: ['ENG', 'OPS'] }, 'teams_to_add'],
  ['UpdateInitiative', { initiative_id: 'x', initiative_name: 'Reliability', status: 'Active' }, 'name'],
  ['UpdateIssue', { issue_id: 'ENG-1', labels: ['Bug'] }, 'labels_to_add'],
  ['UpdateIssue', { issue_id: 'ENG-1', tags: [] }],
  ['CreateIssue', { team: 'ENG', title: 'Logs', attachment: 'readme.md' }, 'attachment_url'],
  ['CreateIssue', { team: 'ENG', title: 'Logs', attachment_url: 'readme.md' }, 'https://readme.md'],
  ['CreateProject', { name: 'New', teams: 'ENG, OPS' }, 'team'],
  ['ListIssues', { labels: 'Bug,Security' }, 'label'],
  ['ListIssues', { filter: 'unassigned' }, 'keywords'],
  ['ListIssues', { filter: { state: { neq: 'Done' } } }],
  ['ListIssues', { query: 'log', includeArchived: true }, 'keywords'],
  ['CreateIssue', { team: 'ENG', title: 'Logs', severity: 'high' }, 'labels_to_add'],
  ['ListCycles', { sprint: 'Cycle 4' }],
  ['CreateIssueRelation', { inwardIssue: 'ENG-3', outwardIssue: 'ENG-4', type: 'Blocks' }, 'issue', 'related_issue'],
]

test.for(unclear)('%s with %j proposes no change', async ([tool, args, ...suggested]) => {
  await using server = await workspace()
  const error = await server.fails(`IssueTracker.${tool}`, args)
  expect(error.code).toBe('invalid_input')
  expect(error.next?.change).toBeUndefined()
  expect(error.suggestions?.map(({ value }) => value) ?? []).toEqual(expect.arrayContaining(suggested))
})

test.for([
  ['UpdateProject', 'title', 'name'],
  ['UpdateIssue', 'summary', 'title'],
  ['UpdateIssue', 'name', 'title'],
  ['UpdateIssue', 'new_title', 'title'],
  ['UpdateIssue', 'body', 'description'],
] as const)('%s: %s means %s', async ([tool, written, meant]) => {
  await using server = await workspace()
  const target = tool === 'UpdateProject' ? { project_id: 'apollo' } : { issue_id: 'ENG-1' }
  const error = await server.fails(`IssueTracker.${tool}`, { ...target, [written]: 'New' })
  expect(error.next?.change).toEqual({ [written]: null, [meant]: 'New' })
})

test.for([
  ['ListIssues', { project_key: 'ENG' }, { project_key: null, team: 'ENG' }],
  ['ListCycles', { sprint: 'active' }, { sprint: null, active_only: true }],
  ['CreateIssue', { team: 'ENG', title: 'Logs', epic: 'ENG-1' }, { epic: null, parent_issue: 'ENG-1' }],
  ['ListIssues', { filter: '{"team":{"key":{"eq":"ENG"}},"priority":{"eq":1}}' }, { filter: null, team: 'ENG', priority: 'urgent' }],
  ['ListIssues', { query: 'log', includeArchived: false }, { query: null, includeArchived: null, keywords: 'log' }],
  ['CreateIssue', { team: 'ENG', title: 'Logs', notes: 'Long.' }, { notes: null, description: 'Long.' }],
  ['TransitionIssueState', { issue_id: 'ENG-1', transition: { name: 'In Review' } }, { transition: null, target_state: 'In Review' }],
] as const)('%s %j leads to the intended change', async ([tool, args, change]) => {
  await using server = await workspace()
  expect((await server.fails(`IssueTracker.${tool}`, args)).next?.change).toEqual(change)
})

test.for(['unsubscribe', 'mute', 'unwatch'])('%s: true means subscribe: false', async (name) => {
  await using server = await workspace()
  const error = await server.fails('IssueTracker.ManageIssueSubscription', { issue: 'ENG-1', [name]: true })
  expect(error.next?.change).toEqual({ [name]: null, subscribe: false })
})

test('reads a number in a filter as a priority', async () => {
  await using server = await workspace()
  const error = await server.fails('IssueTracker.ListIssues', { priority: '3' })
  expect(error.next?.change).toEqual({ priority: 'medium' })
})

test('reads an address with a path or "www." as a URL', async () => {
  await using server = await workspace()
  for (const written of ['example.com/a', 'www.example.com']) {
    const error = await server.fails('IssueTracker.CreateIssue', { team: 'ENG', title: 'Logs', attachment_url: written })
    expect(error.next?.change).toEqual({ attachment_url: `https://${written}` })
  }
})

test.for(['file_update', 'upload_file', 'attach_file'])('%s does not create a project', async (name) => {
  await using server = await workspace()
  await expect(server.result(`IssueTracker.${name}`, {})).rejects.not.toThrow(/CreateProject/)
})

test.for([
  ['file_bug', /Closest: IssueTracker.CreateIssue/],
  ['list_issues_with_label', /Closest: IssueTracker.ListIssues/],
] as const)('%s is understood', async ([name, expected]) => {
  await using server = await workspace()
  await expect(server.result(`IssueTracker.${name}`, {})).rejects.toThrow(expected)
})

/** Calls of tools that do not exist, each with the call in `next`; undefined if there is none. */
test.for([
  ['save_issue', { id: 'ENG-1', state: 'Done' }, { tool: 'UpdateIssue' }],
  ['save_issue', { title: 'Logs', team: 'ENG' }, { tool: 'CreateIssue' }],
  ['issue_write', { method: 'create', title: 'Logs', team: 'ENG' }, { tool: 'CreateIssue', arguments: { title: 'Logs', team: 'ENG' } }],
  ['projectUpdateCreate', { input: {} }, { tool: 'CreateProjectUpdate' }],
  ['searchJiraIssuesUsingJql', { jql: 'project = ENG' }, { tool: 'ListIssues' }],
  ['list_team_members', { team: 'ENG' }, { tool: 'GetTeam', arguments: { value: 'ENG' } }],
  ['complete_issue', { id: 'ENG-1' }, { tool: 'TransitionIssueState', arguments: { id: 'ENG-1', target_state: 'completed' } }],
  ['MarkIssueAsDone', { id: 'ENG-1' }, { tool: 'TransitionIssueState', arguments: { id: 'ENG-1', target_state: 'completed' } }],
  [
    'notion-update-page',
    { data: { page_id: 'ENG-1', properties: { state: 'Done' } } },
    { tool: 'UpdateIssue', arguments: { issue_id: 'ENG-1', state: 'Done' } },
  ],
  [
    'notion-create-comment',
    { parent: { page_id: 'ENG-1' }, rich_text: [{ text: { content: 'Hi' } }] },
    { tool: 'AddComment', arguments: { issue: 'ENG-1', body: 'Hi' } },
  ],
  [
    'asana_create_project_status',
    { project: 'A', text: 'Hi', color: 'red' },
    { tool: 'CreateProjectUpdate', arguments: { project: 'A', text: 'Hi', health: 'red' } },
  ],
  ['ListUsers', { team: 'ENG' }, { tool: 'GetTeam', arguments: { value: 'ENG' } }],
  ['cancel_issue', { id: 'ENG-1', state: 'Duplicate' }, { tool: 'TransitionIssueState', arguments: { id: 'ENG-1', state: 'Duplicate' } }],
  ['unassign_issue', { id: 'ENG-1' }, { tool: 'UpdateIssue', arguments: { issue_id: 'ENG-1', fields_to_clear: ['assignee'] } }],
  ['unassign_issue', { id: 'ENG-1', assignee: 'Ada' }, undefined],
  ['remove_label', { issue: 'ENG-1', label: 'Bug' }, { tool: 'UpdateIssue', arguments: { issue_id: 'ENG-1', labels_to_remove: 'Bug' } }],
  ['remove_label', { id: 'Bug' }, undefined],
  ['delete_issue', { id: 'ENG-1' }, undefined],
  ['archive_label', { label: 'Bug' }, undefined],
  ['save_status', { name: 'Blocked' }, undefined],
  ['save_comment', { body: 'Hi' }, undefined],
] as const)('the unknown tool %s %j means %j', async ([name, args, meant]) => {
  await using server = await workspace()
  const next = meant && { ...meant, tool: `IssueTracker_${meant.tool}` }
  const error: unknown = await server.result(`IssueTracker.${name}`, args).catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: -32602 })
  expect(member(member(error, 'data'), 'next')).toEqual(next)
})

test.for([
  ['delete_project', 'No tool deletes a project. A person can, in Linear. To archive it instead, use IssueTracker_ArchiveProject.'],
  ['create_milestone', 'UpsertMilestone does this. It is in the toolset planning'],
  ['restore_issue', 'UnarchiveIssue does this. It is in the toolset triage'],
  ['addWorklogToJiraIssue', 'No tool logs time'],
  ['list_pull_requests', 'but no code'],
] as const)('the unknown tool %s is refused with an explanation', async ([name, said]) => {
  await using server = await workspace()
  await expect(server.result(`IssueTracker.${name}`, {})).rejects.toThrow(said)
})

test('a tool in an enabled toolset is proposed under its other names', async () => {
  await using server = await workspace({ toolsets: ['all'] })
  await expect(server.result('IssueTracker.create_milestone', { project: 'Apollo', name: 'Beta' })).rejects.toMatchObject({
    data: { next: { tool: 'IssueTracker_UpsertMilestone' } },
  })
})

test('a link that is not from a code host keeps its title as an attachment', async () => {
  await using server = await workspace()
  const attachment_url = 'https://a.example/icons'
  const error = await server.fails('IssueTracker.LinkCodeHostToIssue', { issue: 'ENG-1', code_host_url: attachment_url, title: 'Icons' })
  expect(error.next).toMatchObject({ arguments: { issue_id: 'ENG-1', attachment_url, attachment_title: 'Icons' } })
})

test.for([
  ['asana_update_task', { task_gid: 'ENG-1' }, { tool: 'IssueTracker_UpdateIssue' }],
  ['asana_create_task_story', { task_gid: 'ENG-1', text: 'Agreed' }, { tool: 'IssueTracker_AddComment' }],
  [
    'asana_set_task_dependencies',
    { task_id: 'ENG-1', dependencies: ['ENG-2'] },
    { tool: 'IssueTracker_CreateIssueRelation', arguments: { issue: 'ENG-1', related_issue: 'ENG-2', relation_type: 'blockedBy' } },
  ],
  [
    'notion-update-page',
    { page_id: 'ENG-1', command: 'update_properties', properties: { Status: 'Done' } },
    { tool: 'IssueTracker_UpdateIssue', arguments: { issue_id: 'ENG-1', Status: 'Done' } },
  ],
] as const)('%s %j from another product leads to %j', async ([name, args, next]) => {
  await using server = await workspace()
  await expect(server.result(name, args)).rejects.toMatchObject({ data: { next } })
})
