// Mistaken calls to issue-tracker, over the workspace that the emulator of Linear is seeded with: values, dates and directions. The day
// of the calls is 2026-11-20.
import { idOf } from '../../../packages/emulators/linear/src/ids.ts'
import { casesOf, forms, type Arguments, type MistakenCall } from './cases.ts'

const direction = casesOf('direction')
const enumeration = casesOf('enumeration')
const date = casesOf('date')
const form = casesOf('form')
const loss = casesOf('silent loss')

const newIssue = { team: 'ENG', title: 'Logs rotate too late' }
const apollo = idOf('Project Apollo')
const pair = { issue: 'ENG-9', related_issue: 'ENG-10' }

const listing = (args: Arguments) => direction.impossible('ListIssues', args)
const relating = (relation_type: string) => direction.impossible('CreateIssueRelation', { ...pair, relation_type })
const moving = (target_state: string) => direction.impossible('TransitionIssueState', { issue_id: 'ENG-8', target_state })

const directions: readonly MistakenCall[] = [
  direction.mayMean('ManageIssueSubscription', { issue: 'ENG-9', unsubscribe: true }, { unsubscribe: undefined, subscribe: false }),
  direction.mayMean('ManageIssueSubscription', { issue: 'ENG-9', unsubscribed: true }, { unsubscribed: undefined, subscribe: false }),
  direction.mayMean('ManageIssueSubscription', { issue: 'ENG-2', no_subscribe: true }, { no_subscribe: undefined, subscribe: false }),
  direction.mayMean('ManageIssueSubscription', { issue: 'ENG-2', subscribe: 'unsubscribe' }, { subscribe: false }),
  direction.mayMean('ManageIssueSubscription', { issue: 'OPS-2', mute: true }, { mute: undefined, subscribe: false }),
  direction.means('TransitionIssueState', { issue_id: 'ENG-8', target_state: 'unstarted' }, { target_state: 'Todo' }),
  direction.mayMean('TransitionIssueState', { issue_id: 'ENG-8', target_state: 'Not started' }, { target_state: 'Todo' }),
  ...['Not Done', 'un-canceled', 'not in progress', 'Undone', 'no review', 'not a duplicate'].map(moving),
  listing({ updated_after: '2026-11-01' }),
  listing({ updated_since: '2026-11-01' }),
  listing({ created_before: '2026-11-01' }),
  listing({ completed_after: '2026-11-01' }),
  listing({ due_before: '2026-12-01' }),
  listing({ team: 'ENG', exclude_label: 'Bug' }),
  listing({ team: 'ENG', label_not: 'Bug' }),
  listing({ team: 'ENG', not_assignee: '@me' }),
  listing({ team: 'OPS', exclude_state: 'Done' }),
  listing({ team: 'OPS', without_project: 'Apollo' }),
  listing({ team: 'ENG', unassigned: true }),
  listing({ team: 'ENG', label: 'non-Security' }),
  listing({ team: 'ENG', label: 'not Bug' }),
  listing({ team: 'ENG', label: '!Bug' }),
  listing({ project: 'not Apollo' }),
  listing({ assignee: 'not me' }),
  listing({ assignee: '!Priya Nair' }),
  listing({ team: 'non-Design' }),
  listing({ state: 'not Todo' }),
  listing({ priority: 'not urgent' }),
  listing({ priority: 'non-urgent' }),
  direction.mayMean('ListIssues', { team: 'ENG', priority: 'highest' }, { priority: 'urgent' }),
  direction.mayMean('ListIssues', { team: 'ENG', priority: 'lowest' }, { priority: 'low' }),
  direction.mayMean('ListTeams', { exclude_archived: false }, { exclude_archived: undefined, include_archived: true }),
  direction.impossible('ListTeams', { include_unarchived: true }),
  direction.impossible('ListTeams', { archived_only: true }),
  direction.impossible('GetNotifications', { read_only: true }),
  direction.impossible('GetNotifications', { include_read: false }),
  direction.mayMean('ListCycles', { team: 'ENG', exclude_completed: true }, { exclude_completed: undefined, include_completed: false }),
  direction.impossible('ListCycles', { team: 'ENG', inactive_only: true }),
  direction.mayMean('GetIssue', { issue_id: 'ENG-1', exclude_comments: true }, { exclude_comments: undefined, include_comments: false }),
  direction.mayMean('GetProject', { value: apollo, no_issues: true }, { no_issues: undefined, include_issues: false }),
  direction.means('ListWorkflowStates', { state_type: 'not started' }, { state_type: 'unstarted' }),
  direction.impossible('ListWorkflowStates', { state_type: 'uncompleted' }),
  direction.impossible('ListWorkflowStates', { state_type: 'incomplete' }),
  direction.impossible('ListWorkflowStates', { state_type: 'not canceled' }),
  direction.impossible('ListProjects', { state: 'unplanned' }),
  direction.impossible('ListProjects', { state: 'unpaused' }),
  direction.impossible('ListProjects', { state: 'not completed' }),
  direction.impossible('ListProjects', { created_before: '2026-10-01' }),
  ...forms(
    { blocked_by: 'blockedBy', 'is blocked by': 'blockedBy', 'depends on': 'blockedBy', blocking: 'blocks' },
    (written, relation_type) => direction.means('CreateIssueRelation', { ...pair, relation_type: written }, { relation_type }),
  ),
  ...['unblocks', 'not blocks', 'unrelated', 'unblocked by', 'no longer blocks', 'not a duplicate', 'duplicated by'].map(relating),
  direction.impossible('UpdateIssue', { issue_id: 'OPS-1', assignee: '@me' }),
  direction.impossible('UpdateIssue', { issue_id: 'OPS-1', assignee: 'Mikael Lindström' }),
  direction.impossible('UpdateIssue', { issue_id: 'ENG-1', remove_labels_to_add: ['Bug'] }),
  direction.impossible('UpdateIssue', { issue_id: 'ENG-1', fields_to_keep: ['due_date'] }),
  direction.impossible('UpdateIssue', { issue_id: 'ENG-1', fields_not_to_clear: ['assignee'] }),
  direction.mayMean('UpdateIssue', { issue_id: 'ENG-1', unassign: true }, { unassign: undefined, fields_to_clear: ['assignee'] }),
  direction.means('UpdateIssue', { issue_id: 'ENG-1', remove_labels: ['Bug'] }, { remove_labels: undefined, labels_to_remove: ['Bug'] }),
  direction.means('UpdateIssue', { issue_id: 'ENG-2', add_labels: ['Security'] }, { add_labels: undefined, labels_to_add: ['Security'] }),
  direction.means('UpdateIssue', { issue_id: 'ENG-1', labels_removed: ['Bug'] }, { labels_removed: undefined, labels_to_remove: ['Bug'] }),
  direction.means('UpdateProject', { project_id: apollo, remove_teams: ['DES'] }, { remove_teams: undefined, teams_to_remove: ['DES'] }),
  direction.means('UpdateProject', { project_id: apollo, end_date: '2027-02-01' }, { end_date: undefined, target_date: '2027-02-01' }),
  direction.impossible('UpdateProject', { project_id: apollo, state: 'not paused' }),
  direction.impossible('CreateProjectUpdate', { project_id: apollo, body: 'Late.', health: 'not on track' }),
  direction.impossible('CreateProjectUpdate', { project_id: apollo, body: 'Fine.', health: 'not at risk' }),
  direction.impossible('CreateIssue', { ...newIssue, project: 'Incident tooling' }),
  direction.impossible('CreateIssue', { ...newIssue, assignee: 'Ada Okonkwo' }),
  direction.impossible('CreateIssue', { ...newIssue, exclude_labels: ['Bug'] }),
  direction.impossible('ArchiveIssue', { issue: 'ENG-9', unarchive: true }),
  direction.means('CreateIssue', { team: 'OPS', title: 'Pager is silent' }, { assignee: 'none' }),
]

