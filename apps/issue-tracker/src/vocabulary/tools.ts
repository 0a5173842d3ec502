import { phrases, words } from '@mcp-toolkits/core/tool'

/** Callers' names for the tools, from other trackers and from everyday words. They lead to corrections and are never carried out. */
export const toolVocabulary = {
  fillers: words('linear tracker'),
  words: {
    issue: words('ticket task bug story card'),
    comment: words('note remark'),
    label: words('tag'),
    cycle: words('sprint iteration'),
    state: words('status column'),
    notification: words('alert'),
    initiative: words('goal'),
    create: words('raise report submit'),
  },
  names: {
    WhoAmI: phrases(
      'me, get me, get my user, get user me, current user, get current user, get authenticated user, viewer, get viewer, profile, get profile, get my profile, my profile, get myself, get my account, get account',
    ),
    GetNotifications: {
      ...plain('list my notifications, get my notifications, get inbox, list inbox, read inbox, inbox, get my inbox, check inbox'),
      'list unread notifications': { unread_only: true },
      'get unread notifications': { unread_only: true },
    },
    GetRecentActivity: phrases(
      'list recent issues, get my recent issues, list recent activity, get my activity, list activity, get my recent work',
    ),
    ListTeams: phrases('search teams'),
    ListIssues: {
      'list my issues': { assignee: '@me' },
      'search my issues': { assignee: '@me' },
      'list assigned issues': { assignee: '@me' },
      'list my assigned issues': { assignee: '@me' },
      'list issues assigned to me': { assignee: '@me' },
      'my issues': { assignee: '@me' },
      ...plain('search, list team issues, list project issues, list issues with label, list issues with labels'),
    },
    GetIssue: phrases('view issue, get issue state'),
    ListComments: phrases('list issue comments, list comments on issue, read comments, get issue discussion, get comment'),
    GetProjectDescription: phrases('get project content, read project content'),
    GetInitiativeDescription: phrases('get initiative content, read initiative content'),
    ListCycles: {
      ...plain('list team cycles'),
      'get active cycle': { active_only: true },
      'list active cycles': { active_only: true },
      'get current cycle': { active_only: true },
      'list current cycles': { active_only: true },
    },
    ListLabels: phrases('list issue labels'),
    ListWorkflowStates: phrases('list states, list issue states, list team states, list workflows, get workflow, list workflow'),
    CreateIssue: phrases('create sub issue, add sub issue, file issue'),
    UpdateIssue: phrases(
      [
        'assign issue, reassign issue, assign, set assignee, set issue assignee, update assignee, assign issue to user, label issue, add label, add labels,',
        'add label to issue, add issue label, set priority, set issue priority, update priority,',
        'update issue priority, prioritize issue, set due date, set issue due date, update due date, set estimate, set issue estimate, estimate issue,',
        'rename issue, set issue title, set issue description, update issue title, update issue description, add issue to cycle, add issue to project,',
        'move issue to cycle, move issue to project, set issue project, set issue cycle',
      ].join(' '),
    ),
    TransitionIssueState: phrases(
      'transition issue, move issue, move issue to state, update issue state, set issue state, set issue workflow state, update state, transition state, update workflow state, move issue to column, close issue, reopen issue, complete issue, finish issue, resolve issue, cancel issue',
    ),
    CreateIssueRelation: phrases(
      'link issues, relate issues, create relation, add relation, add issue relation, relate issue, create issue link, add issue link, add dependency, create dependency',
    ),
    ManageIssueSubscription: {
      ...plain('update subscription, set subscription, update issue subscription, set issue subscription, manage subscription'),
      ...Object.fromEntries(
        ['subscribe to issue', 'subscribe issue', 'subscribe', 'follow issue', 'watch issue'].map((name) => [name, { subscribe: true }]),
      ),
    },
    AddComment: phrases('comment on issue, comment issue, comment, create issue comment, add comment to issue, leave comment'),
    ReplyToComment: phrases('reply comment, reply to thread, reply, create reply, add reply, add comment reply, answer comment'),
    UpdateProject: phrases('set project state, update project state, set project lead, add team to project'),
    CreateProjectUpdate: phrases('create project state update, create state update, create project report, add project update'),
    UpdateInitiative: phrases('set initiative state, update initiative state'),
    AddProjectToInitiative: phrases('link project to initiative, add initiative project, link initiative to project'),
    LinkCodeHostToIssue: phrases(
      [
        'link pull request, link pull request to issue, link pr, link pr to issue, link merge request, link merge request to issue, link commit,',
        'link commit to issue, link github, link gitlab, link gitlab to issue, link github issue, link github pr, link github pull request, link code,',
        'link code to issue, attach pull request, attach pull request to issue, attach pr, add pull request to issue, link issue to pull request',
      ].join(' '),
    ),
  },
} as const

/** Names that imply no arguments. */
function plain(texts: string): Record<string, Record<string, never>> {
  return Object.fromEntries(phrases(texts).map((text) => [text, {}]))
}
