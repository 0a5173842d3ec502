import { isObject, type JsonObject, parseJson, stringAt } from '@mcp-toolkits/emulator'
import type { FieldResolver, Resolvers } from '../engine/entity-module.ts'
import { findIssue } from '../issues/issues.ts'
import { badArgument, notFound } from '../errors.ts'
import { archive, inputOf, optionalObject, optionalTime } from '../engine/inputs.ts'
import type { EntityRow } from '../store/entity-type.ts'
import type { Changes, Session } from '../store/session.ts'
import { findRow, type CrudHooks, crudOperations } from '../engine/crud.ts'

/** The notifications of the caller about one entity, or all. */
function notificationsAbout(session: Session, args: JsonObject): EntityRow[] {
  const { id, ...about } = optionalObject(args['input'])
  const conditions = Object.entries({ ...about, ...(typeof id === 'string' && { id }) }).flatMap(([key, value]) =>
    typeof value === 'string' ? [[key, value] as const] : [],
  )
  const isKnown = ([key]: readonly [string, string]) => ['id', 'issueId', 'projectId', 'initiativeId', 'projectUpdateId'].includes(key)
  if (conditions.length === 0 || !conditions.every(isKnown))
    throw badArgument('input must name an issue, a project, an initiative or a notification.')
  const where = conditions.map(([key]) => `a.${key} = :${key}`).join(' and ')
  return session.select('Notification', `where a.userId = :me and a.archivedAt is null and ${where}`, {
    me: session.viewerId,
    ...Object.fromEntries(conditions),
  })
}

const changeAll =
  (changes: (args: JsonObject, session: Session) => Changes): FieldResolver =>
  (_, args, session) => ({
    notifications: notificationsAbout(session, args).map((each) =>
      session.update('Notification', stringAt(each, 'id'), changes(args, session)),
    ),
  })

function ownNotification(session: Session, id: unknown): EntityRow {
  const row = findRow(session, 'Notification', id)
  if (row['userId'] !== session.viewerId) throw notFound('Notification')
  return row
}

const subscriptionTargets = ['customView', 'customer', 'cycle', 'initiative', 'label', 'project', 'team', 'user'] as const

const subscription: CrudHooks = {
  defaults(_session, values) {
    const target = subscriptionTargets.find((name) => typeof values[`${name}Id`] === 'string')
    if (target === undefined) throw badArgument('The subscription must name what it is for, such as projectId.')
    return { active: true, kind: `${target.slice(0, 1).toUpperCase()}${target.slice(1)}NotificationSubscription` }
  },
}

const favoriteTargets = [
  'issue',
  'project',
  'cycle',
  'customView',
  'document',
  'initiative',
  'label',
  'projectLabel',
  'user',
  'customer',
  'release',
  'team',
]

/** Favorites have the type of their target. */
const favorite: CrudHooks = {
  defaults(_session, values) {
    const target = favoriteTargets.find((name) => typeof values[`${name}Id`] === 'string')
    const type =
      target ??
      (typeof values['folderName'] === 'string'
        ? 'folder'
        : typeof values['predefinedViewType'] === 'string'
          ? 'predefinedView'
          : undefined)
    if (type === undefined) throw badArgument('The favorite must name what it leads to, such as issueId.')
    return { type }
  },
  beforeRemoval(session, row) {
    for (const child of session.select('Favorite', 'where a.parentId = :id', { id: stringAt(row, 'id') }))
      session.remove('Favorite', stringAt(child, 'id'))
  },
}

const favoriteKeys = [...favoriteTargets.map((name) => `${name}Id`), 'folderName', 'predefinedViewType']

const favorites = crudOperations('Favorite', favorite)

/** Creates a favorite, or returns the one that leads to the same entity. */
const favoriteCreate: FieldResolver = (source, args, session) => {
  const input = inputOf(args)
  const keys = favoriteKeys.filter((key) => typeof input[key] === 'string')
  if (keys.length > 1) throw badArgument(`The favorite must lead to one entity, and not to both ${keys.join(' and ')}.`)
  const [key] = keys
  const isIssue = key === 'issueId'
  const target = isIssue ? stringAt(findIssue(session, stringAt(input, 'issueId')), 'id') : key === undefined ? '' : stringAt(input, key)
  const sql = key === undefined || key === 'folderName' ? 'where false' : `where a.ownerId = :me and a.${key} = :target`
  const existing = session.select('Favorite', sql, sql === 'where false' ? {} : { me: session.viewerId, target })[0]
  return existing === undefined ? favorites['Mutation']?.['favoriteCreate']?.(source, args, session) : { favorite: existing }
}

