// Mistaken calls to issue-tracker: names of arguments and tools, and references to issues, people, teams and what belongs to them.
import { idOf, slugIdFor } from '../../../packages/emulators/linear/src/ids.ts'
import { casesOf, forms, type Arguments, type MistakenCall } from './cases.ts'

const argumentName = casesOf('argument name')
const reference = casesOf('reference')
const toolName = casesOf('tool name')
const family = casesOf('family of tools')

const newIssue = { team: 'ENG', title: 'Logs rotate too late' }
const apollo = idOf('Project Apollo')
const remark = idOf('Comment plan')

/** A call with one argument under another name. */
const renamed = (
  tool: string,
  rest: Arguments,
  { from, to, value }: { readonly from: string; readonly to: string; readonly value: unknown },
) => argumentName.means(tool, { ...rest, [from]: value }, { [from]: undefined, [to]: value })
const renamedAll = (
  tool: string,
  { rest, to, value }: { readonly rest: Arguments; readonly to: string; readonly value: unknown },
  names: readonly string[],
) => names.map((from) => renamed(tool, rest, { from, to, value }))

const names: readonly MistakenCall[] = [
  ...renamedAll('ListIssues', { rest: {}, to: 'keywords', value: 'export' }, ['query', 'q', 'search', 'text']),
  ...renamedAll('ListIssues', { rest: {}, to: 'team', value: 'ENG' }, ['team_key', 'teamName', 'team_id']),
  ...renamedAll('ListIssues', { rest: { team: 'ENG' }, to: 'state', value: 'Todo' }, ['status', 'state_name']),
  ...renamedAll('ListIssues', { rest: {}, to: 'assignee', value: '@me' }, ['assigned_to', 'assignee_name', 'owner']),
  ...renamedAll('ListIssues', { rest: {}, to: 'created_after', value: '2026-11-01' }, ['since', 'created_since', 'createdAfter']),
  ...renamedAll('ListIssues', { rest: { team: 'ENG' }, to: 'limit', value: 3 }, ['max_results', 'page_size', 'first']),
  argumentName.means('ListIssues', { labels: ['Bug'] }, { labels: undefined, label: 'Bug' }),
  ...renamedAll('CreateIssue', { rest: { team: 'ENG' }, to: 'title', value: 'Logs rotate too late' }, ['name', 'summary', 'issue_title']),
  ...renamedAll('CreateIssue', { rest: newIssue, to: 'description', value: 'At noon.' }, ['body', 'text', 'content']),
  ...renamedAll('CreateIssue', { rest: newIssue, to: 'labels_to_add', value: ['Bug'] }, ['labels', 'tags']),
  ...renamedAll('CreateIssue', { rest: newIssue, to: 'due_date', value: '2027-01-10' }, ['due', 'deadline', 'dueDate']),
  renamed('CreateIssue', newIssue, { from: 'parent', to: 'parent_issue', value: 'ENG-4' }),
  renamed('CreateIssue', newIssue, { from: 'points', to: 'estimate', value: 3 }),
  renamed('CreateIssue', newIssue, { from: 'sprint', to: 'cycle', value: '3' }),
  argumentName.mayMean('UpdateIssue', { issue_id: 'ENG-2', labels: ['Security'] }, { labels: undefined, labels_to_add: ['Security'] }),
  ...renamedAll('GetIssue', { rest: {}, to: 'issue_id', value: 'ENG-9' }, ['id', 'identifier', 'issue', 'key']),
  ...renamedAll('AddComment', { rest: { issue: 'ENG-3' }, to: 'body', value: 'On it.' }, ['text', 'comment', 'content', 'message']),
  argumentName.means(
    'AddComment',
    { issue_id: 'ENG-3', comment: 'On it.' },
    { issue_id: undefined, comment: undefined, issue: 'ENG-3', body: 'On it.' },
  ),
  argumentName.means(
    'UpdateComment',
    { id: remark, text: 'Moved.' },
    { id: undefined, text: undefined, comment_id: remark, body: 'Moved.' },
  ),
  renamed(
    'ReplyToComment',
    { issue: 'ENG-1', body: 'Agreed.' },
    { from: 'comment_id', to: 'parent_comment_id', value: idOf('Comment repro') },
  ),
  argumentName.means(
    'TransitionIssueState',
    { issue: 'ENG-9', state: 'Done' },
    { issue: undefined, state: undefined, issue_id: 'ENG-9', target_state: 'Done' },
  ),
  ...renamedAll('TransitionIssueState', { rest: { issue_id: 'ENG-9' }, to: 'target_state', value: 'Done' }, ['status', 'new_state']),
  renamed('ManageIssueSubscription', { subscribe: false }, { from: 'issue_id', to: 'issue', value: 'ENG-2' }),
  renamed('CreateIssueRelation', { issue: 'ENG-9', related_issue: 'ENG-10' }, { from: 'type', to: 'relation_type', value: 'blocks' }),
  ...renamedAll('LinkCodeHostToIssue', { rest: { issue: 'ENG-3' }, to: 'code_host_url', value: 'https://github.com/lodestar/web/pull/5' }, [
    'url',
    'link',
    'pull_request_url',
  ]),
  argumentName.means('GetTeam', { team: 'Engineering' }, { team: undefined, value: 'Engineering', lookup_by: 'name' }),
  argumentName.means('GetTeam', { key: 'ENG' }, { key: undefined, value: 'ENG', lookup_by: 'key' }),
  argumentName.means('GetProject', { name: 'Apollo' }, { name: undefined, value: 'Apollo', lookup_by: 'name' }),
  argumentName.means('GetProject', { id: apollo }, { id: undefined, value: apollo }),
  argumentName.means('GetInitiative', { name: 'Reliability' }, { name: undefined, value: 'Reliability', lookup_by: 'name' }),
  renamed('CreateProject', { team: 'ENG' }, { from: 'title', to: 'name', value: 'Log search' }),
  renamed('CreateProject', { team: 'ENG', name: 'Log search' }, { from: 'owner', to: 'lead', value: 'Priya Nair' }),
  ...renamedAll('UpdateProject', { rest: { name: 'Apollo 2' }, to: 'project_id', value: apollo }, ['id', 'project']),
  ...renamedAll('UpdateProject', { rest: { project_id: apollo }, to: 'target_date', value: '2027-05-01' }, ['due_date', 'deadline']),
  argumentName.mayMean('UpdateProject', { project_id: apollo, teams: ['OPS'] }, { teams: undefined, teams_to_add: ['OPS'] }),
  argumentName.means(
    'CreateProjectUpdate',
    { project: apollo, text: 'Good.' },
    { project: undefined, text: undefined, project_id: apollo, body: 'Good.' },
  ),
  renamed('CreateInitiative', { name: 'Fewer alerts' }, { from: 'state', to: 'status', value: 'planned' }),
  argumentName.means(
    'AddProjectToInitiative',
    { initiative_id: idOf('Initiative Reliability'), project_id: apollo },
    { initiative_id: undefined, project_id: undefined, initiative: idOf('Initiative Reliability'), project: apollo },
  ),
  renamed('GetCycle', {}, { from: 'id', to: 'cycle_id', value: idOf('Cycle ENG 3') }),
  renamed('ListCycles', { team: 'ENG' }, { from: 'active', to: 'active_only', value: true }),
  renamed('GetNotifications', {}, { from: 'unread', to: 'unread_only', value: true }),
  renamed('GetRecentActivity', {}, { from: 'period_days', to: 'days', value: 7 }),
]

