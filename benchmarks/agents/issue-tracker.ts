// Mistaken calls to issue-tracker, over the workspace that the emulator of Linear is seeded with.
import { idOf } from '../../packages/linear-emulator/src/ids.ts'
import { casesOf, type MistakenCall } from './cases.ts'

const direction = casesOf('direction')
const enumeration = casesOf('enumeration')
const date = casesOf('date')
const argumentName = casesOf('argument name')
const reference = casesOf('reference')
const form = casesOf('form')
const toolName = casesOf('tool name')
const family = casesOf('family of tools')

const title = { team: 'ENG', title: 'Logs rotate too late' }

export const issueTrackerCases: readonly MistakenCall[] = [
  direction.impossible('ManageIssueSubscription', { issue: 'ENG-9', unsubscribe: true }),
  direction.mayMean('ManageIssueSubscription', { issue: 'ENG-9', unsubscribed: true }, { unsubscribed: undefined, subscribe: false }),
  direction.impossible('ManageIssueSubscription', { issue: 'OPS-2', no_subscribe: true }),
  direction.means('ListWorkflowStates', { state_type: 'not started' }, { state_type: 'unstarted' }),
  direction.means('ListWorkflowStates', { state_type: 'Unstarted' }, { state_type: 'unstarted' }),
  direction.unclear('TransitionIssueState', { issue_id: 'ENG-8', target_state: 'unstarted' }),
  direction.impossible('TransitionIssueState', { issue_id: 'ENG-8', target_state: 'Not Done' }),
  direction.impossible('TransitionIssueState', { issue_id: 'ENG-8', target_state: 'un-canceled' }),
  direction.impossible('ListIssues', { updated_after: '2026-11-01' }),
  direction.impossible('ListIssues', { created_before: '2026-11-01' }),
  direction.impossible('ListIssues', { team: 'ENG', exclude_label: 'Bug' }),
  direction.impossible('ListIssues', { team: 'ENG', label_not: 'Bug' }),
  direction.impossible('ListIssues', { team: 'ENG', not_assignee: '@me' }),
  direction.impossible('ListIssues', { team: 'OPS', exclude_state: 'Done' }),
  direction.impossible('ListIssues', { team: 'OPS', without_project: 'Apollo' }),
  direction.impossible('ListTeams', { exclude_archived: false }),
  direction.impossible('GetNotifications', { read_only: true }),
  direction.impossible('ListCycles', { team: 'ENG', exclude_completed: false }),
  direction.means(
    'CreateIssueRelation',
    { issue: 'ENG-9', related_issue: 'ENG-10', relation_type: 'blocked_by' },
    { relation_type: 'blockedBy' },
  ),
  direction.means(
    'CreateIssueRelation',
    { issue: 'ENG-9', related_issue: 'ENG-10', relation_type: 'is blocked by' },
    { relation_type: 'blockedBy' },
  ),
  direction.means(
    'CreateIssueRelation',
    { issue: 'ENG-9', related_issue: 'ENG-10', relation_type: 'depends on' },
    { relation_type: 'blockedBy' },
  ),
  direction.impossible('CreateIssueRelation', { issue: 'ENG-9', related_issue: 'ENG-10', relation_type: 'unblocks' }),
  direction.impossible('CreateIssueRelation', { issue: 'ENG-9', related_issue: 'ENG-10', relation_type: 'not blocks' }),
  direction.impossible('CreateIssueRelation', { issue: 'ENG-9', related_issue: 'ENG-10', relation_type: 'unrelated' }),
  direction.impossible('UpdateIssue', { issue_id: 'OPS-1', assignee: '@me' }),
  direction.impossible('UpdateIssue', { issue_id: 'ENG-1', remove_labels_to_add: ['Bug'] }),
  direction.means('UpdateIssue', { issue_id: 'ENG-1', remove_labels: ['Bug'] }, { remove_labels: undefined, labels_to_remove: ['Bug'] }),
  direction.means('UpdateIssue', { issue_id: 'ENG-2', add_labels: ['Security'] }, { add_labels: undefined, labels_to_add: ['Security'] }),
  direction.means('UpdateIssue', { issue_id: 'ENG-1', labels_removed: ['Bug'] }, { labels_removed: undefined, labels_to_remove: ['Bug'] }),
  direction.mayMean('ListIssues', { team: 'ENG', priority: 'highest' }, { priority: 'urgent' }),
  direction.impossible('CreateIssue', { ...title, project: 'Incident tooling' }),
  direction.impossible('ListTeams', { include_active: false }),
  direction.impossible('GetIssue', { issue_id: 'ENG-1', exclude_comments: true }),

  enumeration.means('CreateIssue', { ...title, priority: 1 }, { priority: 'urgent' }),
  enumeration.means('CreateIssue', { ...title, priority: 'P1' }, { priority: 'urgent' }),
  enumeration.means('CreateIssue', { ...title, priority: 'normal' }, { priority: 'medium' }),
  enumeration.means('CreateIssue', { ...title, priority: 'none' }, { priority: 'no_priority' }),
  enumeration.means('CreateIssue', { ...title, priority: 'High' }, { priority: 'high' }),
  enumeration.means('ListIssues', { priority: 'Urgent ' }, { priority: 'urgent' }),
  enumeration.means('ListIssues', { priority: '3' }, { priority: 'medium' }),
  enumeration.means('ListIssues', { priority: 'critical' }, { priority: 'urgent' }),
  enumeration.means('ListIssues', { priority: 'No priority' }, { priority: 'no_priority' }),
  enumeration.means('ListWorkflowStates', { team: 'ENG', state_type: 'in progress' }, { state_type: 'started' }),
  enumeration.means('ListWorkflowStates', { team: 'ENG', state_type: 'cancelled' }, { state_type: 'canceled' }),
  enumeration.means('ListWorkflowStates', { team: 'ENG', state_type: 'done' }, { state_type: 'completed' }),
  enumeration.means('ListProjects', { state: 'in progress' }, { state: 'started' }),
  enumeration.means('UpdateProject', { project_id: idOf('Project Apollo'), state: 'on hold' }, { state: 'paused' }),

  date.means('CreateIssue', { ...title, due_date: '2027/12/01' }, { due_date: '2027-12-01' }),
  date.means('CreateIssue', { ...title, due_date: 'Dec 1 2027' }, { due_date: '2027-12-01' }),
  date.means('CreateIssue', { ...title, due_date: '2027-12-01T00:00:00Z' }, { due_date: '2027-12-01' }),
  date.means('CreateIssue', { ...title, due_date: ' 2027-12-01 ' }, { due_date: '2027-12-01' }),
  date.means('CreateIssue', { ...title, due_date: 'tomorrow' }, { due_date: '2026-11-21' }),
  date.means('ListIssues', { created_after: '-P30D' }, { created_after: '2026-10-21' }),
  date.unclear('CreateIssue', { ...title, due_date: '03/04/2027' }, '2027-03-04', '2027-04-03'),

  argumentName.means('ListIssues', { query: 'export' }, { query: undefined, keywords: 'export' }),
  argumentName.means('CreateIssue', { team: 'ENG', name: 'Logs rotate too late' }, { name: undefined, title: 'Logs rotate too late' }),
  argumentName.means('AddComment', { issue: 'ENG-3', text: 'On it.' }, { text: undefined, body: 'On it.' }),
  argumentName.means(
    'AddComment',
    { issue_id: 'ENG-3', comment: 'On it.' },
    { issue_id: undefined, comment: undefined, issue: 'ENG-3', body: 'On it.' },
  ),
  argumentName.means('GetTeam', { team: 'Engineering' }, { team: undefined, value: 'Engineering', lookup_by: 'name' }),
  argumentName.means('GetTeam', { key: 'ENG' }, { key: undefined, value: 'ENG', lookup_by: 'key' }),
  argumentName.means('GetProject', { name: 'Apollo' }, { name: undefined, value: 'Apollo', lookup_by: 'name' }),
  argumentName.means(
    'TransitionIssueState',
    { issue: 'ENG-9', state: 'Done' },
    { issue: undefined, state: undefined, issue_id: 'ENG-9', target_state: 'Done' },
  ),

  reference.means('CreateIssue', { ...title, assignee: 'Mikael' }, { assignee: 'Mikael Lindström' }),
  reference.means('CreateIssue', { ...title, assignee: 'Nair' }, { assignee: 'Priya Nair' }),
  reference.means('CreateIssue', { ...title, assignee: '@priya.nair' }, { assignee: 'Priya Nair' }),
  reference.unclear('ListIssues', { assignee: 'Ada' }, 'Ada Okafor', 'Ada Okonkwo'),
  reference.means('GetIssue', { issue_id: 'ENG 9' }, { issue_id: 'ENG-9' }),
  reference.means('GetIssue', { issue_id: '#ENG-9' }, { issue_id: 'ENG-9' }),
  reference.means('GetIssue', { issue_id: 'ENG‑9' }, { issue_id: 'ENG-9' }),
  reference.means('GetIssue', { issue_id: 'eng9' }, { issue_id: 'ENG-9' }),
  reference.means('UpdateIssue', { issue_id: 'ENG-9', cycle: 'active' }, { cycle: 'current' }),
  reference.means('UpdateIssue', { issue_id: 'ENG-9', cycle: '#3' }, { cycle: '3' }),
  reference.means('UpdateIssue', { issue_id: 'ENG-9', cycle: 'next cycle' }, { cycle: 'next' }),
  reference.means('UpdateIssue', { issue_id: 'ENG-9', cycle: 'Sprint 4' }, { cycle: '4' }),
  reference.means('ListIssues', { project: 'Project Apollo' }, { project: 'Apollo' }),
  reference.means('ListIssues', { label: 'Bugs' }, { label: 'Bug' }),

  form.means('ListIssues', { team: ['ENG'] }, { team: 'ENG' }),
  form.means('ListIssues', { limit: '5' }, { limit: 5 }),
  form.means('GetNotifications', { unread_only: 'true' }, { unread_only: true }),
  form.means('CreateIssue', { ...title, labels_to_add: 'Bug' }, { labels_to_add: ['Bug'] }),
  form.means('CreateIssue', { ...title, labels_to_add: 'Bug, Security' }, { labels_to_add: ['Bug', 'Security'] }),

  toolName.means('CreateComment', { issue: 'ENG-3', body: 'On it.' }, {}, 'AddComment'),
  toolName.means('issue_tracker_get_issue', { issue_id: 'ENG-9' }, {}, 'GetIssue'),
  toolName.means('SearchIssues', { keywords: 'export' }, {}, 'ListIssues'),
  toolName.means(
    'LinkGithubToIssue',
    { issue: 'ENG-3', code_host_url: 'https://github.com/lodestar/web/pull/5' },
    {},
    'LinkCodeHostToIssue',
  ),
  toolName.impossible('UnarchiveIssue', { issue: 'ENG-17' }),
  toolName.impossible('DeleteComment', { comment_id: 'x' }),

  family.means('GetProject', { value: 'Apollo' }, { lookup_by: 'name' }),
  family.means('GetTeam', { value: 'ENG' }, { lookup_by: 'key' }),
  family.means('GetInitiative', { value: 'Reliability' }, { lookup_by: 'name' }),
]
