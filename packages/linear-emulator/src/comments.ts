import { byId, every, owned, toOne } from './entities.ts'
import { issueUrl } from './issues.ts'
import { commonFilters, one, value, type Noun, type Part } from './noun.ts'
import { notFound } from './refusals.ts'
import { connection, filterTypes, page } from './sdl.ts'
import { text } from './values.ts'

const comment: Noun = {
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
    body: value('words'),
    user: one('User', 'userId'),
    issue: one('Issue', 'issueId'),
    parent: one('Comment', 'parentId'),
  },
}

/** What people say about issues. */
export const comments: Part = {
  nouns: [comment],
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
${filterTypes({
  type: 'Comment',
  fields: `id: IdComparator  body: StringComparator  user: UserFilter  issue: NullableIssueFilter
    parent: NullableCommentFilter  createdAt: DateComparator  updatedAt: DateComparator`,
  nullable: true,
  collection: true,
})}
extend type Query {
  comment(id: String, hash: String): Comment!
  comments(filter: CommentFilter, ${page}): CommentConnection!
}`,
  resolvers: {
    Comment: {
      url: (source, _, session) => `${issueUrl(session.get('Issue', text(source, 'issueId')))}#comment-${text(source, 'id').slice(0, 8)}`,
      issue: toOne('Issue', 'issueId'),
      parent: toOne('Comment', 'parentId'),
      user: toOne('User', 'userId'),
      resolvingUser: toOne('User', 'resolvingUserId'),
      children: owned('Comment', 'parentId'),
    },
    Query: {
      comment: (source, args, session) => {
        if (typeof args['id'] !== 'string') throw notFound('Comment')
        return byId('Comment')(source, args, session)
      },
      comments: every('Comment'),
    },
  },
}