const creating = (kind: typeof enumeration, change: Arguments, meant: Arguments) =>
  kind.means('CreateIssue', { ...newIssue, ...change }, meant)
const priorities = {
  P1: 'urgent',
  normal: 'medium',
  none: 'no_priority',
  High: 'high',
  p2: 'high',
  blocker: 'urgent',
  'no-priority': 'no_priority',
}
const listed = {
  'Urgent ': 'urgent',
  '3': 'medium',
  critical: 'urgent',
  'No priority': 'no_priority',
  noPriority: 'no_priority',
  minor: 'low',
}
const stateTypes = {
  'in progress': 'started',
  cancelled: 'canceled',
  done: 'completed',
  todo: 'unstarted',
  WIP: 'started',
  complete: 'completed',
}
const projectStates = { 'in progress': 'started', active: 'started', Done: 'completed', cancelled: 'canceled', 'on hold': 'paused' }
const health = { 'on track': 'onTrack', at_risk: 'atRisk', 'OFF TRACK': 'offTrack', green: 'onTrack', red: 'offTrack', yellow: 'atRisk' }

const enumerations: readonly MistakenCall[] = [
  ...forms(priorities, (written, priority) => creating(enumeration, { priority: written }, { priority })),
  ...[['no_priority', 0] as const, ['urgent', 1] as const, ['high', 2] as const, ['low', 4] as const].map(([priority, written]) =>
    creating(enumeration, { priority: written }, { priority }),
  ),
  ...forms(listed, (written, priority) => enumeration.means('ListIssues', { priority: written }, { priority })),
  ...forms(stateTypes, (written, state_type) =>
    enumeration.means('ListWorkflowStates', { team: 'ENG', state_type: written }, { state_type }),
  ),
  ...forms(projectStates, (written, state) => enumeration.means('ListProjects', { state: written }, { state })),
  ...forms(health, (written, meant) =>
    enumeration.means('CreateProjectUpdate', { project_id: apollo, body: 'Weekly.', health: written }, { health: meant }),
  ),
  enumeration.means('ListWorkflowStates', { team: 'ENG', state_type: 'closed' }, {}),
  enumeration.means('UpdateProject', { project_id: apollo, state: 'on-hold' }, { state: 'paused' }),
  enumeration.means('ListInitiatives', { state: 'active' }, { state: 'started' }),
  enumeration.means('CreateInitiative', { name: 'Fewer alerts', status: 'in-progress' }, { status: 'started' }),
  enumeration.means('UpdateInitiative', { initiative_id: idOf('Initiative Reliability'), status: 'done' }, { status: 'completed' }),
  enumeration.means('GetTeam', { value: 'ENG', lookup_by: 'Key' }, { lookup_by: 'key' }),
  enumeration.means('GetProject', { value: 'Apollo', lookup_by: 'title' }, { lookup_by: 'name' }),
  enumeration.means('CreateIssueRelation', { ...pair, relation_type: 'relates to' }, { relation_type: 'related' }),
  enumeration.means('CreateIssueRelation', { ...pair, relation_type: 'duplicate of' }, { relation_type: 'duplicate' }),
  enumeration.means('CreateIssueRelation', { ...pair, relation_type: 'BLOCKS' }, { relation_type: 'blocks' }),
  enumeration.impossible('CreateIssueRelation', { ...pair, relation_type: 'parent' }),
  enumeration.means('UpdateIssue', { issue_id: 'ENG-9', fields_to_clear: ['dueDate'] }, { fields_to_clear: ['due_date'] }),
]

