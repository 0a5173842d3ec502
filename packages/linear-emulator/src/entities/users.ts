import { workspaceUrl } from '../ids.ts'
import { type EntityModule, getById, constant, toMany, manyToMany } from './entity-module.ts'
import { commonFilters, computedFilter, manyFilter, valueFilter, type EntityType } from '../store/entity-type.ts'
import type { ConnectionScope } from '../store/connections.ts'
import { connection, filterTypes, page } from '../graphql/sdl.ts'
import type { Session } from '../store/session.ts'
import { stringAt, type JsonObject } from '@mcp-toolkits/emulator'

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
      url: (source) => `${workspaceUrl}/profiles/${stringAt(source, 'displayName')}`,
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
