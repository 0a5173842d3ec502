// Mistaken calls to issue-tracker by agents who know other trackers: directions, values, dates, and what is lost.
import { idOf, slugIdFor } from '../../../packages/emulators/linear/src/ids.ts'
import { casesOf, forms, type Arguments, type MistakenCall } from './cases.ts'

const direction = casesOf('direction')
const enumeration = casesOf('enumeration')
const loss = casesOf('silent loss')
const date = casesOf('date')

const newIssue = { team: 'ENG', title: 'Logs rotate too late' }
const apollo = idOf('Project Apollo')
const reliability = idOf('Initiative Reliability')
const gone = (...names: readonly string[]): Arguments => Object.fromEntries(names.map((name) => [name, undefined]))

const directions: readonly MistakenCall[] = [
  direction.mayMean('ManageIssueSubscription', { issue: 'ENG-2', subscribe: 'no' }, { subscribe: false }),
  direction.mayMean('ManageIssueSubscription', { issue: 'ENG-2', subscribe: 'off' }, { subscribe: false }),
  direction.mayMean('ManageIssueSubscription', { issue: 'ENG-2', action: 'unsubscribe' }, { ...gone('action'), subscribe: false }),
  direction.mayMean('ManageIssueSubscription', { issue: 'ENG-2', unfollow: true }, { ...gone('unfollow'), subscribe: false }),
  direction.mayMean('ManageIssueSubscription', { issue: 'ENG-2', unwatch: 'true' }, { ...gone('unwatch'), subscribe: false }),
  direction.mayMean('ManageIssueSubscription', { issue: 'ENG-2', dont_subscribe: true }, { ...gone('dont_subscribe'), subscribe: false }),
  direction.mayMean('ManageIssueSubscription', { issue: 'OPS-2', unsubscribe: false }, { ...gone('unsubscribe'), subscribe: true }),
  ...['not_assigned_to', 'exclude_assignee', 'assignee_not', 'unassigned_from'].map((name) =>
    direction.impossible('ListIssues', { [name]: 'Priya Nair' }),
  ),
  ...['exclude_team', 'not_team', 'without_label', 'skip_label', 'hide_state', 'ignore_project'].map((name) =>
    direction.impossible('ListIssues', { [name]: 'ENG' }),
  ),
  ...[
    'updated_after',
    'updatedAfter',
    'updated_at',
    'modified_since',
    'completed_since',
    'due_after',
    'created_until',
    'created_to',
    'before',
  ].map((name) => direction.impossible('ListIssues', { [name]: '2026-11-01' })),
  ...['not started', 'unstarted', 'not-started'].map((written) =>
    direction.mayMean('ListIssues', { team: 'ENG', state: written }, { state: 'Todo' }),
  ),
  ...['not done', 'incomplete', 'undone', '!Done', '-Done', 'not Backlog', 'anything but Done', 'non-started'].map((state) =>
    direction.impossible('ListIssues', { team: 'ENG', state }),
  ),
  ...['!Bug', '-Bug', 'no Bug', 'without Bug', 'except Bug', 'non-bug'].map((label) =>
    direction.impossible('ListIssues', { team: 'ENG', label }),
  ),
  ...['not high', 'above medium', 'higher than low', 'at least high', '>=2', '<3', 'high or urgent'].map((priority) =>
    direction.impossible('ListIssues', { priority }),
  ),
  ...['prevents', 'unblock', 'does not block', 'not related', 'unlink', 'remove', 'none'].map((relation_type) =>
    direction.impossible('CreateIssueRelation', { issue: 'ENG-9', related_issue: 'ENG-10', relation_type }),
  ),
  ...['block', 'Blocks', 'BLOCKING', 'is blocking'].map((written) =>
    direction.means(
      'CreateIssueRelation',
      { issue: 'ENG-9', related_issue: 'ENG-10', relation_type: written },
      { relation_type: 'blocks' },
    ),
  ),
  ...['Blocked By', 'blocked-by', 'isBlockedBy', 'depends', 'requires', 'blocked'].map((written) =>
    direction.means(
      'CreateIssueRelation',
      { issue: 'ENG-9', related_issue: 'ENG-10', relation_type: written },
      { relation_type: 'blockedBy' },
    ),
  ),
  direction.impossible('UpdateIssue', { issue_id: 'ENG-1', labels_to_keep: ['Bug'] }),
  direction.impossible('UpdateIssue', { issue_id: 'ENG-1', clear_labels: true }),
  direction.impossible('UpdateIssue', { issue_id: 'ENG-1', remove_assignee: 'Ada Okafor' }),
  direction.mayMean(
    'UpdateIssue',
    { issue_id: 'ENG-1', remove_assignee: true },
    { ...gone('remove_assignee'), fields_to_clear: ['assignee'] },
  ),
  direction.mayMean(
    'UpdateIssue',
    { issue_id: 'ENG-1', clear_assignee: true },
    { ...gone('clear_assignee'), fields_to_clear: ['assignee'] },
  ),
  direction.impossible('UpdateIssue', { issue_id: 'ENG-1', unassign: false }),
  direction.mayMean('UpdateIssue', { issue_id: 'ENG-1', assignee: 'unassigned' }, { ...gone('assignee'), fields_to_clear: ['assignee'] }),
  direction.mayMean('UpdateIssue', { issue_id: 'ENG-1', assignee: 'none' }, { ...gone('assignee'), fields_to_clear: ['assignee'] }),
  direction.impossible('UpdateIssue', { issue_id: 'ENG-10', cycle: 'not current' }),
  direction.impossible('UpdateProject', { project_id: apollo, teams_not_to_remove: ['DES'] }),
  direction.impossible('UpdateProject', { project_id: apollo, state: 'unpaused' }),
  direction.impossible('UpdateProject', { project_id: apollo, state: 'uncompleted' }),
  direction.impossible('ListCycles', { team: 'ENG', include_active: false }),
  direction.impossible('ListCycles', { team: 'ENG', completed_only: true }),
  direction.mayMean('ListCycles', { team: 'ENG', hide_completed: true }, { ...gone('hide_completed'), include_completed: false }),
  direction.impossible('GetNotifications', { read: true }),
  direction.mayMean('GetIssue', { issue_id: 'ENG-1', skip_comments: true }, { ...gone('skip_comments'), include_comments: false }),
  direction.mayMean('GetIssue', { issue_id: 'ENG-1', without_children: true }, { ...gone('without_children'), include_children: false }),
  direction.mayMean('GetProject', { value: apollo, exclude_members: true }, { ...gone('exclude_members'), include_members: false }),
  direction.impossible('CreateIssue', { team: 'OPS', title: 'Pager', assignee: '@me' }),
  direction.impossible('GetProjectDescription', { project_id: apollo, offset: 999_999 }),
]