const writtenDays = {
  ...{ '2027/12/01': '2027-12-01', 'Dec 1 2027': '2027-12-01', '2027-12-01T00:00:00Z': '2027-12-01', ' 2027-12-01 ': '2027-12-01' },
  ...{ '2027.12.01': '2027-12-01', '2027-12-1': '2027-12-01', '1 December 2027': '2027-12-01', 'December 1, 2027': '2027-12-01' },
  ...{
    '2027-12-01T23:30:00+02:00': '2027-12-01',
    '2027-12-01 14:00': '2027-12-01',
    '13/12/2027': '2027-12-13',
    '1st Dec 2027': '2027-12-01',
  },
  ...{ today: '2026-11-20', tomorrow: '2026-11-21', Tomorrow: '2026-11-21', '+2w': '2026-12-04', '+3d': '2026-11-23', P1M: '2026-12-20' },
}
const pastDays = {
  '-P30D': '2026-10-21',
  yesterday: '2026-11-19',
  '-7d': '2026-11-13',
  '2026/11/01': '2026-11-01',
  'Nov 1, 2026': '2026-11-01',
}

const dates: readonly MistakenCall[] = [
  ...forms(writtenDays, (written, due_date) => creating(date, { due_date: written }, { due_date })),
  ...forms(pastDays, (written, created_after) => date.means('ListIssues', { created_after: written }, { created_after })),
  date.mayMean('ListIssues', { created_after: '30 days ago' }, { created_after: '2026-10-21' }),
  date.mayMean('CreateIssue', { ...newIssue, due_date: 'in 2 weeks' }, { due_date: '2026-12-04' }),
  date.mayMean('CreateIssue', { ...newIssue, due_date: 'next friday' }, { due_date: '2026-11-27' }),
  date.mayMean('CreateIssue', { ...newIssue, due_date: '20271201' }, { due_date: '2027-12-01' }),
  date.unclear('CreateIssue', { ...newIssue, due_date: '03/04/2027' }, '2027-03-04', '2027-04-03'),
  date.impossible('CreateIssue', { ...newIssue, due_date: '2027-02-30' }),
  date.impossible('CreateIssue', { ...newIssue, due_date: 'Q1 2027' }),
  date.impossible('CreateIssue', { ...newIssue, due_date: 'not tomorrow' }),
  date.means('UpdateIssue', { issue_id: 'ENG-9', due_date: 'Tomorrow ' }, { due_date: '2026-11-21' }),
  date.means('CreateProject', { name: 'Log search', team: 'ENG', target_date: '2027/03/31' }, { target_date: '2027-03-31' }),
  date.means('UpdateProject', { project_id: apollo, target_date: '31 March 2027' }, { target_date: '2027-03-31' }),
  date.means('CreateInitiative', { name: 'Fewer alerts', target_date: '2027-06-30T12:00:00.000Z' }, { target_date: '2027-06-30' }),
  date.means('ListProjects', { created_after: 'Jan 1 2026' }, { created_after: '2026-01-01' }),
]

