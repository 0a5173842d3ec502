// Mistaken calls to issue-tracker with the argument names of other trackers: Linear's own server, GitHub and Jira.
import { idOf, slugIdFor } from '../../../packages/emulators/linear/src/ids.ts'
import { casesOf, type Arguments, type MistakenCall } from './cases.ts'

const argumentName = casesOf('argument name')

const apollo = idOf('Project Apollo')
const reliability = idOf('Initiative Reliability')
const plan = idOf('Comment plan')
const repro = idOf('Comment repro')

/** A call whose names mean others, and perhaps more: `meant` has the name that is meant by each. */
function renamed(tool: string, args: Arguments, meant: Readonly<Record<string, string>>, implied: Arguments = {}): MistakenCall {
  const moved = Object.entries(meant).flatMap(([from, to]) => [[from, undefined] as const, [to, args[from]] as const])
  return argumentName.means(tool, args, { ...Object.fromEntries(moved), ...implied })
}

/** Calls under other names. */
export const issueTrackerArguments: readonly MistakenCall[] = [
  renamed('ListIssues', { teamId: 'ENG', stateId: 'Todo' }, { teamId: 'team', stateId: 'state' }),
  renamed('ListIssues', { assigneeId: '@me', projectId: 'Apollo' }, { assigneeId: 'assignee', projectId: 'project' }),
  renamed('ListIssues', { searchTerm: 'export', pageSize: 5 }, { searchTerm: 'keywords', pageSize: 'limit' }),
  renamed('ListIssues', { filter: 'export' }, { filter: 'keywords' }),
  renamed('ListIssues', { team_name: 'Engineering', label_name: 'Bug' }, { team_name: 'team', label_name: 'label' }),
  renamed('ListIssues', { tag: 'Bug' }, { tag: 'label' }),
  renamed('ListIssues', { issue_status: 'Todo', team: 'ENG' }, { issue_status: 'state' }),
  renamed('ListIssues', { assigned_user: 'Priya Nair' }, { assigned_user: 'assignee' }),
  renamed('ListIssues', { per_page: 3, team: 'ENG' }, { per_page: 'limit' }),
  renamed('ListIssues', { project_name: 'Apollo' }, { project_name: 'project' }),
  renamed('ListIssues', { 'created-after': '2026-11-01' }, { 'created-after': 'created_after' }),
  renamed('CreateIssue', { teamId: 'ENG', title: 'Logs', assigneeId: 'Priya Nair' }, { teamId: 'team', assigneeId: 'assignee' }),
  renamed('CreateIssue', { team: 'ENG', title: 'Logs rotate too late', labelIds: ['Bug'] }, { labelIds: 'labels_to_add' }),
  renamed('CreateIssue', { team: 'ENG', title: 'Logs rotate too late', parentId: 'ENG-4' }, { parentId: 'parent_issue' }),
  renamed('CreateIssue', { team: 'ENG', title: 'Logs rotate too late', status: 'Backlog' }, { status: 'state' }),
  renamed('CreateIssue', { team: 'ENG', title: 'Logs rotate too late', storyPoints: 5 }, { storyPoints: 'estimate' }),
  renamed('CreateIssue', { team: 'ENG', title: 'Logs rotate too late', iteration: '4' }, { iteration: 'cycle' }),
  renamed(
    'CreateIssue',
    { team: 'ENG', title: 'Logs rotate too late', assignee_email: 'priya.nair@lodestar.example' },
    { assignee_email: 'assignee' },
  ),
  renamed('CreateIssue', { team: 'ENG', title: 'Logs rotate too late', desc: 'At noon.' }, { desc: 'description' }),
  renamed('CreateIssue', { team_key: 'ENG', summary: 'Logs rotate', description: 'x' }, { team_key: 'team', summary: 'title' }),
  renamed('CreateIssue', { team: 'ENG', title: 'Logs rotate too late', url: 'https://example.com/a' }, { url: 'attachment_url' }),
  renamed('UpdateIssue', { id: 'ENG-9', title: 'Cookie' }, { id: 'issue_id' }),
  renamed('UpdateIssue', { issueId: 'ENG-9', dueDate: '2027-01-10' }, { issueId: 'issue_id', dueDate: 'due_date' }),
  renamed('UpdateIssue', { identifier: 'ENG-9', status: 'Done' }, { identifier: 'issue_id', status: 'state' }),
  renamed('UpdateIssue', { issue_id: 'ENG-9', name: 'Cookie' }, { name: 'title' }),
  renamed('UpdateIssue', { issue_id: 'ENG-9', new_title: 'Cookie' }, { new_title: 'title' }),
  renamed('UpdateIssue', { issue_id: 'ENG-9', body: 'Only on http.' }, { body: 'description' }),
  renamed('UpdateIssue', { issue_id: 'ENG-10', assign_to: 'Priya Nair' }, { assign_to: 'assignee' }),
  renamed('UpdateIssue', { issue_id: 'ENG-1', removeLabels: ['Bug'] }, { removeLabels: 'labels_to_remove' }),
  renamed('UpdateIssue', { issue_id: 'ENG-1', labels_remove: ['Bug'] }, { labels_remove: 'labels_to_remove' }),
  renamed('UpdateIssue', { issue_id: 'ENG-2', labels_add: ['Security'] }, { labels_add: 'labels_to_add' }),
  renamed('UpdateIssue', { issue_id: 'ENG-2', addedLabelIds: ['Security'] }, { addedLabelIds: 'labels_to_add' }),
  renamed('UpdateIssue', { issue_id: 'ENG-1', removedLabelIds: ['Bug'] }, { removedLabelIds: 'labels_to_remove' }),
  renamed('GetIssue', { issueId: 'ENG-9' }, { issueId: 'issue_id' }),
  renamed('GetIssue', { issue_number: 'ENG-9' }, { issue_number: 'issue_id' }),
  renamed('GetIssue', { ticket: 'ENG-9' }, { ticket: 'issue_id' }),
  renamed('GetIssue', { issue_key: 'ENG-9', includeComments: false }, { issue_key: 'issue_id', includeComments: 'include_comments' }),
  renamed('AddComment', { issueId: 'ENG-3', body: 'On it.' }, { issueId: 'issue' }),
  renamed('AddComment', { issue_key: 'ENG-3', comment_text: 'On it.' }, { issue_key: 'issue', comment_text: 'body' }),
  renamed('AddComment', { identifier: 'ENG-3', markdown: 'On it.' }, { identifier: 'issue', markdown: 'body' }),
  renamed('UpdateComment', { commentId: plan, content: 'Moved.' }, { commentId: 'comment_id', content: 'body' }),
  renamed('ReplyToComment', { issue: 'ENG-1', parentId: repro, body: 'Agreed.' }, { parentId: 'parent_comment_id' }),
  renamed('ListComments', { issueId: 'ENG-1', first: 2 }, { issueId: 'issue', first: 'limit' }),
  renamed('TransitionIssueState', { issue_id: 'ENG-9', to: 'Done' }, { to: 'target_state' }),
  renamed('TransitionIssueState', { issue: 'ENG-9', workflow_state: 'Done' }, { issue: 'issue_id', workflow_state: 'target_state' }),
  renamed('TransitionIssueState', { issueId: 'ENG-9', stateName: 'Done' }, { issueId: 'issue_id', stateName: 'target_state' }),
  renamed(
    'CreateIssueRelation',
    { issueId: 'ENG-9', relatedIssueId: 'ENG-10', type: 'blocks' },
    { issueId: 'issue', relatedIssueId: 'related_issue', type: 'relation_type' },
  ),
  renamed(
    'CreateIssueRelation',
    { source_issue: 'ENG-9', target_issue: 'ENG-10', relation_type: 'blocks' },
    { source_issue: 'issue', target_issue: 'related_issue' },
  ),
  renamed('CreateIssueRelation', { from: 'ENG-9', to: 'ENG-10', relation_type: 'related' }, { from: 'issue', to: 'related_issue' }),
  renamed(
    'LinkCodeHostToIssue',
    { issue_id: 'ENG-3', pr_url: 'https://github.com/lodestar/web/pull/5' },
    { issue_id: 'issue', pr_url: 'code_host_url' },
  ),
  renamed(
    'LinkCodeHostToIssue',
    { issue: 'ENG-3', github_url: 'https://github.com/lodestar/web/pull/5', name: 'Fix' },
    { github_url: 'code_host_url', name: 'title' },
  ),
  renamed('GetTeam', { teamName: 'Engineering' }, { teamName: 'value' }, { lookup_by: 'name' }),
  renamed('GetTeam', { team_key: 'ENG' }, { team_key: 'value' }, { lookup_by: 'key' }),
  renamed('GetTeam', { query: 'ENG' }, { query: 'value' }, { lookup_by: 'key' }),
  renamed('GetProject', { query: 'Apollo' }, { query: 'value' }, { lookup_by: 'name' }),
  renamed('GetProject', { project: 'Apollo' }, { project: 'value' }, { lookup_by: 'name' }),
  renamed('GetProject', { project_id: apollo }, { project_id: 'value' }),
  renamed('GetProject', { slug: slugIdFor(apollo) }, { slug: 'value' }, { lookup_by: 'slug_id' }),
  renamed('GetInitiative', { initiative: 'Reliability' }, { initiative: 'value' }, { lookup_by: 'name' }),
  renamed('GetInitiative', { id: reliability }, { id: 'value' }),
  renamed('CreateProject', { project_name: 'Log search', teamId: 'ENG' }, { project_name: 'name', teamId: 'team' }),
  renamed('CreateProject', { name: 'Log search', team: 'ENG', summary: 'Find logs.' }, { summary: 'description' }),
  renamed(
    'CreateProject',
    { name: 'Log search', team: 'ENG', status: 'planned', deadline: '2027-03-01' },
    { status: 'state', deadline: 'target_date' },
  ),
  renamed('UpdateProject', { project_id: apollo, status: 'paused' }, { status: 'state' }),
  renamed('UpdateProject', { projectId: apollo, title: 'Apollo 2' }, { projectId: 'project_id', title: 'name' }),
  renamed('UpdateProject', { project_id: apollo, project_lead: 'Priya Nair' }, { project_lead: 'lead' }),
  renamed('UpdateProject', { project_id: apollo, add_teams: ['OPS'] }, { add_teams: 'teams_to_add' }),
  renamed('CreateProjectUpdate', { project_id: apollo, update: 'Good.', status: 'onTrack' }, { update: 'body', status: 'health' }),
  renamed('CreateInitiative', { title: 'Fewer alerts', targetDate: '2027-06-01' }, { title: 'name', targetDate: 'target_date' }),
  renamed('UpdateInitiative', { id: reliability, state: 'started' }, { id: 'initiative_id', state: 'status' }),
  renamed('ArchiveProject', { project_id: apollo }, { project_id: 'project' }),
  renamed('ArchiveIssue', { issue_id: 'ENG-9' }, { issue_id: 'issue' }),
  renamed('ListWorkflowStates', { team_id: 'ENG', type: 'started' }, { team_id: 'team', type: 'state_type' }),
  renamed('ListCycles', { teamId: 'ENG', activeOnly: true }, { teamId: 'team', activeOnly: 'active_only' }),
  renamed('ListInitiatives', { status: 'started' }, { status: 'state' }),
  renamed('ListProjects', { name: 'Apollo' }, { name: 'keywords' }),
  renamed('ListTeams', { name: 'Engineering' }, { name: 'keywords' }),
  renamed('ListTeams', { query: 'Design' }, { query: 'keywords' }),
  renamed('GetRecentActivity', { since_days: 7 }, { since_days: 'days' }),
  renamed('ManageIssueSubscription', { issue_id: 'OPS-2', subscribed: true }, { issue_id: 'issue', subscribed: 'subscribe' }),
  argumentName.means('GetIssue', { issue_url: 'https://linear.app/lodestar/issue/ENG-9' }, { issue_url: undefined, issue_id: 'ENG-9' }),
  argumentName.means('CreateIssue', { team: 'ENG', title: 'Logs', label: 'Bug' }, { label: undefined, labels_to_add: ['Bug'] }),
  argumentName.means('CreateProject', { name: 'Log search', teamIds: ['ENG'] }, { teamIds: undefined, team: 'ENG' }),
  // On that day, or after it: nothing says which.
  argumentName.mayMean('ListIssues', { createdAt: '2026-11-01' }, { createdAt: undefined, created_after: '2026-11-01' }),
  argumentName.mayMean('ListIssues', { after: '2026-11-01' }, { after: undefined, created_after: '2026-11-01' }),
  argumentName.mayMean('ListIssues', { page: 1 }, { page: undefined }),
  argumentName.impossible('ListIssues', { team: 'ENG', page: 2 }),
  argumentName.impossible('ListIssues', { team: 'ENG', sort: 'updated', direction: 'asc' }),
  argumentName.impossible('CreateIssueRelation', { issue: 'ENG-9', blocked_by: 'ENG-10' }),
  argumentName.impossible('CreateIssueRelation', { blocker: 'ENG-9', blocked: 'ENG-10', relation_type: 'blockedBy' }),
]