const prioritiesWritten: Readonly<Record<string, string>> = {
  P0: 'urgent',
  'P 1': 'urgent',
  Critical: 'urgent',
  CRIT: 'urgent',
  'Urgent!': 'urgent',
  '1 - urgent': 'urgent',
  'priority: high': 'high',
  'high priority': 'high',
  hi: 'high',
  med: 'medium',
  Moderate: 'medium',
  'no priority': 'no_priority',
  'No Priority': 'no_priority',
  None: 'no_priority',
  trivial: 'low',
}
const statesOfProjects: Readonly<Record<string, string>> = {
  'In Progress': 'started',
  ongoing: 'started',
  'not started': 'planned',
  Planning: 'planned',
  complete: 'completed',
  finished: 'completed',
  Cancelled: 'canceled',
  'on-hold': 'paused',
  STARTED: 'started',
  strated: 'started',
}

const values: readonly MistakenCall[] = [
  ...forms(prioritiesWritten, (written, priority) => enumeration.means('CreateIssue', { ...newIssue, priority: written }, { priority })),
  enumeration.unclear('CreateIssue', { ...newIssue, priority: 'hgh' }, 'high'),
  ...forms(statesOfProjects, (written, state) => enumeration.means('ListProjects', { state: written }, { state })),
  ...forms(
    {
      onTrack: 'onTrack',
      'On Track': 'onTrack',
      ON_TRACK: 'onTrack',
      'at-risk': 'atRisk',
      'at risk': 'atRisk',
      late: 'offTrack',
      Delayed: 'offTrack',
      'off-track': 'offTrack',
    },
    (written, health) => enumeration.means('CreateProjectUpdate', { project_id: apollo, body: 'Weekly.', health: written }, { health }),
  ),
  enumeration.means('UpdateIssue', { issue_id: 'ENG-9', priority: '2' }, { priority: 'high' }),
  enumeration.means(
    'UpdateIssue',
    { issue_id: 'ENG-9', fields_to_clear: ['Due Date', 'assignee'] },
    { fields_to_clear: ['due_date', 'assignee'] },
  ),
  enumeration.means('UpdateIssue', { issue_id: 'ENG-9', fields_to_clear: ['deadline'] }, { fields_to_clear: ['due_date'] }),
  enumeration.means('UpdateIssue', { issue_id: 'ENG-1', fields_to_clear: ['sprint'] }, { fields_to_clear: ['cycle'] }),
  enumeration.impossible('UpdateIssue', { issue_id: 'ENG-1', fields_to_clear: ['labels'] }),
  enumeration.impossible('UpdateIssue', { issue_id: 'ENG-1', fields_to_clear: ['title'] }),
  enumeration.impossible('UpdateIssue', { issue_id: 'ENG-1', priority: 5 }),
  enumeration.impossible('UpdateIssue', { issue_id: 'ENG-1', priority: 'P9' }),
  enumeration.means('ListWorkflowStates', { team: 'ENG', state_type: 'Unstarted' }, { state_type: 'unstarted' }),
  enumeration.means('ListWorkflowStates', { team: 'ENG', state_type: 'in_progress' }, { state_type: 'started' }),
  enumeration.means('ListWorkflowStates', { team: 'ENG', state_type: 'resolved' }, { state_type: 'completed' }),
  enumeration.means('ListWorkflowStates', { team: 'ENG', state_type: 'open' }, {}),
  enumeration.means('ListInitiatives', { state: 'In Progress' }, { state: 'started' }),
  enumeration.means('ListInitiatives', { state: 'Active' }, { state: 'started' }),
  enumeration.means('ListInitiatives', { state: 'Completed' }, { state: 'completed' }),
  enumeration.means(
    'CreateIssueRelation',
    { issue: 'ENG-9', related_issue: 'ENG-10', relation_type: 'dup' },
    { relation_type: 'duplicate' },
  ),
  enumeration.means(
    'CreateIssueRelation',
    { issue: 'ENG-9', related_issue: 'ENG-10', relation_type: 'is duplicate of' },
    { relation_type: 'duplicate' },
  ),
  enumeration.means(
    'CreateIssueRelation',
    { issue: 'ENG-9', related_issue: 'ENG-10', relation_type: 'relatedTo' },
    { relation_type: 'related' },
  ),
  enumeration.means(
    'CreateIssueRelation',
    { issue: 'ENG-9', related_issue: 'ENG-10', relation_type: 'relates' },
    { relation_type: 'related' },
  ),
  enumeration.impossible('CreateIssueRelation', { issue: 'ENG-9', related_issue: 'ENG-10', relation_type: 'is duplicated by' }),
  enumeration.impossible('CreateIssueRelation', { issue: 'ENG-9', related_issue: 'ENG-10', relation_type: 'subtask' }),
  enumeration.impossible('CreateInitiative', { name: 'Fewer alerts', status: 'paused' }),
  enumeration.means('GetTeam', { value: 'Engineering', lookup_by: 'Name' }, { lookup_by: 'name' }),
  enumeration.means('GetProject', { value: slugIdFor(apollo), lookup_by: 'slug' }, { lookup_by: 'slug_id' }),
]

