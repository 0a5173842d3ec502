import { words } from '@mcp-toolkits/core/tool'
import { toolWishes } from '../refusals/tools.ts'

/** Callers' names for the tools, from other trackers and everyday language. They lead to corrections, never directly to a call. */
export const toolVocabulary = {
  fillers: words('tracker'),
  words: {
    issue: words('ticket task bug story card item'),
    comment: words('note remark'),
    label: words('tag'),
    cycle: words('sprint iteration'),
    state: words('status column'),
    notification: words('alert'),
    initiative: words('goal'),
    create: words('raise report submit'),
    subscribe: words('follow watch'),
    active: words('current'),
    request: words('pr mr'),
    code: words('github gitlab commit'),
    link: words('attach relate'),
    relation: words('dependency'),
    user: words('member people person'),
    batch: words('bulk'),
  },
  names: {
    WhoAmI:
      'me get_me get_my_user current_user get_current_user get_authenticated_user get_viewer profile get_profile get_my_profile get_myself get_my_account get_account user_info get_user_info',
    GetNotifications: {
      ...implying({}, 'inbox get_inbox get_my_inbox get_my_notifications'),
      list_unread_notifications: { unread_only: true },
    },
    GetRecentActivity: 'list_recent_issues list_my_recent_issues get_my_activity',
    ListIssues: {
      ...implying({ assignee: '@me' }, 'my_issues list_my_issues list_assigned_issues list_my_assigned_issues list_issues_assigned_to_me'),
      ...implying({}, 'search search_jira search_linear list_team_issues list_project_issues list_user_issues'),
      ...implying({}, 'list_board_issues list_cycle_issues list_issues_with_label'),
    },
    ListComments: 'list_issue_comments get_issue_discussion',
    ListCycles: implying({ active_only: true }, 'get_active_cycle list_active_cycles'),
    ListLabels: 'list_issue_labels',
    ListWorkflowStates: 'list_states list_issue_states list_team_states list_workflows list_lists list_board_lists',
    CreateIssue: 'create_sub_issue create_subtask file_issue add_issue_to_list',
    UpdateIssue:
      'change_item_column_values change_column_value assign_issue reassign_issue set_assignee label_issue add_label add_label_to_issue set_priority set_issue_priority prioritize_issue set_due_date set_estimate estimate_issue rename_issue set_issue_title set_issue_description add_issue_to_cycle add_issue_to_project move_issue_to_cycle move_issue_to_project',
    TransitionIssueState: 'transition_issue move_issue move_issue_to_state move_issue_to_list set_state set_issue_state transition_state',
    CreateIssueRelation: 'link_issues create_relation add_relation create_issue_link add_issue_link block_issue',
    ManageIssueSubscription: {
      ...implying({ subscribe: true }, 'subscribe subscribe_to_issue'),
      ...implying({}, 'set_subscription set_issue_subscription manage_subscription'),
    },
    AddComment: 'comment comment_issue comment_on_issue create_issue_comment add_comment_to_issue',
    ReplyToComment: 'reply reply_to_thread create_reply add_reply',
    UpdateProject: 'set_project_state set_project_lead',
    CreateProjectUpdate: 'create_project_state_update create_state_update',
    AddProjectToInitiative: 'link_project_to_initiative',
    LinkCodeHostToIssue:
      'link_code link_pull_request link_request link_request_to_issue link_pull_request_to_issue link_merge_request link_code_request link_code_pull_request link_code_issue',
  },
  wishes: toolWishes,
} as const

/** Names that imply the same arguments. */
function implying<Implied>(implied: Implied, names: string): Record<string, Implied> {
  return Object.fromEntries(words(names).map((name) => [name, implied]))
}
