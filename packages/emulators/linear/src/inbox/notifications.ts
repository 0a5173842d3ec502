import { type JsonObject, stringAt } from '@mcp-toolkits/emulator'
import { findRow } from '../engine/crud.ts'
import type { EntityModule, FieldResolver } from '../engine/entity-module.ts'
import { archive, inputOf, optionalObject, optionalTime } from '../engine/inputs.ts'
import { badArgument, notFound } from '../errors.ts'
import { issueUrl } from '../issues/issues.ts'
import { columnsOf, type Entity, type EntityType } from '../store/entity-type.ts'
import type { Changes, Session } from '../store/session.ts'

const notification: EntityType = {
  type: 'Notification',
  table: 'notifications',
  columns: columnsOf(`
    kind, type, category, userId, actorId?, issueId?, commentId?, projectId?, projectUpdateId?, initiativeId?, documentId?, readAt?,
    snoozedUntilAt?
  `),
  indexes: ['userId'],
  searched: ['type'],
}

/** The title of a notification's issue, project or initiative. */
function titleOf(source: JsonObject, session: Session): string {
  const issue = session.find('Issue', source['issueId'])
  if (issue !== null) return `${stringAt(issue, 'identifier')} ${stringAt(issue, 'title')}`
  const about = session.find('Project', source['projectId']) ?? session.find('Initiative', source['initiativeId'])
  return about === null ? 'Document' : stringAt(about, 'name')
}

const subtitleOf: FieldResolver = (source, _, session) => {
  const actor = session.find('User', source['actorId'])
  return `${actor === null ? 'Linear' : stringAt(actor, 'displayName')}: ${stringAt(source, 'type')}`
}

const urlOf: FieldResolver = (source, _, session) => {
  const issue = session.find('Issue', source['issueId'])
  return issue === null ? session.pageUrl('/inbox') : issueUrl(session, issue)
}

const shared: Readonly<Record<string, FieldResolver>> = {
  title: (source, _, session) => titleOf(source, session),
  subtitle: subtitleOf,
  url: urlOf,
}

const ownNotifications = (where: string, { viewerId }: Session, values: Record<string, string> = {}) => ({
  where: `a.userId = :me and ${where}`,
  values: { me: viewerId, ...values },
})

/** The caller's notifications about an entity, or the one with an id. */
function notificationsAbout(session: Session, args: JsonObject): Entity[] {
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
    notifications: notificationsAbout(session, args).map((each) => session.update('Notification', each.id, changes(args, session))),
  })

function ownNotification(session: Session, id: unknown): Entity {
  const row = findRow(session, 'Notification', id)
  if (row['userId'] !== session.viewerId) throw notFound('Notification')
  return row
}

export const notifications: EntityModule = {
  entityTypes: [notification],
  resolvers: {
    IssueNotification: {
      ...shared,
      team: (source, _, session) => session.get('Team', stringAt(session.get('Issue', stringAt(source, 'issueId')), 'teamId')),
    },
    ProjectNotification: shared,
    InitiativeNotification: shared,
    DocumentNotification: shared,
    Query: {
      notification: (_, args, session) => ownNotification(session, args['id']),
      notifications: (_, args, session) => session.page('Notification', args, ownNotifications('true', session)),
      inboxNotifications(_, args, session) {
        const notSnoozed = '(a.snoozedUntilAt is null or a.snoozedUntilAt <= :now)'
        const unread = args['unreadOnly'] === true ? ' and a.readAt is null' : ''
        return session.page('Notification', args, ownNotifications(`${notSnoozed}${unread}`, session, { now: session.at }))
      },
      notificationsUnreadCount: (_source, _args, session) =>
        session.count('Notification', 'a.userId = :me and a.readAt is null and a.archivedAt is null', { me: session.viewerId }),
    },
    Mutation: {
      notificationUpdate(_, args, session) {
        const input = inputOf(args)
        const changes = {
          readAt: optionalTime(input, 'readAt', session.now),
          snoozedUntilAt: optionalTime(input, 'snoozedUntilAt', session.now),
        }
        return { notification: session.update('Notification', ownNotification(session, args['id']).id, changes) }
      },
      notificationArchive: (_, args, session) => ({
        entity: archive(session, 'Notification', ownNotification(session, args['id']), false),
      }),
      notificationUnarchive: (_, args, session) => ({
        entity: session.update('Notification', ownNotification(session, args['id']).id, { archivedAt: null }),
      }),
      notificationArchiveAll: changeAll((_args, { at }) => ({ archivedAt: at })),
      notificationMarkReadAll: changeAll((args, { now }) => ({ readAt: optionalTime(args, 'readAt', now) ?? null })),
      notificationMarkUnreadAll: changeAll(() => ({ readAt: null })),
      notificationSnoozeAll: changeAll((args, { now }) => ({ snoozedUntilAt: optionalTime(args, 'snoozedUntilAt', now) ?? null })),
      notificationUnsnoozeAll: changeAll(() => ({ snoozedUntilAt: null })),
    },
  },
}