const daysWritten: Readonly<Record<string, string>> = {
  '2027/1/5': '2027-01-05',
  '5 Jan 2027': '2027-01-05',
  'Jan 5th, 2027': '2027-01-05',
  'January 5 2027': '2027-01-05',
  'Tue Jan 05 2027': '2027-01-05',
  'Tuesday, January 5, 2027': '2027-01-05',
  '2027-01-05T17:00': '2027-01-05',
  '2027-01-05T17:00:00.000+01:00': '2027-01-05',
  '2027-01-05 17:00:00': '2027-01-05',
  '20270105': '2027-01-05',
  '2027‑01‑05': '2027-01-05',
  '"2027-01-05"': '2027-01-05',
  '25/01/2027': '2027-01-25',
  '01/25/2027': '2027-01-25',
  '25.01.2027': '2027-01-25',
  '1799107200': '2027-01-05',
  '1799107200000': '2027-01-05',
  'tomorrow morning': '2026-11-21',
  'in 3 days': '2026-11-23',
  'in a week': '2026-11-27',
  'in two weeks': '2026-12-04',
  '2 weeks from now': '2026-12-04',
  '+1 week': '2026-11-27',
  P2W: '2026-12-04',
  '7d': '2026-11-27',
  'today + 3 days': '2026-11-23',
  'end of month': '2026-11-30',
  'end of the year': '2026-12-31',
  EOM: '2026-11-30',
  EOY: '2026-12-31',
}
const daysBefore: Readonly<Record<string, string>> = {
  'last week': '2026-11-13',
  '7 days ago': '2026-11-13',
  'a month ago': '2026-10-20',
  '-30d': '2026-10-21',
  '-P2W': '2026-11-06',
  'now-7d': '2026-11-13',
  '2026-11-01T00:00:00Z': '2026-11-01',
  'last 30 days': '2026-10-21',
  '3 months ago': '2026-08-20',
  '1793491200': '2026-11-01',
}

