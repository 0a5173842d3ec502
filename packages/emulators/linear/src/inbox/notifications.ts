import { type JsonObject, stringAt } from '@mcp-toolkits/emulator'
import { isUuid } from '../ids.ts'
import { inputOf, optionalTime, requiredEntity } from '../engine/inputs.ts'
import { notFound } from '../errors.ts'
import { connection, filterTypes, page } from '../graphql/sdl.ts'
import { commonFilters, type EntityType, valueFilter } from '../store/entity-type.ts'
import type { Session } from '../store/session.ts'
import { type EntityModule, type FieldResolver, toOne } from '../engine/entity-module.ts'
import { issueUrl } from '../issues/issues.ts'

const notification: EntityType = {
  type: 'Notification',
  table: 'notifications',
  columns: {
    kind: 'text',
    type: 'text',
    category: 'text',
    userId: 'text',
    actorId: 'text?',
    issueId: 'text?',
    commentId: 'text?',
    projectId: 'text?',
    projectUpdateId: 'text?',
    initiativeId: 'text?',
    documentId: 'text?',
    readAt: 'text?',
    snoozedUntilAt: 'text?',
  },
  indexes: ['userId'],
  filters: { ...commonFilters, type: valueFilter('words'), archivedAt: valueFilter('time', 'DateComparator') },
}

/** The title of the issue, project or initiative of a notification. */
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
  user: toOne('User', 'userId'),
  actor: toOne('User', 'actorId'),
}

const ownNotifications = (where: string, { viewerId }: Session, values: Record<string, string> = {}) => ({
  where: `a.userId = :me and ${where}`,
  values: { me: viewerId, ...values },
})

/** Notifications of the caller. */
export const notifications: EntityModule = {
  entityTypes: [notification],
  sdl: `
interface Notification {
  id: ID!  type: String!  category: NotificationCategory!  createdAt: DateTime!  updatedAt: DateTime!  readAt: DateTime
  snoozedUntilAt: DateTime  title: String!  subtitle: String!  url: String!  actor: User  botActor: ActorBot
  externalUserActor: ExternalUser  user: User!  unsnoozedAt: DateTime  emailedAt: DateTime  archivedAt: DateTime
}
enum NotificationCategory { appsAndIntegrations assignments billing commentsAndReplies customers documentChanges feed loops mentions postsAndUpdates reactions reminders reviews statusChanges subscriptions system triage }
type IssueNotification implements Entity & Node & Notification {
  issue: Issue!  comment: Comment  reactionEmoji: String  type: String!  commentId: String  issueId: String!
  parentCommentId: String  botActor: ActorBot  category: NotificationCategory!  externalUserActor: ExternalUser
  updatedAt: DateTime!  parentComment: Comment  user: User!  subscriptions: [NotificationSubscription!]  team: Team!
  unsnoozedAt: DateTime  emailedAt: DateTime  archivedAt: DateTime  createdAt: DateTime!  readAt: DateTime
  snoozedUntilAt: DateTime  id: ID!  actor: User  subtitle: String!  title: String!  url: String!
}
type ProjectNotification implements Entity & Node & Notification {
  project: Project!  projectUpdate: ProjectUpdate  reactionEmoji: String  type: String!  commentId: String
  parentCommentId: String  projectId: String!  projectMilestoneId: String  projectUpdateId: String  botActor: ActorBot
  category: NotificationCategory!  comment: Comment  document: Document  externalUserActor: ExternalUser
  updatedAt: DateTime!  parentComment: Comment  user: User!  unsnoozedAt: DateTime  emailedAt: DateTime
  archivedAt: DateTime  createdAt: DateTime!  readAt: DateTime  snoozedUntilAt: DateTime  id: ID!  actor: User
  subtitle: String!  title: String!  url: String!
}
type InitiativeNotification implements Entity & Node & Notification {
  initiative: Initiative  reactionEmoji: String  type: String!  commentId: String  initiativeId: String!
  initiativeUpdateId: String  parentCommentId: String  botActor: ActorBot  category: NotificationCategory!
  comment: Comment  document: Document  externalUserActor: ExternalUser  initiativeUpdate: InitiativeUpdate
  updatedAt: DateTime!  parentComment: Comment  user: User!  unsnoozedAt: DateTime  emailedAt: DateTime
  archivedAt: DateTime  createdAt: DateTime!  readAt: DateTime  snoozedUntilAt: DateTime  id: ID!  actor: User
  subtitle: String!  title: String!  url: String!
}
type DocumentNotification implements Entity & Node & Notification {
  documentId: String!  reactionEmoji: String  type: String!  commentId: String  parentCommentId: String
  botActor: ActorBot  category: NotificationCategory!  externalUserActor: ExternalUser  updatedAt: DateTime!
  user: User!  unsnoozedAt: DateTime  emailedAt: DateTime  archivedAt: DateTime  createdAt: DateTime!  readAt: DateTime
  snoozedUntilAt: DateTime  id: ID!  actor: User  subtitle: String!  title: String!  url: String!
}
${connection('Notification')}
${filterTypes(notification)}
extend type Query {
  notification(id: String!): Notification!
  notifications(filter: NotificationFilter, ${page}): NotificationConnection!
  inboxNotifications(after: String, first: Int, unreadOnly: Boolean): NotificationConnection!
}
type NotificationPayload { lastSyncId: Float!  notification: Notification!  success: Boolean! }
input NotificationUpdateInput { readAt: DateTime  snoozedUntilAt: DateTime }
extend type Mutation {
  notificationUpdate(id: String!, input: NotificationUpdateInput!): NotificationPayload!
}`,
  resolvers: {
    IssueNotification: {
      ...shared,
      issue: toOne('Issue', 'issueId'),
      comment: toOne('Comment', 'commentId'),
      team: (source, _, session) => session.get('Team', stringAt(session.get('Issue', stringAt(source, 'issueId')), 'teamId')),
    },
    ProjectNotification: { ...shared, project: toOne('Project', 'projectId'), projectUpdate: toOne('ProjectUpdate', 'projectUpdateId') },
    InitiativeNotification: { ...shared, initiative: toOne('Initiative', 'initiativeId') },
    DocumentNotification: shared,
    Query: {
      notification(_, args, session) {
        const id = stringAt(args, 'id')
        const found = isUuid(id) ? session.find('Notification', id.toLowerCase()) : null
        if (found?.['userId'] !== session.viewerId) throw notFound('Notification')
        return found
      },
      notifications: (_, args, session) => session.page('Notification', args, ownNotifications('true', session)),
      inboxNotifications(_, args, session) {
        const notSnoozed = '(a.snoozedUntilAt is null or a.snoozedUntilAt <= :now)'
        const unread = args['unreadOnly'] === true ? ' and a.readAt is null' : ''
        return session.page('Notification', args, ownNotifications(`${notSnoozed}${unread}`, session, { now: session.at }))
      },
    },
    Mutation: {
      notificationUpdate(_, args, session) {
        const before = requiredEntity(session, 'Notification', args['id'], 'id')
        if (before['userId'] !== session.viewerId) throw notFound('Notification')
        const input = inputOf(args)
        const changes = {
          readAt: optionalTime(input, 'readAt', session.now),
          snoozedUntilAt: optionalTime(input, 'snoozedUntilAt', session.now),
        }
        return { notification: session.update('Notification', stringAt(before, 'id'), changes) }
      },
    },
  },
}