const readingIssue = (issue_id: string) => reference.means('GetIssue', { issue_id }, { issue_id: 'ENG-9' })
const assigning = (written: string, assignee: string) => reference.means('CreateIssue', { ...newIssue, assignee: written }, { assignee })
const inTeam = (team: string) => reference.means('ListIssues', { team }, { team: 'ENG' })
const inProject = (written: string, project: string) => reference.means('ListIssues', { project: written }, { project })
const inCycle = (written: string, cycle: string) => reference.means('UpdateIssue', { issue_id: 'ENG-10', cycle: written }, { cycle })
const toState = (written: string, target_state: string) =>
  reference.means('TransitionIssueState', { issue_id: 'ENG-10', target_state: written }, { target_state })
const labelled = (written: string, label: string) => reference.means('ListIssues', { label: written }, { label })

const people = {
  Mikael: 'Mikael Lindström',
  Nair: 'Priya Nair',
  '@priya.nair': 'Priya Nair',
  Lindstrom: 'Mikael Lindström',
  priya: 'Priya Nair',
}
const otherPeople = {
  'Tomas Herrera': 'Tomás Herrera',
  'PRIYA NAIR': 'Priya Nair',
  me: '@me',
  myself: '@me',
  nobody: 'none',
  unassigned: 'none',
}
const cycles = {
  active: 'current',
  '#3': '3',
  'next cycle': 'next',
  'Sprint 4': '4',
  'current cycle': 'current',
  'cycle #4': '4',
  upcoming: 'next',
  polish: 'Polish',
}
const states = {
  'in-progress': 'In Progress',
  InProgress: 'In Progress',
  in_progress: 'In Progress',
  'To do': 'Todo',
  Review: 'In Review',
  Completed: 'Done',
}
const otherStates = {
  cancelled: 'Canceled',
  Doen: 'Done',
  'In Progres': 'In Progress',
  ' done ': 'Done',
  'IN REVIEW': 'In Review',
  'to-do': 'Todo',
}

