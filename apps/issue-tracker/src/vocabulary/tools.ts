import { phrases, words } from '@mcp-toolkits/core/tool'

/** Callers' names for the tools, from other trackers and everyday language. They lead to corrections, never directly to a call. */
export const toolVocabulary = {
  fillers: words('linear tracker jira'),
  words: {
    issue: words('ticket task bug story card'),
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
    close: words('reopen complete finish resolve cancel'),
  },
  names: {
    WhoAmI: phrases(
      'me, get me, get my user, current user, get current user, get authenticated user, get viewer, profile, get profile, get my profile, get myself, get my account, get account',
    ),
    GetNotifications: {
      ...plain('inbox, get inbox, get my inbox, get my notifications'),
      'list unread notifications': { unread_only: true },
    },
    GetRecentActivity: phrases('list recent issues, list my recent issues, get recent activity, get my activity'),
    ListIssues: {
      ...withArguments('my issues, list my issues, list assigned issues, list my assigned issues, list issues assigned to me', {
        assignee: '@me',
      }),
      ...plain('search, list team issues, list project issues, list issues with label'),
    },
    ListComments: phrases('list issue comments, get issue discussion'),
    ListCycles: withArguments('get active cycle, list active cycles', { active_only: true }),
    ListLabels: phrases('list issue labels'),
    ListWorkflowStates: phrases('list states, list issue states, list team states, list workflows'),
    CreateIssue: phrases('create sub issue, file issue'),
    UpdateIssue: phrases(
      'assign issue, reassign issue, set assignee, label issue, add label, add label to issue, set priority, set issue priority, prioritize issue, set due date, set estimate, estimate issue, rename issue, set issue title, set issue description, add issue to cycle, add issue to project',
    ),
    TransitionIssueState: phrases(
      'transition issue, move issue, move issue to state, set state, set issue state, transition state, close issue',
    ),
    CreateIssueRelation: phrases('link issues, create relation, add relation, create issue link, add issue link'),
    ManageIssueSubscription: {
      ...withArguments('subscribe, subscribe issue, subscribe to issue', { subscribe: true }),
      ...plain('set subscription, set issue subscription, manage subscription'),
    },
    AddComment: phrases('comment, comment issue, comment on issue, create issue comment, add comment to issue'),
    ReplyToComment: phrases('reply, reply to thread, reply comment, create reply, add reply'),
    UpdateProject: phrases('set project state, set project lead'),
    CreateProjectUpdate: phrases('create project state update, create state update, add project update'),
    AddProjectToInitiative: phrases('link project to initiative'),
    LinkCodeHostToIssue: phrases(
      'link code, link code to issue, link pull request, link request, link request to issue, link pull request to issue, link merge request, link code request, link code pull request, link code issue',
    ),
  },
} as const

/** Names that imply the same arguments. */
function withArguments<Implied>(texts: string, implied: Implied): Record<string, Implied> {
  return Object.fromEntries(phrases(texts).map((text) => [text, implied]))
}

function plain(texts: string) {
  return withArguments(texts, {})
}
