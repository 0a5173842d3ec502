import { Message, sentence } from '@mcp-toolkits/core/errors'
import { type Vocabulary, words } from '@mcp-toolkits/core/tool'

const use = (purpose: string, name: string) => sentence`${purpose}, use ${{ tool: `IssueTracker.${name}` }}.`
const noSeverity = 'Issues have a priority but no severity; a label may stand for it.'
const labels = 'labels label_ids label_names tags teams team_ids'
const parent = words('child parent sub_issue subtask child_of parent_of sub_issue_of subtask_of').map((word) => `relation_type:${word}`)
const paused = words('hold on_hold suspended paused').map((word) => `status:${word}`)

/** Notes on arguments that something else carries out, or nothing: by tools or their effects, and by names. */
const notes: Readonly<Record<string, Readonly<Record<string, string | Message>>>> = {
  'create update delete': { 'dry_run preview simulate validate_only': 'There is no dry run: this tool changes things at once.' },
  read: { 'sort sort_by sort_order order order_by direction': 'The order is fixed; sort the results yourself.' },
  'CreateIssue UpdateIssue TransitionIssueState ArchiveIssue': {
    'comment comments note': use('To comment as well', 'AddComment'),
    'duplicate_of duplicates blocks blocked_by depends_on relates_to related_to relations': use('To relate issues', 'CreateIssueRelation'),
    'subscribers followers watchers': use('To subscribe yourself (no one else can be)', 'ManageIssueSubscription'),
    'issues issue_ids issue_keys': Message.of(
      'One call is for one issue.',
      use('To create several', 'BatchCreateIssues'),
      use('To change several', 'BatchUpdateIssues'),
    ),
    severity: noSeverity,
  },
  'TransitionIssueState ArchiveIssue AddComment': {
    'assignee priority labels project cycle estimate due_date title description': use('To change that', 'UpdateIssue'),
  },
  'CreateIssue CreateProject AddComment CreateInitiative': {
    'reporter creator author created_by': 'The author is always the current user.',
  },
  'UpdateIssue UpdateProject UpdateInitiative UpdateComment': {
    'append prepend append_description append_text mode': 'A text replaces the old one. To add to it, read the old one and pass both.',
    [labels]: 'The present ones stay: a parameter ending in _to_add adds to them, and one ending in _to_remove removes.',
  },
  'CreateProject UpdateProject': {
    'teams team_ids': use('A project starts with one team. To add others', 'UpdateProject'),
    'initiative initiatives': use('To add it to an initiative', 'AddProjectToInitiative'),
    'members member_ids': 'Only a person can add members, in Linear.',
  },
  'CreateInitiative UpdateInitiative': {
    'project projects project_ids': use('To add a project', 'AddProjectToInitiative'),
    'owner lead': 'Only a person can set the owner, in Linear.',
    [paused.join(' ')]: 'An initiative cannot be paused.',
  },
  UpdateComment: { 'issue issue_id': use('The id alone names a comment. To find it', 'ListComments') },
  CreateIssueRelation: {
    [parent.join(' ')]: Message.of('A parent is no relation; it is set when an issue is created.', use('To change it', 'SetParentIssue')),
  },
  'WhoAmI GetNotifications GetRecentActivity': {
    'user user_id person for_user user_name email member assignee': Message.of(
      'This is always about the current user.',
      use("For someone else's issues", 'ListIssues'),
      use('For the people of a team', 'GetTeam'),
    ),
    'mark_as_read mark_read archive snooze': 'Only a person can mark or archive notifications, in Linear.',
  },
  ManageIssueSubscription: { 'user user_id person for_user': 'Only the current user can be subscribed or unsubscribed.' },
  ListIssues: {
    'updated_after updated_since modified_since changed_since updated_at': Message.of(
      'No filter is for the last change.',
      use('To see your own that changed', 'GetRecentActivity'),
      use('For all', 'SearchIssues'),
    ),
    severity: noSeverity,
  },
}

/** A tool's notes by argument. */
export function elsewhere(tool: string, effect: string): NonNullable<Vocabulary['elsewhere']> {
  const own = Object.entries(notes).flatMap(([tools, all]) =>
    words(tools).some((each) => each === tool || each === effect) ? Object.entries(all) : [],
  )
  return Object.fromEntries(own.flatMap(([names, text]) => words(names).map((name) => [name, Message.of(text).toJSON()])))
}
