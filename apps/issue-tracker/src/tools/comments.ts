import { InvalidInput, Message, quote, sentence } from '@mcp-toolkits/core/errors'
import { Pagination, startPaging } from '@mcp-toolkits/core/references'
import { confirmCreated, type Identity } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import type { CreateResult, LinearCall } from '../linear/client.ts'
import * as documents from '../linear/issues/comments.ts'
import { issueFilter, issueId, issueIdentifier, isUuid, normalize } from '../linear/references.ts'
import { showsText, textIn } from '../linear/stored.ts'
import { requireSameWorkspace } from '../linear/workspace.ts'
import { commentRef, findMovedIssue, issueRef, notFound, throwSuggested, withNotFoundHint } from '../resolve/not-found.ts'
import { withLineBreaks } from './long-text.ts'
import { noticesOf, repeatNotice } from './notices.ts'
import { body, endCursor, issueReference, limit, noticesField, reference } from './parameters.ts'
import { cutNotice, replaceText } from './replaced-text.ts'
import { CommentRow, commentRows, compact, text, optionalText } from './rows.ts'

const commentId = () => reference(sentence`Id, from ${{ tool: 'IssueTracker.ListComments' }}.`)
const output = z.object({
  comment: z.object({
    id: text,
    issue: optionalText,
    parent_id: optionalText,
    url: optionalText,
    created_at: optionalText,
    edited_at: optionalText,
  }),
  ...noticesField,
})

/** A comment as a write returns it, without its text, which the caller already knows. */
function writtenComment({ id, issue, url, ...rest }: documents.WrittenComment): z.output<typeof output>['comment'] {
  const { parent_id: parentId, created_at: createdAt, edited_at: editedAt } = rest
  return compact({ id, issue: issue?.identifier, url, parent_id: parentId, created_at: createdAt, edited_at: editedAt })
}

/** The result for a new comment. */
function commentResult(
  { record, wasCreatedEarlier }: CreateResult<documents.WrittenComment>,
  { text, notice }: ReturnType<typeof withLineBreaks>,
  identity: Identity,
  parentId?: string,
): z.output<typeof output> {
  const shown = {
    body: showsText(text, record.body),
    parent_comment_id: parentId === undefined ? undefined : record.parent_id === parentId,
  }
  const confirmed = wasCreatedEarlier ? [] : [confirmCreated('Linear', shown), ...cutNotice('body', text, record.body)]
  const repeated = repeatNotice(identity, wasCreatedEarlier)
  return { comment: writtenComment(record), ...noticesOf(notice, repeated, ...confirmed) }
}

export const listComments = defineTool({
  name: 'ListComments',
  title: 'List comments',
  description: Message.of(
    'Read the comments of an issue, newest first: the discussion thread, what people say on a ticket.',
    sentence`${{ tool: 'IssueTracker.GetIssue' }} already returns the newest 50.`,
  ),
  effect: 'read',
  scopes: ['read'],
  narrowing: 'To get less, pass a smaller limit.',
  input: z.strictObject({ issue: issueReference, limit, end_cursor: endCursor }),
  output: z.object({
    issue: text,
    comments: z.array(CommentRow),
    pagination: Pagination,
    ...noticesField,
  }),
  example: { issue: 'ENG-9' },
  async run(args, { linear }) {
    const id = issueId(args.issue)
    const { after, first, result, pagination } = startPaging(['ListComments', id], args)
    const page = linear.send(documents.listComments, { id, first, after })
    const { comments, has_more_comments: hasMore, comments_end_cursor: end, ...issue } = (await withNotFoundHint(issueRef(id), page)).issue
    await requireSameWorkspace(linear, args.issue, issue.url)
    return result({
      issue: issue.identifier,
      comments: commentRows(comments),
      pagination: pagination(hasMore, end),
      ...noticesOf(comments.length === 0 && args.end_cursor === undefined ? `${issue.identifier} has no comments.` : undefined),
    })
  },
})

export const addComment = defineTool({
  name: 'AddComment',
  title: 'Comment on an issue',
  description: Message.of(
    'Add a comment to an issue: post, write or leave a note or feedback on a ticket. It notifies only followers; to notify anyone else, write @ and their full name.',
    sentence`To answer a comment, use ${{ tool: 'IssueTracker.ReplyToComment' }}.`,
  ),
  effect: 'create',
  scopes: ['comments:create'],
  input: z.strictObject({ issue: issueReference, body: body() }),
  output,
  example: { issue: 'ENG-21', body: 'Agreed.' },
  async run(args, { linear }, { operation }) {
    const issue = issueId(args.issue)
    const body = withLineBreaks(args.body)
    const identity = await operation.claim()
    const input = { id: identity.uuid('comment'), issueId: issue, body: body.text }
    const created = await withNotFoundHint(issueRef(issue), documents.createComment(linear, input))
    return commentResult(created, body, identity)
  },
})

