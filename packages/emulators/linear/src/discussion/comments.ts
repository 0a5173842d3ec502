import { stringAt } from '@mcp-toolkits/emulator'
import { newId } from '../ids.ts'
import { idOfRow, inputOf, optionalEntity, optionalNonEmptyText, optionalTime, requiredEntity, requiredText } from '../engine/inputs.ts'
import { badArgument, forbidden, notFound } from '../errors.ts'
import { connection, filterTypes, page } from '../graphql/sdl.ts'
import { commonFilters, type EntityType, oneFilter, valueFilter } from '../store/entity-type.ts'
import { type EntityModule, getById, listAll, type FieldResolver, toMany, toOne } from '../engine/entity-module.ts'
import { subscribe } from '../issues/mutations.ts'
import { findIssue, issueUrl } from '../issues/issues.ts'

const comment: EntityType = {
  type: 'Comment',
  table: 'comments',
  columns: {
    body: 'text',
    issueId: 'text',
    parentId: 'text?',
    userId: 'text?',
    editedAt: 'text?',
    resolvedAt: 'text?',
    resolvingUserId: 'text?',
    quotedText: 'text?',
  },
  indexes: ['issueId', 'parentId'],
  filters: {
    ...commonFilters,
    body: valueFilter('words'),
    user: oneFilter('User', 'userId', 'UserFilter'),
    issue: oneFilter('Issue', 'issueId', 'NullableIssueFilter'),
    parent: oneFilter('Comment', 'parentId'),
  },
}

const commentCreate: FieldResolver = (_, args, session) => {
  const input = inputOf(args)
  const id = newId(input['id'])
  const body = requiredText(input, 'body')
  const parent = optionalEntity(session, 'Comment', input, 'parentId')
  const reference = input['issueId'] ?? parent?.['issueId']
  if (typeof reference !== 'string') throw badArgument('issueId should not be empty.')
  const issue = findIssue(session, reference)
  const issueId = stringAt(issue, 'id')
  if (parent && parent['issueId'] !== issueId) throw badArgument('parentId must be a comment of the same issue.')
  if (parent && parent['parentId'] !== null) throw badArgument('parentId must be a comment that is no reply itself.')
  const createdAt = optionalTime(input, 'createdAt', session.now) ?? session.at
  const comment = session.insert('Comment', { id, body, issueId, parentId: idOfRow(parent), userId: session.viewerId, createdAt })
  if (input['doNotSubscribeToIssue'] !== true) subscribe(session, issueId, [session.viewerId])
  return { comment }
}

const commentUpdate: FieldResolver = (_, args, session) => {
  const comment = requiredEntity(session, 'Comment', args['id'], 'id')
  if (comment['userId'] !== session.viewerId) throw forbidden('You can only change your own comments.')
  const body = optionalNonEmptyText(inputOf(args), 'body')
  const editedAt = args['skipEditedAt'] === true ? undefined : session.at
  return { comment: session.update('Comment', stringAt(comment, 'id'), body === undefined ? {} : { body, editedAt }) }
}

/** Comments on issues. */
export const comments: EntityModule = {
  entityTypes: [comment],
  sdl: `
type Comment implements Node {
  id: ID!  body: String!  url: String!  createdAt: DateTime!  updatedAt: DateTime!  editedAt: DateTime  parentId: String
  resolvedAt: DateTime  quotedText: String  user: User  botActor: ActorBot  externalUser: ExternalUser  issue: Issue
  agentSession: AgentSession  reactionData: JSONObject!  reactions: [Reaction!]!  resolvingCommentId: String
  documentContentId: String  initiativeId: String  initiativeUpdateId: String  issueId: String  projectId: String
  projectUpdateId: String  resolvingComment: Comment  documentContent: DocumentContent
  syncedWith: [ExternalEntityInfo!]  externalThread: SyncedExternalThread  initiative: Initiative
  initiativeUpdate: InitiativeUpdate  parent: Comment  project: Project  projectUpdate: ProjectUpdate
  archivedAt: DateTime  resolvingUser: User
  children(filter: CommentFilter, ${page}): CommentConnection!
}
${connection('Comment')}
${filterTypes(comment, { nullable: true, collection: true })}
extend type Query {
  comment(id: String, hash: String): Comment!
  comments(filter: CommentFilter, ${page}): CommentConnection!
}
type CommentPayload { success: Boolean!  comment: Comment!  lastSyncId: Float! }
input CommentCreateInput {
  id: String  issueId: String  parentId: String  body: String  doNotSubscribeToIssue: Boolean  createdAt: DateTime
}
input CommentUpdateInput { body: String }
extend type Mutation {
  commentCreate(input: CommentCreateInput!): CommentPayload!
  commentUpdate(id: String!, input: CommentUpdateInput!, skipEditedAt: Boolean): CommentPayload!
}`,
  resolvers: {
    Comment: {
      url: (source, _, session) =>
        issueUrl(session, session.get('Issue', stringAt(source, 'issueId')), `#comment-${stringAt(source, 'id').slice(0, 8)}`),
      issue: toOne('Issue', 'issueId'),
      parent: toOne('Comment', 'parentId'),
      user: toOne('User', 'userId'),
      resolvingUser: toOne('User', 'resolvingUserId'),
      children: toMany('Comment', 'parentId'),
    },
    Query: {
      comment: (source, args, session) => {
        if (typeof args['id'] !== 'string') throw notFound('Comment')
        return getById('Comment')(source, args, session)
      },
      comments: listAll('Comment'),
    },
    Mutation: { commentCreate, commentUpdate },
  },
}
