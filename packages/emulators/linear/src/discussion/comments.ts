import { stringAt } from '@mcp-toolkits/emulator'
import { change, changeRow, type CrudHooks, entity, findRow } from '../engine/crud.ts'
import { type FieldResolver, toMany } from '../engine/entity-module.ts'
import { optionalNonEmptyText, requiredText } from '../engine/inputs.ts'
import { badArgument, forbidden, notFound } from '../errors.ts'
import { issueUrl } from '../issues/issues.ts'
import { reactionData } from '../issues/reactions.ts'
import { subscribe } from '../issues/subscribers.ts'
import { isAdmin } from '../people/admins.ts'
import { columnsOf, type Entity, type EntityType } from '../store/entity-type.ts'
import type { Changes, Session } from '../store/session.ts'
import { wholeTypes } from '../store/visibility.ts'

const comment: EntityType = {
  type: 'Comment',
  table: 'comments',
  columns: columnsOf(`
    body, issueId, parentId?, userId?, editedAt?, resolvedAt?, resolvingUserId?, quotedText?, projectId?, projectUpdateId?, initiativeId?,
    initiativeUpdateId?, documentContentId?
  `),
  laterColumns: ['projectId', 'projectUpdateId', 'initiativeId', 'initiativeUpdateId', 'documentContentId'],
  indexes: ['issueId', 'parentId'],
  searched: ['body'],
}

const targets = ['issueId', 'projectId', 'projectUpdateId', 'initiativeId', 'initiativeUpdateId', 'documentContentId'] as const

function newComment(session: Session, values: Changes): Changes {
  const body = requiredText(values, 'body')
  const parent = session.find('Comment', values['parentId'])
  const given = Object.fromEntries(targets.map((key) => [key, values[key] ?? parent?.[key] ?? null]))
  if (Object.values(given).every((id) => id === null)) throw badArgument('issueId should not be empty.')
  if (parent && targets.some((key) => parent[key] !== given[key])) throw badArgument('parentId must be a comment of the same issue.')
  if (parent && parent['parentId'] !== null) throw badArgument('parentId must be a comment that is not itself a reply.')
  const { issueId = null, documentContentId = null } = given
  if (documentContentId !== null && wholeTypes('documentContentId').every((type) => session.find(type, documentContentId) === null))
    throw notFound('DocumentContent')
  if (typeof issueId === 'string' && values['doNotSubscribeToIssue'] !== true) subscribe(session, issueId, [session.viewerId])
  return { ...given, body, createdAt: values['createdAt'] ?? session.at }
}

/** Changes to a comment. Setting the person who resolved the thread resolves it, dated now. */
function changedComment(session: Session, values: Changes, before: Entity): Changes {
  if (before['userId'] !== session.viewerId) throw forbidden('You can only change your own comments.')
  const body = values['body'] === null ? undefined : optionalNonEmptyText(values, 'body')
  const { resolvingUserId } = values
  return {
    body,
    ...(body !== undefined && { editedAt: session.at }),
    ...(resolvingUserId !== undefined && { resolvedAt: resolvingUserId === null ? null : (before['resolvedAt'] ?? session.at) }),
  }
}

const hooks: CrudHooks = {
  check: (session, values, before) => (before === undefined ? newComment(session, values) : changedComment(session, values, before)),
}

const withoutEdit: CrudHooks = {
  check: (session, values, before) => ({ ...hooks.check?.(session, values, before), editedAt: undefined }),
}

const commentUpdate: FieldResolver = (_, args, session) => {
  const operation = { type: 'Comment', mutation: 'commentUpdate', hooks: args['skipEditedAt'] === true ? withoutEdit : hooks }
  return { comment: change(session, operation, args) }
}

function ownComment(session: Session, id: unknown): Entity {
  const row = findRow(session, 'Comment', id)
  if (row['userId'] !== session.viewerId && !isAdmin(session)) throw forbidden('You can only delete your own comments.')
  return row
}

const commentDelete: FieldResolver = (_, args, session) => {
  const id = ownComment(session, args['id']).id
  for (const reply of session.select('Comment', 'where a.parentId = :id', { id })) session.remove('Comment', reply.id)
  session.remove('Comment', id)
  return { entityId: id }
}

/** Resolves a thread, or opens it again. */
const resolution =
  (isResolved: boolean): FieldResolver =>
  (_, args, session) => {
    const before = findRow(session, 'Comment', args['id'])
    if (before['parentId'] !== null) throw badArgument('Only the first comment of a thread can be resolved.')
    const { resolvingCommentId } = args
    const answer = typeof resolvingCommentId === 'string' ? findRow(session, 'Comment', resolvingCommentId).id : null
    const changes = isResolved
      ? { resolvedAt: session.at, resolvingUserId: session.viewerId, resolvingCommentId: answer }
      : { resolvedAt: null, resolvingUserId: null, resolvingCommentId: null }
    return { comment: changeRow(session, { type: 'Comment', before, changes }) }
  }

/** Comments on issues, projects and updates. */
export const comments = entity(comment, {
  ...hooks,
  fields: {
    url(source, _, session) {
      const issue = session.find('Issue', source['issueId'])
      const place = `#comment-${stringAt(source, 'id').slice(0, 8)}`
      return issue === null ? session.pageUrl(`/comment${place}`) : issueUrl(session, issue, place)
    },
    children: toMany('Comment', 'parentId'),
    reactionData: reactionData('commentId'),
  },
  queries: { comment: (_, args, session) => findRow(session, 'Comment', args['id']) },
  mutations: { commentUpdate, commentDelete, commentResolve: resolution(true), commentUnresolve: resolution(false) },
})