const references: readonly MistakenCall[] = [
  ...['ENG 9', '#ENG-9', 'ENG‑9', 'ENG–9', 'eng9', 'ENG_9', ' ENG-9 ', '[ENG-9]', '"ENG-9"', 'ENG-009', 'eng-9.'].map(readingIssue),
  ...['issue ENG-9', 'ENG-9: Session cookie lacks SameSite', 'linear.app/lodestar/issue/ENG-9'].map(readingIssue),
  reference.means('UpdateIssue', { issue_id: 'eng 9', title: 'Cookie lacks SameSite' }, { issue_id: 'ENG-9' }),
  reference.means('AddComment', { issue: '#ENG-9', body: 'On it.' }, { issue: 'ENG-9' }),
  reference.means('CreateIssue', { ...newIssue, parent_issue: 'ENG 4' }, { parent_issue: 'ENG-4' }),
  reference.mayMean('GetIssue', { issue_id: 'EGN-9' }, { issue_id: 'ENG-9' }),
  reference.mayMean('GetIssue', { issue_id: 'Rotate signing keys' }, { issue_id: 'ENG-10' }),
  reference.unclear('UpdateIssue', { issue_id: 'EGN-9', title: 'Cookie' }, 'ENG-9'),
  reference.impossible('ArchiveIssue', { issue: 'ENG-999' }),
  ...forms(people, assigning),
  ...forms(otherPeople, assigning),
  reference.means('ListIssues', { assignee: 'Mikael' }, { assignee: 'Mikael Lindström' }),
  reference.means('ListIssues', { assignee: 'Priya.Nair@Lodestar.example ' }, { assignee: 'priya.nair@lodestar.example' }),
  reference.unclear('ListIssues', { assignee: 'Ada' }, 'Ada Okafor', 'Ada Okonkwo'),
  reference.mayMean('CreateIssue', { ...newIssue, assignee: 'Ada O' }, { assignee: 'Ada Okafor' }),
  reference.means('CreateProject', { name: 'Log search', team: 'ENG', lead: 'Priya' }, { lead: 'Priya Nair' }),
  reference.impossible('CreateProject', { name: 'Log search', team: 'ENG', lead: 'Leo Brandt' }),
  ...[
    'Engineering team',
    'Enginering',
    'the Engineering team',
    'eng ',
    'https://linear.app/lodestar/team/ENG',
    'https://linear.app/lodestar/team/ENG/active',
    'team ENG',
  ].map(inTeam),
  reference.means('ListCycles', { team: 'engineering-ops' }, { team: 'Engineering Ops' }),
  reference.means('CreateIssue', { team: 'Enginering', title: 'Logs rotate too late' }, { team: 'Engineering' }),
  reference.unclear('CreateIssue', { team: 'Marketing', title: 'Logs rotate too late' }),
  ...forms(
    {
      'Project Apollo': 'Apollo',
      'Apollo project': 'Apollo',
      'apollo-mobile': 'Apollo Mobile',
      ApolloMobile: 'Apollo Mobile',
      Appollo: 'Apollo',
    },
    inProject,
  ),
  inProject(`https://linear.app/lodestar/project/apollo-${slugIdFor(apollo)}`, 'Apollo'),
  reference.means('GetProject', { value: 'Incident Tools', lookup_by: 'name' }, { value: 'Incident tooling' }),
  ...forms(cycles, inCycle),
  reference.means('CreateIssue', { ...newIssue, cycle: 'this sprint' }, { cycle: 'current' }),
  ...forms(states, toState),
  ...forms(otherStates, toState),
  reference.unclear('TransitionIssueState', { issue_id: 'ENG-10', target_state: 'started' }, 'In Progress', 'In Review'),
  reference.impossible('TransitionIssueState', { issue_id: 'ENG-10', target_state: 'Triage' }),
  ...forms(
    { Bugs: 'Bug', '#bug': 'Bug', 'Type: Bug': 'Bug', features: 'Feature', 'customer-request': 'Customer request', Secuirty: 'Security' },
    labelled,
  ),
  reference.means('UpdateIssue', { issue_id: 'OPS-2', labels_to_add: ['oncall'] }, { labels_to_add: ['On-call'] }),
  reference.unclear('CreateIssue', { ...newIssue, labels_to_add: ['REGRESSION'] }, 'Regression', 'regression'),
  reference.impossible('CreateIssue', { ...newIssue, labels_to_add: ['Research'] }),
  reference.means('GetInitiative', { value: 'Self serve growth', lookup_by: 'name' }, { value: 'Self-serve growth' }),
  reference.means('AddProjectToInitiative', { initiative: 'Reliabilty', project: 'Apollo' }, { initiative: 'Reliability' }),
  reference.means('AddProjectToInitiative', { initiative: 'Reliability', project: 'project Apollo' }, { project: 'Apollo' }),
]

