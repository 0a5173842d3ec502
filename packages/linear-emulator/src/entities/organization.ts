import { page } from '../graphql/sdl.ts'
import { commonFilters, type EntityType, valueFilter } from '../store/entity-type.ts'
import { usersWithin } from './users.ts'
import { type EntityModule, listAll } from './entity-module.ts'

const organizationType: EntityType = {
  type: 'Organization',
  table: 'organizations',
  columns: { name: 'text', urlKey: 'text' },
  filters: { ...commonFilters, name: valueFilter('words') },
}

/** The workspace, and the rate limits of the caller. */
export const organization: EntityModule = {
  entityTypes: [organizationType],
  sdl: `
type Organization implements Node {
  id: ID!  name: String!  urlKey: String!  userCount: Int!  projectStatuses: [ProjectStatus!]!
  allowedAuthServices: [String!]!  allowedFileUploadContentTypes: [String!]  createdIssueCount: Int!
  authSettings: JSONObject!  customersConfiguration: JSONObject!  defaultFeedSummarySchedule: FeedSummarySchedule
  pullRequestIssueMode: String!  previousUrlKeys: [String!]!  periodUploadVolume: Float!  securitySettings: JSONObject!
  slackProjectChannelIntegration: Integration  logoUrl: String  initiativeUpdateRemindersDay: Day!
  projectUpdateRemindersDay: Day!  defaultHomeView: String  releaseChannel: ReleaseChannel!
  initiativeUpdateReminderFrequencyInWeeks: Float  projectUpdateReminderFrequencyInWeeks: Float
  initiativeUpdateRemindersHour: Float!  projectUpdateRemindersHour: Float!  defaultHomeViewTargetId: String
  updatedAt: DateTime!  customerCount: Int!  slackProjectChannelPrefix: String!  gitBranchFormat: String
  deletionRequestedAt: DateTime  trialStartsAt: DateTime  trialEndsAt: DateTime  archivedAt: DateTime
  createdAt: DateTime!  subscription: PaidSubscription  fiscalYearStartMonth: Float!  hipaaComplianceEnabled: Boolean!
  samlEnabled: Boolean!  scimEnabled: Boolean!  gitLinkbackDescriptionsEnabled: Boolean!  releasesEnabled: Boolean!
  customersEnabled: Boolean!  gitLinkbackMessagesEnabled: Boolean!  gitPublicLinkbackMessagesEnabled: Boolean!
  feedEnabled: Boolean!  suggestedBranchNameEnabled: Boolean!  roadmapEnabled: Boolean!
  pullRequestTourEnabled: Boolean!  aiDiscussionSummariesEnabled: Boolean!  aiThreadSummariesEnabled: Boolean!
  hideNonPrimaryOrganizations: Boolean!  projectUpdatesReminderFrequency: ProjectUpdateReminderFrequency!
  allowMembersToInvite: Boolean  restrictTeamCreationToAdmins: Boolean  restrictLabelManagementToAdmins: Boolean
  slaDayCount: SLADayCountType!
  labels(filter: IssueLabelFilter, ${page}): IssueLabelConnection!
  teams(filter: TeamFilter, ${page}): TeamConnection!
  users(includeDisabled: Boolean, ${page}): UserConnection!
}
type PaidSubscription implements Node {
  collectionMethod: String!  cancelAt: DateTime  canceledAt: DateTime  nextBillingAt: DateTime  updatedAt: DateTime!
  seatsMaximum: Float  seatsMinimum: Float  seats: Float!  type: String!  pendingChangeType: String
  archivedAt: DateTime  createdAt: DateTime!  id: ID!  creator: User
}
enum FeedSummarySchedule { daily never weekly }
enum Day { Friday Monday Saturday Sunday Thursday Tuesday Wednesday }
enum ReleaseChannel { beta development internal preRelease privateBeta public }
enum ProjectUpdateReminderFrequency { month never twoWeeks week }
enum SLADayCountType { all onlyBusinessDays }
extend type Query { organization: Organization! }
type RateLimitPayload { identifier: String  kind: String!  limits: [RateLimitResultPayload!]! }
type RateLimitResultPayload {
  type: String!  requestedAmount: Float!  allowedAmount: Float!  period: Float!  remainingAmount: Float!  reset: Float!
}
extend type Query { rateLimitStatus: RateLimitPayload! }`,
  resolvers: {
    Organization: {
      userCount: (_source, _args, session) => session.count('User', 'a.active = 1'),
      createdIssueCount: (_source, _args, session) => session.count('Issue', 'true'),
      projectStatuses: (_source, _args, session) => session.select('ProjectStatus', 'where a.archivedAt is null order by a.position'),
      labels: (_, args, session) => session.page('IssueLabel', args, { where: 'a.teamId is null', values: {} }),
      teams: listAll('Team'),
      users: (_, args, session) => usersWithin(session, args),
    },
    Query: {
      organization: (_source, _args, session) => session.select('Organization', 'limit 1')[0],
      rateLimitStatus: (_source, _args, session) => ({ identifier: session.viewerId, kind: 'user', limits: session.rateLimits() }),
    },
  },
}