export const updateComment = defineTool({
  name: 'UpdateComment',
  title: 'Change a comment',
  description: Message.of(
    'Edit your comment: change, correct or rewrite its text. Only its author can.',
    sentence`To say more, use ${{ tool: 'IssueTracker.AddComment' }}.`,
  ),
  effect: 'update',
  scopes: ['write'],
  input: z.strictObject({ comment_id: commentId(), body: body('New text, in Markdown.') }),
  output,
  example: { comment_id: '50f5095f-b23b-4625-aa3f-f8aeed05de9f', body: 'It is not collected.' },
  async run(args, { linear }) {
    const id = parseCommentId('comment_id', args.comment_id)
    const text = withLineBreaks(args.body)
    const { comment: present } = await withNotFoundHint(commentRef(id), linear.send(documents.commentText, { id }))
    const before = textIn(present, 'body')
    const { comment, notices } = await replaceText({
      linear,
      parameter: 'body',
      text,
      before,
      read: () => (present.issue ? { tool: 'IssueTracker.ListComments', arguments: { issue: present.issue.identifier } } : {}),
      async write() {
        const comment = await documents.updateComment(linear, { id, input: { body: text.text } })
        return { comment, stored: comment.body, shown: { body: showsText(text.text, comment.body, before) } }
      },
    })
    return { comment: writtenComment(comment), ...noticesOf(...notices) }
  },
})

export const replyToComment = defineTool({
  name: 'ReplyToComment',
  title: 'Reply to a comment',
  description: Message.of(
    'Reply to a comment: answer or respond to someone in its thread. A reply to a reply joins the same thread.',
    sentence`To start a thread, use ${{ tool: 'IssueTracker.AddComment' }}.`,
  ),
  effect: 'create',
  scopes: ['comments:create'],
  input: z.strictObject({
    issue: issueReference,
    parent_comment_id: commentId(),
    body: body(),
  }),
  output,
  example: { issue: 'ENG-9', parent_comment_id: 'c053d589-3a50-4e0c-a75f-fed2700e6355', body: 'Agreed.' },
  async run(args, { linear }, { operation }) {
    const thread = await findThread(linear, args.issue, parseCommentId('parent_comment_id', args.parent_comment_id, args.issue))
    const body = withLineBreaks(args.body)
    const identity = await operation.claim()
    const created = await documents.createComment(linear, { id: identity.uuid('comment'), ...thread, body: body.text })
    return commentResult(created, body, identity, thread.parentId)
  },
})

/** Throws `InvalidInput` for text that is not an id. */
function parseCommentId(parameter: string, text: string, issue?: string): string {
  const id = normalize(text)
  if (isUuid(id)) return id
  const tool = 'IssueTracker.ListComments'
  const of = issue ?? (issueIdentifier.test(issueId(id)) ? id : undefined)
  throw new InvalidInput(
    Message.of(`"${parameter}" must be a comment's id (a UUID).`, sentence`${{ tool }} shows the ids of an issue's comments.`),
    of === undefined ? {} : { next: { tool, arguments: { issue: of } } },
  )
}

/** The thread that a reply joins. Throws if the comment or the issue does not exist, or if the comment is not on the issue. */
async function findThread(linear: LinearCall, reference: string, commentId: string) {
  const found = await linear.send(documents.commentThread, { comment: commentId, issue: issueFilter(reference) })
  const [comment] = found.comments
  const issue = found.issues[0] ?? (await findMovedIssue(linear, reference))
  const commented = comment?.issue
  if (comment && issue && commented?.id === issue.id) return { parentId: comment.parent_id ?? comment.id, issueId: issue.id }
  const failures = [
    ...(issue ? [] : [notFound(issueRef(issueId(reference)))]),
    ...(comment ? [] : [notFound(commentRef(commentId, issue?.identifier))]),
  ]
  await throwSuggested(linear, failures, { issue: reference, parent_comment_id: commentId })
  if (comment?.project) throw onProject(comment.project.name)
  const where = commented ? `on issue ${commented.identifier}, not` : 'not on an issue, so it cannot be'
  throw new InvalidInput(
    `The comment is ${where} on ${issue?.identifier}.`,
    commented ? { next: { change: { issue: commented.identifier } } } : {},
  )
}

function onProject(project: string): InvalidInput {
  const tool = 'IssueTracker.ReplyToProjectComment'
  return new InvalidInput(
    Message.of(
      `The comment is on project ${quote(project, 80)}, not on an issue; the planning toolset has a tool that replies to it.`,
      sentence`Use ${{ tool }}.`,
    ),
  )
}