const comment = { issue: 'ENG-3', body: 'On it.' }
const called = (tool: string, meant: string, args: Arguments = {}) => toolName.means(tool, args, {}, meant)

const tools: readonly MistakenCall[] = [
  ...['CreateComment', 'PostComment', 'add_comment', 'CommentOnIssue', 'IssueTracker.add_comment'].map((each) =>
    called(each, 'AddComment', comment),
  ),
  ...['issue_tracker_get_issue', 'ReadIssue', 'ShowIssue', 'getIssue'].map((each) => called(each, 'GetIssue', { issue_id: 'ENG-9' })),
  ...['SearchIssues', 'FindIssues', 'QueryIssues', 'list_issues'].map((each) => called(each, 'ListIssues', { keywords: 'export' })),
  ...['NewIssue', 'AddIssue', 'FileIssue'].map((each) => called(each, 'CreateIssue', newIssue)),
  ...['EditIssue', 'ModifyIssue', 'ChangeIssue'].map((each) => called(each, 'UpdateIssue', { issue_id: 'ENG-9', title: 'Cookie' })),
  ...['ChangeIssueStatus', 'SetIssueState', 'TransitionIssue'].map((each) =>
    called(each, 'TransitionIssueState', { issue_id: 'ENG-9', target_state: 'Done' }),
  ),
  ...['LinkGithubToIssue', 'LinkPullRequest', 'LinkPullRequestToIssue'].map((each) =>
    called(each, 'LinkCodeHostToIssue', { issue: 'ENG-3', code_host_url: 'https://github.com/lodestar/web/pull/5' }),
  ),
  called('ListStates', 'ListWorkflowStates', { team: 'ENG' }),
  called('ListTags', 'ListLabels'),
  called('ListSprints', 'ListCycles', { team: 'ENG' }),
  called('GetMe', 'WhoAmI'),
  called('GetCurrentUser', 'WhoAmI'),
  called('ListNotifications', 'GetNotifications'),
  called('PostProjectUpdate', 'CreateProjectUpdate', { project_id: apollo, body: 'Good.' }),
  called('SubscribeToIssue', 'ManageIssueSubscription', { issue: 'ENG-9', subscribe: true }),
  called('ReplyComment', 'ReplyToComment', { issue: 'ENG-1', parent_comment_id: idOf('Comment repro'), body: 'Agreed.' }),
  ...['UnarchiveIssue', 'RestoreIssue', 'DeleteIssue', 'RemoveIssue', 'CloseIssue'].map((each) =>
    toolName.impossible(each, { issue: 'ENG-9' }),
  ),
  ...['DeleteComment', 'RemoveComment', 'HideComment'].map((each) => toolName.impossible(each, { comment_id: remark, body: 'x' })),
  toolName.impossible('UnlinkCodeHostFromIssue', { issue: 'ENG-1', code_host_url: 'https://github.com/lodestar/web/pull/412' }),
  toolName.impossible('RemoveIssueRelation', { issue: 'ENG-1', related_issue: 'ENG-2', relation_type: 'blocks' }),
  toolName.impossible('RemoveProjectFromInitiative', { initiative: 'Self-serve growth', project: 'Apollo' }),
  toolName.impossible('UnarchiveProject', { project: apollo }),
  toolName.impossible('UnsubscribeFromIssue', { issue: 'ENG-9' }),
]