const shapes: readonly MistakenCall[] = [
  form.means('ListIssues', { team: ['ENG'] }, { team: 'ENG' }),
  form.means('ListIssues', { limit: '5' }, { limit: 5 }),
  form.means('ListIssues', { team: 'ENG', limit: 200 }, { limit: 50 }),
  form.means('ListIssues', { priority: ['high'] }, { priority: 'high' }),
  form.means('ListIssues', { project: ['Apollo'] }, { project: 'Apollo' }),
  form.impossible('ListIssues', { label: ['Bug', 'Security'] }),
  form.impossible('ListIssues', { state: ['Todo', 'Backlog'] }),
  form.means('GetIssue', { issue_id: ['ENG-9'] }, { issue_id: 'ENG-9' }),
  form.means('GetIssue', { issue_id: 'ENG-1', include_comments: 'False' }, { include_comments: false }),
  form.means('GetNotifications', { unread_only: 'true' }, { unread_only: true }),
  form.mayMean('GetNotifications', { unread_only: 'yes' }, { unread_only: true }),
  form.means('GetRecentActivity', { days: '7' }, { days: 7 }),
  form.means('GetRecentActivity', { days: 365 }, { days: 90 }),
  form.means('ManageIssueSubscription', { issue: 'ENG-2', subscribe: 'false' }, { subscribe: false }),
  form.means('ManageIssueSubscription', { issue: ['ENG-2'], subscribe: 'FALSE' }, { issue: 'ENG-2', subscribe: false }),
  form.mayMean('ManageIssueSubscription', { issue: 'ENG-2', subscribe: 0 }, { subscribe: false }),
  creating(form, { labels_to_add: 'Bug' }, { labels_to_add: ['Bug'] }),
  creating(form, { labels_to_add: '["Bug","Security"]' }, { labels_to_add: ['Bug', 'Security'] }),
  creating(form, { labels_to_add: 'Bug, Security' }, { labels_to_add: ['Bug', 'Security'] }),
  creating(form, { estimate: '3' }, { estimate: 3 }),
  creating(form, { cycle: 3 }, { cycle: '3' }),
  form.unclear('CreateIssue', { ...newIssue, estimate: 4 }, '3', '5'),
  form.mayMean('CreateIssue', { team: 'ENG', title: 42 }, { title: '42' }),
  form.means('UpdateIssue', { issue_id: 'ENG-1', labels_to_remove: 'Bug' }, { labels_to_remove: ['Bug'] }),
  form.means('UpdateIssue', { issue_id: 'ENG-1', fields_to_clear: 'assignee' }, { fields_to_clear: ['assignee'] }),
  form.means('UpdateProject', { project_id: apollo, teams_to_add: 'OPS' }, { teams_to_add: ['OPS'] }),
  form.means('GetProjectDescription', { project_id: apollo, offset: '100' }, { offset: 100 }),
]

const losses: readonly MistakenCall[] = [
  loss.says(/./, 'ListIssues', { keywords: 'zebra quagga' }),
  loss.says(/./, 'ListProjects', { keywords: 'zebra quagga' }),
  loss.says(/./, 'ListIssues', { keywords: 'state:Todo label:Bug' }),
  loss.says(/./, 'ListComments', { issue: 'ENG-20' }),
  loss.says(/already|same name|exist|another/i, 'CreateProject', { name: 'Apollo', team: 'ENG' }),
  // Not of an initiative: its creation is a single request, which cannot look for others of its name (docs/spec-notes.md).
  loss.says(/already|contradict|blocks|both|cycle|circular/i, 'CreateIssueRelation', {
    issue: 'ENG-2',
    related_issue: 'ENG-1',
    relation_type: 'blocks',
  }),
  loss.says(/archived/i, 'AddComment', { issue: 'ENG-17', body: 'Still needed?' }),
  loss.says(/archived/i, 'UpdateIssue', { issue_id: 'ENG-17', title: 'Remove the wizard' }),
  loss.says(/archived/i, 'CreateIssue', { ...newIssue, parent_issue: 'ENG-17' }),
  loss.says(/archived/i, 'CreateIssueRelation', { issue: 'ENG-9', related_issue: 'OPS-12', relation_type: 'related' }),
  loss.says(/archived/i, 'AddProjectToInitiative', { initiative: idOf('Initiative Early bets'), project: apollo }),
  loss.says(/start|target|date|before|order/i, 'UpdateProject', {
    project_id: apollo,
    start_date: '2027-06-01',
    target_date: '2027-05-01',
  }),
]

/** Calls whose values are mistaken. */
export const issueTrackerValues: readonly MistakenCall[] = [...directions, ...enumerations, ...dates, ...shapes, ...losses]