/** Deletes a favorite; one that does not exist is deleted already. */
const deleteIfPresent =
  (type: string, mutation: FieldResolver | undefined): FieldResolver =>
  (source, args, session) =>
    session.find(type, args['id']) === null ? { entityId: args['id'] } : mutation?.(source, args, session)

/** The entities of the caller. */
const ownOnly =
  (type: string, key: string): FieldResolver =>
  (_, args, session) =>
    session.page(type, args, { where: `a.${key} = :me`, values: { me: session.viewerId } })

const titleOf: FieldResolver = (source, _, session) => {
  if (typeof source['folderName'] === 'string') return source['folderName']
  const names: readonly (readonly [string, string, string])[] = [
    ['Issue', 'issueId', 'title'],
    ['Project', 'projectId', 'name'],
    ['Document', 'documentId', 'title'],
    ['CustomView', 'customViewId', 'name'],
    ['Initiative', 'initiativeId', 'name'],
    ['Cycle', 'cycleId', 'name'],
    ['IssueLabel', 'labelId', 'name'],
    ['User', 'userId', 'name'],
  ]
  return names.map(([type, key, name]) => session.find(type, source[key])?.[name]).find((name) => typeof name === 'string') ?? ''
}

/** The entities that a view shows: those that its filter selects. */
const viewed =
  (type: string, key: string): FieldResolver =>
  (source, args, session) => {
    const stored = typeof source[key] === 'string' ? parseJson(source[key]) : source[key]
    const own = isObject(args['filter']) ? [args['filter']] : []
    const team = type === 'Issue' && typeof source['teamId'] === 'string' ? [{ team: { id: { eq: source['teamId'] } } }] : []
    return session.page(type, { ...args, filter: { and: [optionalObject(stored), ...own, ...team] } })
  }

/** Notifications, favorites, views and templates. */
export const personalOperations: readonly Resolvers[] = [
  crudOperations('NotificationSubscription', subscription),
  favorites,
  crudOperations('CustomView', { defaults: () => ({ shared: false, modelName: 'Issue', filterData: '{}' }) }),
  crudOperations('Template', {
    queries: { templates: (_source, _args, session) => session.select('Template', 'where a.archivedAt is null order by a.name') },
  }),
  {
    Query: {
      notificationsUnreadCount: (_source, _args, session) =>
        session.count('Notification', 'a.userId = :me and a.readAt is null and a.archivedAt is null', { me: session.viewerId }),
      favorites: ownOnly('Favorite', 'ownerId'),
      notificationSubscriptions: ownOnly('NotificationSubscription', 'subscriberId'),
      templateSearch: (_source, args, session) => session.page('Template', args).nodes,
      customViewHasSubscribers: (_, args, session) => ({
        hasSubscribers: session.count('NotificationSubscription', 'a.customViewId = :id', { id: stringAt(args, 'id') }) > 0,
      }),
    },
    Mutation: {
      favoriteCreate,
      favoriteDelete: deleteIfPresent('Favorite', favorites['Mutation']?.['favoriteDelete']),
      notificationArchive: (_, args, session) => ({
        entity: archive(session, 'Notification', ownNotification(session, args['id']), false),
      }),
      notificationUnarchive: (_, args, session) => ({
        entity: session.update('Notification', stringAt(ownNotification(session, args['id']), 'id'), { archivedAt: null }),
      }),
      notificationArchiveAll: changeAll((_args, { at }) => ({ archivedAt: at })),
      notificationMarkReadAll: changeAll((args, { now }) => ({ readAt: optionalTime(args, 'readAt', now) ?? null })),
      notificationMarkUnreadAll: changeAll(() => ({ readAt: null })),
      notificationSnoozeAll: changeAll((args, { now }) => ({ snoozedUntilAt: optionalTime(args, 'snoozedUntilAt', now) ?? null })),
      notificationUnsnoozeAll: changeAll(() => ({ snoozedUntilAt: null })),
    },
    Favorite: { title: titleOf },
    CustomView: {
      issues: viewed('Issue', 'filterData'),
      projects: viewed('Project', 'projectFilterData'),
      initiatives: viewed('Initiative', 'initiativeFilterData'),
      filters: (source) => (typeof source['filterData'] === 'string' ? parseJson(source['filterData']) : {}),
    },
  },
]