const families: readonly MistakenCall[] = [
  family.means('GetProject', { value: 'Apollo' }, { lookup_by: 'name' }),
  family.means('GetProject', { value: 'apollo mobile' }, { value: 'Apollo Mobile', lookup_by: 'name' }),
  family.means('GetProject', { value: slugIdFor(apollo) }, { lookup_by: 'slug_id' }),
  family.means('GetTeam', { value: 'ENG' }, { lookup_by: 'key' }),
  family.means('GetTeam', { value: 'Design' }, { lookup_by: 'name' }),
  family.means('GetTeam', { value: 'Engineering', lookup_by: 'key' }, { lookup_by: 'name' }),
  family.means('GetInitiative', { value: 'Reliability' }, { lookup_by: 'name' }),
  family.mayMean(
    'GetInitiativeDescription',
    { initiative_id: 'Self-serve growth' },
    { initiative_id: idOf('Initiative Self-serve growth') },
  ),
  family.mayMean('GetProjectDescription', { project_id: 'Apollo' }, { project_id: apollo }),
  family.mayMean('CreateProjectUpdate', { project_id: 'Apollo', body: 'Good.' }, { project_id: apollo }),
  family.mayMean('UpdateProject', { project_id: 'Apollo', name: 'Apollo 2' }, { project_id: apollo }),
  family.mayMean('GetCycle', { cycle_id: 'Polish' }, { cycle_id: idOf('Cycle ENG 3') }),
  family.mayMean('UpdateComment', { comment_id: 'ENG-1', body: 'Moved.' }, { comment_id: remark }),
]

/** Calls whose names and references are mistaken. */
export const issueTrackerNames: readonly MistakenCall[] = [...names, ...references, ...tools, ...families]
