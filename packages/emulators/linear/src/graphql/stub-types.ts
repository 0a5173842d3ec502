const stubs = `
type ActorBot {
  name: String  type: String!  avatarUrl: String  subType: String  id: ID  userDisplayName: String
}
type AgentSession implements Node { id: ID! }
type AiPromptRules implements Node { updatedAt: DateTime!  archivedAt: DateTime  createdAt: DateTime!  id: ID!  updatedBy: User }
type CustomView implements Node { id: ID! }
type Customer implements Node { id: ID! }
type CustomerNeed implements Node { id: ID! }
type Document implements Node { id: ID! }
type DocumentContent implements Node {
  updatedAt: DateTime!  aiPromptRules: AiPromptRules  content: String  contentState: String  document: Document
  initiative: Initiative  issue: Issue  projectMilestone: ProjectMilestone  project: Project  restoredAt: DateTime
  archivedAt: DateTime  createdAt: DateTime!  id: ID!  welcomeMessage: WelcomeMessage
}
enum ExternalSyncService { github jira slack }
type ExternalEntityInfo { metadata: ExternalEntityInfoMetadata  service: ExternalSyncService!  id: String! }
type ExternalEntityInfoGithubMetadata { number: Float  owner: String  repo: String }
type ExternalEntityInfoJiraMetadata { issueTypeId: String  projectId: String  issueKey: String }
union ExternalEntityInfoMetadata = ExternalEntityInfoGithubMetadata | ExternalEntityInfoJiraMetadata | ExternalEntitySlackMetadata
type ExternalEntitySlackMetadata { messageUrl: String  channelId: String  channelName: String  isFromSlack: Boolean! }
type ExternalUser implements Node { name: String!  id: ID! }
type Favorite implements Node { id: ID! }
type Integration implements Node { id: ID! }
type IntegrationsSettings implements Node { id: ID! }
type Reaction implements Node {
  comment: Comment  externalUser: ExternalUser  initiativeUpdate: InitiativeUpdate  issue: Issue  updatedAt: DateTime!
  emoji: String!  projectUpdate: ProjectUpdate  archivedAt: DateTime  createdAt: DateTime!  id: ID!  user: User
}
type SyncedExternalThread {
  url: String  name: String  displayName: String  type: String!  subType: String  id: ID
  isPersonalIntegrationRequired: Boolean!  isPersonalIntegrationConnected: Boolean!  isConnected: Boolean!
}
type Template implements Node { id: ID! }
type TriageResponsibility implements Node { id: ID! }
type WelcomeMessage implements Node {
  updatedAt: DateTime!  archivedAt: DateTime  createdAt: DateTime!  title: String  id: ID!  updatedBy: User
  enabled: Boolean!
}
enum ContextViewType { activeCycle activeIssues backlog triage upcomingCycle }
enum UserContextViewType { assigned }
type CustomerNeedNotification implements Entity & Node & Notification {
  type: String!  customerNeedId: String!  botActor: ActorBot  category: NotificationCategory!
  customerNeed: CustomerNeed!  externalUserActor: ExternalUser  relatedIssue: Issue  updatedAt: DateTime!
  relatedProject: Project  user: User!  unsnoozedAt: DateTime  emailedAt: DateTime  archivedAt: DateTime
  createdAt: DateTime!  readAt: DateTime  snoozedUntilAt: DateTime  id: ID!  actor: User  subtitle: String!
  title: String!  url: String!
}
type CustomerNotification implements Entity & Node & Notification {
  type: String!  customerId: String!  botActor: ActorBot  category: NotificationCategory!  customer: Customer!
  externalUserActor: ExternalUser  updatedAt: DateTime!  user: User!  unsnoozedAt: DateTime  emailedAt: DateTime
  archivedAt: DateTime  createdAt: DateTime!  readAt: DateTime  snoozedUntilAt: DateTime  id: ID!  actor: User
  subtitle: String!  title: String!  url: String!
}
enum OAuthClientApprovalStatus { approved denied requested }
type OauthClientApproval implements Node {
  newlyRequestedScopes: [String!]  denyReason: String  requestReason: String  scopes: [String!]!
  status: OAuthClientApprovalStatus!  oauthClientId: String!  requesterId: String!  responderId: String
  updatedAt: DateTime!  archivedAt: DateTime  createdAt: DateTime!  id: ID!
}
type OauthClientApprovalNotification implements Entity & Node & Notification {
  type: String!  oauthClientApprovalId: String!  oauthClientApproval: OauthClientApproval!  botActor: ActorBot
  category: NotificationCategory!  externalUserActor: ExternalUser  updatedAt: DateTime!  user: User!
  unsnoozedAt: DateTime  emailedAt: DateTime  archivedAt: DateTime  createdAt: DateTime!  readAt: DateTime
  snoozedUntilAt: DateTime  id: ID!  actor: User  subtitle: String!  title: String!  url: String!
}
type PostNotification implements Entity & Node & Notification {
  reactionEmoji: String  type: String!  commentId: String  parentCommentId: String  postId: String!  botActor: ActorBot
  category: NotificationCategory!  externalUserActor: ExternalUser  updatedAt: DateTime!  user: User!
  unsnoozedAt: DateTime  emailedAt: DateTime  archivedAt: DateTime  createdAt: DateTime!  readAt: DateTime
  snoozedUntilAt: DateTime  id: ID!  actor: User  subtitle: String!  title: String!  url: String!
}
type ProductAnnouncement implements Node {
  description: String!  headline: String!  kind: String!  title: String!  campaignId: String!  updatedAt: DateTime!
  archivedAt: DateTime  createdAt: DateTime!  id: ID!
}
type ProductAnnouncementNotification implements Entity & Node & Notification {
  productAnnouncementId: String!  type: String!  botActor: ActorBot  category: NotificationCategory!
  externalUserActor: ExternalUser  updatedAt: DateTime!  productAnnouncement: ProductAnnouncement!  user: User!
  unsnoozedAt: DateTime  emailedAt: DateTime  archivedAt: DateTime  createdAt: DateTime!  readAt: DateTime
  snoozedUntilAt: DateTime  id: ID!  actor: User  subtitle: String!  title: String!  url: String!
}
type PullRequestNotification implements Entity & Node & Notification {
  type: String!  pullRequestCommentId: String  pullRequestId: String!  botActor: ActorBot
  category: NotificationCategory!  externalUserActor: ExternalUser  updatedAt: DateTime!  user: User!
  unsnoozedAt: DateTime  emailedAt: DateTime  archivedAt: DateTime  createdAt: DateTime!  readAt: DateTime
  snoozedUntilAt: DateTime  id: ID!  actor: User  subtitle: String!  title: String!  url: String!
}
type UsageAlert implements Node { id: ID! }
type UsageAlertNotification implements Entity & Node & Notification {
  type: String!  usageAlertId: String!  botActor: ActorBot  category: NotificationCategory!
  externalUserActor: ExternalUser  updatedAt: DateTime!  user: User!  unsnoozedAt: DateTime  emailedAt: DateTime
  archivedAt: DateTime  createdAt: DateTime!  readAt: DateTime  snoozedUntilAt: DateTime  id: ID!
  usageAlert: UsageAlert!  actor: User  subtitle: String!  title: String!  url: String!
}
type WelcomeMessageNotification implements Entity & Node & Notification {
  type: String!  welcomeMessageId: String!  botActor: ActorBot  category: NotificationCategory!
  externalUserActor: ExternalUser  updatedAt: DateTime!  user: User!  unsnoozedAt: DateTime  emailedAt: DateTime
  archivedAt: DateTime  createdAt: DateTime!  readAt: DateTime  snoozedUntilAt: DateTime  id: ID!  actor: User
  subtitle: String!  title: String!  url: String!
}
enum WorkflowActivationMode { anyUpdate collectionChanged conditionsStartedMatching watchedPropertyChanged }
type WorkflowDefinition implements Node {
  stats: JSONObject  schedule: JSONObject  color: String  customView: CustomView  cycle: Cycle  initiative: Initiative
  label: IssueLabel  project: Project  user: User  lastExecutedAt: DateTime  description: String
  editAccess: WorkflowDefinitionEditAccess  triggerType: WorkflowTriggerType!  trigger: WorkflowTrigger!
  activationMode: WorkflowActivationMode  conditions: JSONObject  icon: String  intelligence: WorkflowIntelligence
  updatedAt: DateTime!  groupName: String  name: String!  activities: JSONObject!  sortOrder: String!  team: Team
  archivedAt: DateTime  createdAt: DateTime!  type: WorkflowType!  userContextViewType: UserContextViewType
  contextViewType: ContextViewType  id: ID!  creator: User!  lastUpdatedBy: User  owner: User  slugId: String!
  restrictEditing: Boolean!  enabled: Boolean!  applyToSubTeams: Boolean!  runOnce: Boolean!
}
enum WorkflowDefinitionEditAccess { everyone owner teamOwners workspaceAdmins }
type WorkflowDefinitionNotification implements Entity & Node & Notification {
  workflowDefinitionId: String!  type: String!  botActor: ActorBot  category: NotificationCategory!
  externalUserActor: ExternalUser  updatedAt: DateTime!  user: User!  unsnoozedAt: DateTime  emailedAt: DateTime
  archivedAt: DateTime  createdAt: DateTime!  readAt: DateTime  snoozedUntilAt: DateTime  id: ID!  actor: User
  workflowDefinition: WorkflowDefinition!  subtitle: String!  title: String!  url: String!
}
enum WorkflowIntelligence { auto high low medium }
enum WorkflowTrigger { addedToMergeQueue chatMessagePosted chatReactionAdded commentAdded commentResolved customerRequestAdded cycleEnded cycleStarted entityCreated entityCreatedOrUpdated entityRemoved entityUnarchived entityUpdated removedFromMergeQueue reviewSubmitted updatePosted webhookReceived }
enum WorkflowTriggerType { chat cycle document initiative issue project pullRequest release schedule team webhook }
enum WorkflowType { automation release sla triage triageAutomation viewSubscription }
type WorkspaceAnnouncementNotification implements Entity & Node & Notification {
  type: String!  workspaceAnnouncementId: String!  botActor: ActorBot  category: NotificationCategory!
  externalUserActor: ExternalUser  updatedAt: DateTime!  user: User!  unsnoozedAt: DateTime  emailedAt: DateTime
  archivedAt: DateTime  createdAt: DateTime!  readAt: DateTime  snoozedUntilAt: DateTime  id: ID!  actor: User
  subtitle: String!  title: String!  url: String!
}
interface NotificationSubscription {
  customView: CustomView  customer: Customer  cycle: Cycle  initiative: Initiative  label: IssueLabel
  updatedAt: DateTime!  project: Project  team: Team  archivedAt: DateTime  createdAt: DateTime!
  contextViewType: ContextViewType  userContextViewType: UserContextViewType  id: ID!  user: User  subscriber: User!
  includeSubInitiativeUpdates: Boolean!  active: Boolean!
}
`

/** Types without entities that queries of the official client select, by name. A module that defines such a type replaces its stub. */
export const stubTypes: ReadonlyMap<string, string> = new Map(
  stubs.split(/\n(?=(?:type|enum|interface|union) )/).map((definition) => [/^\w+ (\w+)/.exec(definition)?.[1] ?? '', definition]),
)
