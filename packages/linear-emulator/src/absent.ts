import type { Part } from './noun.ts'

/** Types that official clients ask for in passing, of which this workspace has none. */
export const absent: Part = {
  sdl: `
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
}`,
  resolvers: {},
}
