import { InvalidInput } from '@mcp-toolkits/core'
import { throwCombined } from '@mcp-toolkits/core/matching'
import { Message, sentence } from '@mcp-toolkits/core/message'
import { Pagination, startPaging } from '@mcp-toolkits/core/pagination'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import type { LinearCall } from '../linear/client.ts'
import * as documents from '../linear/comments.ts'
import { issueFilter, issueId, isUuid, normalize } from '../linear/references.ts'
import { Comment } from '../linear/records.ts'
import { requireSameWorkspace } from '../linear/workspace.ts'
import { commentRef, findMovedIssue, issueRef, notFound, withNotFoundHint } from '../resolve/not-found.ts'
import { withLineBreaks } from './long-text.ts'
import { emptyNotice, noticeOf, repeatNotice } from './notices.ts'
import { body, endCursor, issueReference, limit, noticeField, reference } from './parameters.ts'

const commentId = (meaning: string) => reference(sentence`${meaning}, as ${{ tool: 'IssueTracker.ListComments' }} shows it.`)
const output = z.object({ comment: documents.CommentOfIssue, ...noticeField })

export const listComments = defineTool({
  name: 'ListComments',
  title: 'List comments of an issue',
  description:
    'Comments of an issue with author and time, newest first: a reply can come before its parent (parent_id). Comments on passages of the description (quoted_text) are among them.',
  effect: 'read',
  scopes: ['read'],
  input: z.strictObject({ issue: issueReference, limit, end_cursor: endCursor }),
  output: z.object({
    issue: z.object({ id: z.string(), identifier: z.string(), title: z.string(), url: z.string() }),
    comments: z.array(Comment),
    pagination: Pagination,
    ...noticeField,
  }),
  async run(args, { linear }) {
    const id = issueId(args.issue)
    const { after, pagination } = startPaging(['ListComments', id], args.end_cursor)
    const page = linear.run(documents.listComments, { id, first: args.limit, after })
    const { comments, has_more_comments: hasMore, comments_end_cursor: end, ...issue } = (await withNotFoundHint(issueRef(id), page)).issue
    requireSameWorkspace(args.issue, issue.url)
    return { issue, comments, pagination: pagination(hasMore, end), ...emptyNotice('comment', comments, { issue: id }) }
  },
})

export const addComment = defineTool({
  name: 'AddComment',
  title: 'Comment on an issue',
  description: Message.of(
    'Add a comment to an issue. Repeating a call whose answer was lost adds nothing twice.',
    sentence`To answer a comment, use ${{ tool: 'IssueTracker.ReplyToComment' }}.`,
  ),
  effect: 'create',
  scopes: ['comments:create'],
  input: z.strictObject({ issue: issueReference, body: body('The comment') }),
  output,
  async run(args, { linear }, { operation }) {
    const issue = issueId(args.issue)
    const { text, notice } = withLineBreaks(args.body)
    const identity = await operation.begin()
    const input = { id: identity.uuid('comment'), issueId: issue, body: text }
    const { record, wasCreatedEarlier } = await withNotFoundHint(issueRef(issue), documents.createComment(linear, input))
    return { comment: record, ...noticeOf(notice, repeatNotice(identity, wasCreatedEarlier)) }
  },
})

export const updateComment = defineTool({
  name: 'UpdateComment',
  title: 'Change a comment',
  description: 'Replace the text of a comment. Linear lets people change their own comments only.',
  effect: 'update',
  scopes: ['write'],
  input: z.strictObject({ comment_id: commentId('The id of the comment'), body: body('The whole new text') }),
  output,
  async run(args, { linear }) {
    const id = parseCommentId('comment_id', args.comment_id)
    const { text, notice } = withLineBreaks(args.body)
    const { comment_update: updated } = await withNotFoundHint(commentRef(id), linear.run(documents.updateComment, { id, body: text }))
    return { comment: updated.comment, ...noticeOf(notice) }
  },
})

export const replyToComment = defineTool({
  name: 'ReplyToComment',
  title: 'Reply to a comment',
  description: 'Answer a comment of an issue, in its thread. Threads are one level deep: a reply to a reply joins the same thread.',
  effect: 'create',
  scopes: ['comments:create'],
  input: z.strictObject({
    issue: issueReference,
    parent_comment_id: commentId('The id of the comment to answer'),
    body: body('The reply'),
  }),
  output,
  async run(args, { linear }, { operation }) {
    const thread = await findThread(linear, args.issue, parseCommentId('parent_comment_id', args.parent_comment_id, args.issue))
    const { text, notice } = withLineBreaks(args.body)
    const identity = await operation.begin()
    const { record, wasCreatedEarlier } = await documents.createComment(linear, { id: identity.uuid('comment'), ...thread, body: text })
    return { comment: record, ...noticeOf(notice, repeatNotice(identity, wasCreatedEarlier)) }
  },
})

/** Throws `InvalidInput` for a text that is not an id. */
function parseCommentId(parameter: string, text: string, issue?: string): string {
  const id = normalize(text)
  if (isUuid(id)) return id
  const tool = 'IssueTracker.ListComments'
  throw new InvalidInput(
    Message.of(`"${parameter}" must be the id of a comment (a UUID).`, sentence`${{ tool }} shows the ids of an issue's comments.`),
    issue === undefined ? {} : { next: { tool, arguments: { issue } } },
  )
}

/** The thread that a reply joins. Throws when the comment or the issue does not exist, or the comment is not on the issue. */
async function findThread(linear: LinearCall, reference: string, commentId: string) {
  const found = await linear.run(documents.commentThread, { comment: commentId, issue: issueFilter(reference) })
  const [comment] = found.comments
  const issue = found.issues[0] ?? (await findMovedIssue(linear, reference))
  const commented = comment?.issue
  if (comment && issue && commented?.id === issue.id) return { parentId: comment.parent_id ?? comment.id, issueId: issue.id }
  throwCombined([
    ...(issue ? [] : [notFound(issueRef(issueId(reference)))]),
    ...(comment ? [] : [notFound(commentRef(commentId, issue?.identifier))]),
  ])
  const where = commented ? `on issue ${commented.identifier}` : 'on no issue'
  throw new InvalidInput(
    `The comment is ${where}, not on ${issue?.identifier}.`,
    commented ? { next: { change: { issue: commented.identifier } } } : {},
  )
}
