import { type JsonObject, stringAt } from '@mcp-toolkits/emulator'
import { connection, filterTypes, page } from '../graphql/sdl.ts'
import type { ConnectionScope } from '../store/tables.ts'
import { commonFilters, computedFilter, type EntityType, manyFilter, valueFilter } from '../store/entity-type.ts'
import type { Session } from '../store/session.ts'
import { constant, type EntityModule, getById, listAll, manyToMany, toMany } from '../engine/entity-module.ts'

const user: EntityType = {
  type: 'User',
  table: 'users',
  columns: {
    name: 'text',
    displayName: 'text',
    email: 'text',
    active: 'integer',
    admin: 'integer',
    owner: 'integer',
    guest: 'integer',
    app: 'integer',
    timezone: 'text?',
    title: 'text?',
    avatarBackgroundColor: 'text',
  },
  filters: {
    ...commonFilters,
    name: valueFilter('words'),
    displayName: valueFilter('words'),
    email: valueFilter('words'),
    active: valueFilter('flag'),
    admin: valueFilter('flag'),
    app: valueFilter('flag'),
    owner: valueFilter('flag'),
    isMe: computedFilter('flag', (alias, { viewer }) => `(${alias}.id = ${viewer()})`),
    assignedIssues: manyFilter('Issue', (alias, other) => `${other}.assigneeId = ${alias}.id`),
  },
}

/** A connection of users, without deactivated ones unless the arguments include them. */
export function usersWithin(session: Session, args: JsonObject, scope?: ConnectionScope) {
  const active = args['includeDisabled'] === true ? 'true' : 'a.active = 1'
  return session.page('User', args, { where: scope === undefined ? active : `${scope.where} and ${active}`, values: scope?.values ?? {} })
}

/** People and apps. */
export const users: EntityModule = {
  entityTypes: [user],
  sdl: `
type User implements Node {
  id: ID!  name: String!  displayName: String!  email: String!  active: Boolean!  admin: Boolean!  guest: Boolean!
  app: Boolean!  timezone: String  url: String!  organization: Organization!  isMe: Boolean!  description: String
  avatarUrl: String  createdIssueCount: Int!  avatarBackgroundColor: String!  statusUntilAt: DateTime
  statusEmoji: String  initials: String!  updatedAt: DateTime!  lastSeen: DateTime  disableReason: String
  statusLabel: String  archivedAt: DateTime  createdAt: DateTime!  gitHubUserId: String  title: String
  isAssignable: Boolean!  isMentionable: Boolean!  owner: Boolean!  supportsAgentSessions: Boolean!
  canAccessAnyPublicTeam: Boolean!  calendarHash: String  inviteHash: String!
  teams(filter: TeamFilter, ${page}): TeamConnection!
  assignedIssues(filter: IssueFilter, ${page}): IssueConnection!
  createdIssues(filter: IssueFilter, ${page}): IssueConnection!
}
${connection('User')}
${filterTypes(user, { nullable: true, collection: true })}
input UserSortInput { name: UserNameSort  displayName: UserDisplayNameSort }
input UserNameSort { nulls: PaginationNulls  order: PaginationSortOrder }
input UserDisplayNameSort { nulls: PaginationNulls  order: PaginationSortOrder }
extend type Query {
  viewer: User!
  user(id: String!): User!
  users(filter: UserFilter, includeDisabled: Boolean, sort: [UserSortInput!], ${page}): UserConnection!
}`,
  resolvers: {
    User: {
      isMe: (source, _, { viewerId }) => source['id'] === viewerId,
      url: (source, _, { pageUrl }) => pageUrl(`/profiles/${stringAt(source, 'displayName')}`),
      initials: (source) =>
        stringAt(source, 'name')
          .split(' ')
          .map((word) => word.slice(0, 1).toUpperCase())
          .join(''),
      organization: (_source, _args, session) => session.select('Organization', 'limit 1')[0],
      isAssignable: (source) => source['active'] === 1,
      isMentionable: (source) => source['active'] === 1,
      canAccessAnyPublicTeam: (source) => source['guest'] === 0,
      supportsAgentSessions: constant(false),
      createdIssueCount: (source, _, session) => session.count('Issue', 'a.creatorId = :id', { id: stringAt(source, 'id') }),
      teams: manyToMany('Team', ['teamMembers', 'userId', 'teamId']),
      assignedIssues: toMany('Issue', 'assigneeId'),
      createdIssues: toMany('Issue', 'creatorId'),
    },
    Query: {
      viewer: (_source, _args, session) => session.get('User', session.viewerId),
      user: getById('User'),
      users: (_, args, session) => usersWithin(session, args),
    },
  },
}

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