const dates: readonly MistakenCall[] = [
  ...forms(daysWritten, (written, due_date) => date.mayMean('CreateIssue', { ...newIssue, due_date: written }, { due_date })),
  ...forms(daysBefore, (written, created_after) => date.mayMean('ListIssues', { created_after: written }, { created_after })),
  ...['2027-13-01', '2027-04-31', '0000-00-00', '31/02/2027', 'not before June', 'someday', 'ASAP', 'never'].map((due_date) =>
    date.impossible('CreateIssue', { ...newIssue, due_date }),
  ),
  date.unclear('CreateIssue', { ...newIssue, due_date: '05/06/2027' }, '2027-05-06', '2027-06-05'),
  date.means(
    'CreateProject',
    { name: 'Log search', team: 'ENG', start_date: 'today', target_date: '+4w' },
    { start_date: '2026-11-20', target_date: '2026-12-18' },
  ),
  date.impossible('CreateProject', { name: 'Log search', team: 'ENG', start_date: '2027-06-01', target_date: '2027-05-01' }),
  date.means('UpdateInitiative', { initiative_id: reliability, target_date: '2027-06-30T00:00:00Z' }, { target_date: '2027-06-30' }),
]

const losses: readonly MistakenCall[] = [
  ...[
    'is:open label:bug',
    'assignee:me',
    'status = "In Progress"',
    'project = ENG AND status = Done',
    'label:Bug export',
    'author:@me',
    'state:open',
    'team:ENG',
    '-label:bug',
  ].map((keywords) => loss.says(/filter syntax/i, 'ListIssues', { keywords })),
  loss.says(/filter syntax/i, 'ListProjects', { keywords: 'state:started' }),
  loss.says(/filter syntax/i, 'ListInitiatives', { keywords: 'status:active' }),
  loss.says(/quotes/i, 'ListIssues', { keywords: '"zebra export"' }),
  loss.says(/\w/, 'ListIssues', { keywords: 'export OR import OR zebra' }),
  loss.says(/\w/, 'ListIssues', { keywords: 'zeb*' }),
  loss.says(/\w/, 'ListTeams', { keywords: 'zebra' }),
  loss.says(/\w/, 'ListInitiatives', { keywords: 'zebra' }),
  loss.says(/\w/, 'ListIssues', { team: 'DES', priority: 'urgent', assignee: 'Grace Kim', label: 'Security' }),
  loss.says(/\w/, 'ListCycles', { team: 'DES' }),
  loss.says(/\w/, 'ListIssues', { team: 'ENG', project: 'Incident tooling' }),
  loss.says(/\w/, 'ListIssues', { team: 'ENG', state: 'Triage' }),
  loss.says(/\w/, 'ListIssues', { team: 'ENG', label: 'Research' }),
  loss.says(/\w/, 'ListIssues', { created_after: '2030-01-01' }),
  loss.says(/\w/, 'ListProjects', { team: 'OPS', state: 'planned' }),
  loss.says(/\w/, 'ListInitiatives', { state: 'paused' }),
  loss.says(/\w/, 'ListWorkflowStates', { team: 'ENG', state_type: 'triage' }),
  loss.says(/archived/i, 'TransitionIssueState', { issue_id: 'ENG-17', target_state: 'Done' }),
  loss.says(/archived/i, 'LinkCodeHostToIssue', { issue: 'ENG-17', code_host_url: 'https://github.com/lodestar/web/pull/5' }),
  loss.says(/archived/i, 'ManageIssueSubscription', { issue: 'ENG-17', subscribe: false }),
  loss.says(/archived/i, 'CreateProjectUpdate', { project_id: idOf('Project Legacy importer'), body: 'Over.', health: 'offTrack' }),
  loss.says(/archived/i, 'UpdateProject', { project_id: idOf('Project Legacy importer'), name: 'Importer' }),
  loss.says(/archived/i, 'UpdateInitiative', { initiative_id: idOf('Initiative Early bets'), name: 'Bets' }),
  loss.says(/already/i, 'CreateIssueRelation', { issue: 'ENG-1', related_issue: 'ENG-2', relation_type: 'blocks' }),
  loss.says(/already/i, 'CreateIssueRelation', { issue: 'ENG-2', related_issue: 'ENG-1', relation_type: 'blockedBy' }),
  loss.says(/already|block each other|circular|both/i, 'CreateIssueRelation', {
    issue: 'ENG-1',
    related_issue: 'ENG-2',
    relation_type: 'blockedBy',
  }),
  loss.says(/duplicate|already/i, 'CreateIssueRelation', { issue: 'ENG-1', related_issue: 'ENG-26', relation_type: 'duplicate' }),
  loss.says(/already/i, 'AddProjectToInitiative', { initiative: 'Self-serve growth', project: 'Apollo' }),
  loss.says(/already/i, 'LinkCodeHostToIssue', { issue: 'ENG-1', code_host_url: 'https://github.com/lodestar/web/pull/412' }),
  loss.says(/already/i, 'UpdateIssue', { issue_id: 'ENG-1', labels_to_add: ['Bug'] }),
  loss.says(/not|does/i, 'UpdateIssue', { issue_id: 'ENG-9', labels_to_remove: ['Chore'] }),
  loss.says(/null|unchanged|fields_to_clear/i, 'UpdateIssue', { issue_id: 'ENG-1', assignee: null, title: 'Sign-up' }),
  loss.says(/date|after|before|order/i, 'CreateProject', {
    name: 'Log search',
    team: 'ENG',
    start_date: '2027-06-01',
    target_date: '2027-05-01',
  }),
  loss.says(/date|after|before/i, 'UpdateProject', { project_id: apollo, start_date: '2028-06-01' }),
  loss.says(/already|same/i, 'TransitionIssueState', { issue_id: 'ENG-9', target_state: 'Todo' }),
]

/** Calls whose values are written as people say them. */
export const issueTrackerWords: readonly MistakenCall[] = [...directions, ...values, ...dates, ...losses]
