import { newId } from './ids.ts'
import * as given from './inputs.ts'
import { findIssue } from './issues.ts'
import { subscribe } from './issue-writes.ts'
import * as rules from './issue-rules.ts'
import type { Part, Resolver } from './noun.ts'
import { badArgument, notAllowed } from './refusals.ts'
import { text } from './values.ts'

const commentCreate: Resolver = (_, args, session) => {
  const input = given.inputOf(args)
  const id = newId(input['id'])
  const body = given.required(input, 'body')
  const parent = given.pointed(session, 'Comment', [input, 'parentId'])
  const reference = input['issueId'] ?? parent?.['issueId']
  if (typeof reference !== 'string') throw badArgument('issueId should not be empty.')
  const issue = findIssue(session, reference)
  const issueId = text(issue, 'id')
  if (parent && parent['issueId'] !== issueId) throw badArgument('parentId must be a comment of the same issue.')
  if (parent && parent['parentId'] !== null) throw badArgument('parentId must be a comment that is no reply itself.')
  const createdAt = given.momentOf(input, 'createdAt', session.now) ?? session.at
  const comment = session.insert('Comment', { id, body, issueId, parentId: given.idIn(parent), userId: session.viewerId, createdAt })
  if (input['doNotSubscribeToIssue'] !== true) subscribe(session, issueId, [session.viewerId])
  return { comment }
}

const commentUpdate: Resolver = (_, args, session) => {
  const comment = given.entity(session, 'Comment', { id: args['id'], key: 'id' })
  if (comment['userId'] !== session.viewerId) throw notAllowed('You can only change your own comments.')
  const body = given.filled(given.inputOf(args), 'body')
  const editedAt = args['skipEditedAt'] === true ? undefined : session.at
  return { comment: session.update('Comment', text(comment, 'id'), body === undefined ? {} : { body, editedAt }) }
}

const issueRelationCreate: Resolver = (_, args, session) => {
  const input = given.inputOf(args)
  const id = newId(input['id'])
  const issue = findIssue(session, text(input, 'issueId'))
  const related = findIssue(session, text(input, 'relatedIssueId'))
  if (issue['id'] === related['id']) throw badArgument('relatedIssueId must be another issue.')
  const type = text(input, 'type')
  const issueRelation = session.insert('IssueRelation', { id, type, issueId: text(issue, 'id'), relatedIssueId: text(related, 'id') })
  const duplicates =
    type === 'duplicate'
      ? session.find('WorkflowState', session.get('Team', text(issue, 'teamId'))['markedAsDuplicateWorkflowStateId'])
      : null
  if (duplicates !== null) session.update('Issue', text(issue, 'id'), rules.stateChanges(session, issue, duplicates))
  return { issueRelation }
}

/** Comments and relations. */
export const talkWrites: Part = {
  sdl: `
type CommentPayload { success: Boolean!  comment: Comment!  lastSyncId: Float! }
input CommentCreateInput {
  id: String  issueId: String  parentId: String  body: String  doNotSubscribeToIssue: Boolean  createdAt: DateTime
}
input CommentUpdateInput { body: String  resolvingUserId: String }
type IssueRelationPayload { success: Boolean!  issueRelation: IssueRelation!  lastSyncId: Float! }
input IssueRelationCreateInput { id: String  issueId: String!  relatedIssueId: String!  type: IssueRelationType! }
extend type Mutation {
  commentCreate(input: CommentCreateInput!): CommentPayload!
  commentUpdate(id: String!, input: CommentUpdateInput!, skipEditedAt: Boolean): CommentPayload!
  issueRelationCreate(input: IssueRelationCreateInput!, overrideCreatedAt: DateTime): IssueRelationPayload!
}`,
  resolvers: { Mutation: { commentCreate, commentUpdate, issueRelationCreate } },
}
