import { isObject, stringAt } from '@mcp-toolkits/emulator'
import type { FieldResolver, Resolvers } from '../engine/entity-module.ts'
import { resolverOf } from '../entities.ts'
import { badArgument, forbidden } from '../errors.ts'
import { inputOf, optionalText, requiredText, requiredUrl } from '../engine/inputs.ts'
import type { EntityRow } from '../store/entity-type.ts'
import type { Session } from '../store/session.ts'
import { isAdmin } from '../people/admins.ts'
import { withExtras } from '../engine/fields.ts'
import { changeRow, findRow, type CrudHooks, crudOperations } from '../engine/crud.ts'

function ownComment(session: Session, id: unknown): EntityRow {
  const row = findRow(session, 'Comment', id)
  if (row['userId'] !== session.viewerId && !isAdmin(session)) throw forbidden('You can only delete your own comments.')
  return row
}

/** Deletes a comment with its replies. */
const commentDelete: FieldResolver = (_, args, session) => {
  const id = stringAt(ownComment(session, args['id']), 'id')
  for (const reply of session.select('Comment', 'where a.parentId = :id', { id })) session.remove('Comment', stringAt(reply, 'id'))
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
    const answer = typeof resolvingCommentId === 'string' ? stringAt(findRow(session, 'Comment', resolvingCommentId), 'id') : null
    const changes = isResolved
      ? { resolvedAt: session.at, resolvingUserId: session.viewerId, resolvingCommentId: answer }
      : { resolvedAt: null, resolvingUserId: null, resolvingCommentId: null }
    return { comment: changeRow(session, { type: 'Comment', before, changes }) }
  }

/** Naming a resolver resolves the thread at that moment. */
const commentUpdate: FieldResolver = (source, args, session) => {
  const served = resolverOf('Mutation', 'commentUpdate')
  const payload = served && withExtras('commentUpdate', served)(source, args, session)
  const { resolvingUserId } = inputOf(args)
  if (resolvingUserId === undefined) return payload
  const before = findRow(session, 'Comment', args['id'])
  const resolvedAt = resolvingUserId === null ? null : (before['resolvedAt'] ?? session.at)
  return { comment: changeRow(session, { type: 'Comment', before, changes: { resolvedAt } }) }
}

const reactionTargets = ['commentId', 'issueId', 'projectUpdateId', 'initiativeUpdateId']

const reaction: CrudHooks = {
  check(_session, values) {
    if (reactionTargets.filter((key) => typeof values[key] === 'string').length !== 1)
      throw badArgument(`Exactly one of ${reactionTargets.join(', ')} must be given.`)
    return undefined
  },
  beforeRemoval(session, row) {
    if (row['userId'] !== session.viewerId) throw forbidden('You can only delete your own reactions.')
  },
}

/** The reactions to a comment, issue or update, by emoji. */
const reactionData =
  (key: string): FieldResolver =>
  (source, _, session) => {
    const all = session.select('Reaction', `where a.${key} = :id order by a.createdAt`, { id: stringAt(source, 'id') })
    const emojis = [...new Set(all.map((each) => stringAt(each, 'emoji')))]
    return emojis.map((emoji) => ({
      emoji,
      reactions: all
        .filter((each) => each['emoji'] === emoji)
        .map((each) => ({ id: each['id'], userId: each['userId'], reactedAt: each['createdAt'] })),
    }))
  }

const attachmentUpdate: FieldResolver = (_, args, session) => {
  const before = findRow(session, 'Attachment', args['id'])
  const input = inputOf(args)
  const metadata = isObject(input['metadata']) ? { metadata: JSON.stringify(input['metadata']) } : {}
  const changes = {
    title: requiredText(input, 'title'),
    subtitle: optionalText(input, 'subtitle'),
    iconUrl: optionalText(input, 'iconUrl'),
    ...metadata,
  }
  return { attachment: changeRow(session, { type: 'Attachment', before, changes }) }
}

const attachmentDelete: FieldResolver = (_, args, session) => ({
  entityId: session.remove('Attachment', stringAt(findRow(session, 'Attachment', args['id']), 'id'))['id'],
})

interface LinkedService {
  readonly sourceType: string
  /** Name of the entity in the address. */
  readonly subject: string
  /** Addresses of the service, which may be one of the company itself. */
  readonly address: RegExp
}

const links: Readonly<Record<string, LinkedService>> = {
  attachmentLinkGitHubPR: {
    sourceType: 'github',
    subject: 'a pull request of GitHub',
    address: /^https:\/\/[^/]+\/[^/]+\/[^/]+\/pull\/\d+/,
  },
  attachmentLinkGitHubIssue: {
    sourceType: 'github',
    subject: 'an issue of GitHub',
    address: /^https:\/\/[^/]+\/[^/]+\/[^/]+\/issues\/\d+/,
  },
  attachmentLinkGitLabMR: {
    sourceType: 'gitlab',
    subject: 'a merge request of GitLab',
    address: /^https:\/\/[^/]+\/.+\/merge_requests\/\d+/,
  },
  attachmentLinkSlack: {
    sourceType: 'slack',
    subject: 'a message of Slack',
    address: /^https:\/\/[^/]+\.slack\.com\/archives\/[^/]+\/p\d+/,
  },
  attachmentLinkDiscord: {
    sourceType: 'discord',
    subject: 'a message of Discord',
    address: /^https:\/\/(?:\w+\.)?discord\.com\/channels\/[^/]+\/\d+\/\d+/,
  },
  attachmentLinkSalesforce: {
    sourceType: 'salesforce',
    subject: 'a page of Salesforce',
    address: /^https:\/\/[^/]+\.(?:salesforce|force)\.com\//,
  },
}

/** A link to another service, which is a plain link while no integration is connected. */
const linkTo =
  ({ sourceType, subject, address }: LinkedService): FieldResolver =>
  (source, args, session) => {
    if (!address.test(requiredUrl(args, 'url'))) throw badArgument(`url must be the address of ${subject}.`)
    const payload = resolverOf('Mutation', 'attachmentLinkURL')?.(source, args, session)
    const linked = isObject(payload) && isObject(payload['attachment']) ? payload['attachment'] : {}
    return { attachment: session.update('Attachment', stringAt(linked, 'id'), { sourceType }) }
  }

/** Comments, reactions, attachments and documents. */
export const discussionOperations: readonly Resolvers[] = [
  crudOperations('Reaction', reaction),
  crudOperations('Document', {
    check(session, values, before) {
      const { title } = values
      if (typeof title === 'string' && title.trim() === '') throw badArgument('title should not be empty.')
      return { updatedById: before === undefined ? null : session.viewerId }
    },
  }),
  {
    Query: {
      attachmentIssue: (_, args, session) => session.get('Issue', stringAt(findRow(session, 'Attachment', args['id']), 'issueId')),
    },
    Mutation: {
      commentDelete,
      commentUpdate,
      commentResolve: resolution(true),
      commentUnresolve: resolution(false),
      attachmentUpdate,
      attachmentDelete,
      ...Object.fromEntries(Object.entries(links).map(([field, service]) => [field, linkTo(service)])),
    },
    Comment: { reactionData: reactionData('commentId') },
    Issue: { reactionData: reactionData('issueId') },
    ProjectUpdate: { reactionData: reactionData('projectUpdateId') },
  },
]
