import { type JsonObject, stringAt } from '@mcp-toolkits/emulator'
import { findRow, changeRow } from '../engine/crud.ts'
import { type EntityModule, type FieldResolver, getById, manyToMany, toMany } from '../engine/entity-module.ts'
import { readInput } from '../engine/input-values.ts'
import { inputOf } from '../engine/inputs.ts'
import { badArgument } from '../errors.ts'
import { columnsOf, type Entity, type EntityType, flagFilter, manyFilter } from '../store/entity-type.ts'
import type { Changes, Session } from '../store/session.ts'
import type { ConnectionScope } from '../store/tables.ts'
import { requireAdmin } from './admins.ts'

const user: EntityType = {
  type: 'User',
  table: 'users',
  columns: columnsOf(`
    name, displayName, email, active: integer, admin: integer, owner: integer, guest: integer, app: integer, timezone?, title?,
    avatarBackgroundColor
  `),
  searched: ['name', 'displayName', 'email'],
  filters: {
    isMe: flagFilter((alias, { viewer }) => `(${alias}.id = ${viewer()})`),
    assignedIssues: manyFilter('Issue', 'assigneeId'),
  },
}

/** A connection of users, without deactivated ones unless the arguments include them. */
export function usersWithin(session: Session, args: JsonObject, scope?: ConnectionScope) {
  const active = args['includeDisabled'] === true ? 'true' : 'a.active = 1'
  return session.page('User', args, { where: scope === undefined ? active : `${scope.where} and ${active}`, values: scope?.values ?? {} })
}

const userUpdate: FieldResolver = (_, args, session) => {
  const reference = stringAt(args, 'id')
  const before = session.get('User', reference === 'me' ? session.viewerId : reference)
  if (before.id !== session.viewerId) requireAdmin(session)
  const changes = readInput(session, { mutation: 'userUpdate', type: 'User', input: inputOf(args) })
  const { displayName } = changes
  const others = 'a.displayName = :displayName and a.id <> :id'
  if (typeof displayName === 'string' && session.count('User', others, { displayName, id: before.id }) > 0)
    throw badArgument('displayName is already in use by another user.')
  return { user: changeRow(session, { type: 'User', before, changes }) }
}

const changeUser =
  (changes: (args: JsonObject) => Changes): FieldResolver =>
  (_, args, session) => {
    requireAdmin(session)
    const before = findRow(session, 'User', args['id'])
    if (before.id === session.viewerId) throw badArgument('You cannot do this to yourself.')
    session.update('User', before.id, changes(args))
    return {}
  }

/** The caller's stored settings. */
const storedSettings = (session: Session) => session.select('UserSettings', 'where a.userId = :me', { me: session.viewerId })[0]

/** The caller's settings, which exist from the start. */
function settingsOf(session: Session): Entity {
  const { viewerId: id, at } = session
  return storedSettings(session) ?? { id, userId: id, createdAt: at, updatedAt: at, archivedAt: null }
}

const userSettingsUpdate: FieldResolver = (_, args, session) => {
  const changes = readInput(session, { mutation: 'userSettingsUpdate', type: 'UserSettings', input: inputOf(args) })
  const before = storedSettings(session)
  const userSettings = before
    ? session.update('UserSettings', before.id, changes)
    : session.insert('UserSettings', { ...changes, id: `${session.viewerId.slice(0, 35)}0`, userId: session.viewerId })
  return { userSettings }
}

/** People and apps, and people's settings. */
export const users: EntityModule = {
  entityTypes: [user],
  records: ['UserSettings'],
  resolvers: {
    User: {
      isMe: (source, _, { viewerId }) => source['id'] === viewerId,
      url: (source, _, { pageUrl }) => pageUrl(`/profiles/${stringAt(source, 'displayName')}`),
      initials: (source) =>
        stringAt(source, 'name')
          .split(' ')
          .map((word) => word.slice(0, 1).toUpperCase())
          .join(''),
      isAssignable: (source) => source['active'] === 1,
      isMentionable: (source) => source['active'] === 1,
      canAccessAnyPublicTeam: (source) => source['guest'] === 0,
      supportsAgentSessions: () => false,
      createdIssueCount: (source, _, session) => session.count('Issue', 'a.creatorId = :id', { id: stringAt(source, 'id') }),
      teams: manyToMany('Team', ['teamMembers', 'userId', 'teamId']),
      teamMemberships: toMany('TeamMembership', 'userId'),
      assignedIssues: toMany('Issue', 'assigneeId'),
      delegatedIssues: toMany('Issue', 'delegateId'),
      createdIssues: toMany('Issue', 'creatorId'),
    },
    Query: {
      viewer: (_source, _args, session) => session.get('User', session.viewerId),
      user: getById('User'),
      users: (_, args, session) => usersWithin(session, args),
      userSettings: (_source, _args, session) => settingsOf(session),
    },
    Mutation: {
      userUpdate,
      userSuspend: changeUser(() => ({ active: false })),
      userUnsuspend: changeUser(() => ({ active: true })),
      userChangeRole: changeUser(({ role }) => ({
        admin: role === 'admin' || role === 'owner',
        owner: role === 'owner',
        guest: role === 'guest',
      })),
      userSettingsUpdate,
    },
  },
}
