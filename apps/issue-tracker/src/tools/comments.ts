import { InvalidInput } from '@mcp-toolkits/core'
import { throwCombined } from '@mcp-toolkits/core/matching'
import { Message, sentence } from '@mcp-toolkits/core/message'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import type { LinearClient } from '../linear/client.ts'
import { addComment as add, CommentOf, commentThread, getComment, updateComment as update } from '../linear/comment-writes.ts'
import { issueFilter } from '../linear/filters.ts'
import { once } from '../linear/once.ts'
import { issueNamed, isUuid, tidy } from '../linear/references.ts'
import { formerly } from '../resolve/formerly.ts'
import { commentSought, issueSought, notFound, sought } from '../resolve/sought.ts'
import { written } from './markdown.ts'
import { createdEarlier, noticeOf } from './notices.ts'
import { issueReference, reference } from './parameters.ts'
import { body, noticed } from './writing.ts'

const commentId = (meaning: string) => reference(sentence`${meaning}, as ${{ tool: 'IssueTracker.ListComments' }} shows it.`)
const Commented = z.object({ comment: CommentOf, ...noticed })

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
  output: Commented,
  async run(args, { linear, idempotencyKeys: identities }, { signal }) {
    const issueId = issueNamed(args.issue)
    const text = written(args.body)
    const { record, earlier } = await identities.run(
      ['AddComment', args],
      (id) =>
        once(
          async () => {
            const input = { id, issueId, body: text.text }
            return (await sought(issueSought(issueId), linear.run(add, { input }, signal))).comment_create
          },
          () => linear.run(getComment, { id }, signal),
        ),
      signal,
    )
    return { comment: record.comment, ...noticeOf(text.notice, createdEarlier(earlier)) }
  },
})

export const updateComment = defineTool({
  name: 'UpdateComment',
  title: 'Change a comment',
  description: 'Replace the text of a comment. Linear lets people change their own comments only.',
  effect: 'update',
  scopes: ['write'],
  input: z.strictObject({ comment_id: commentId('The id of the comment'), body: body('The whole new text') }),
  output: Commented,
  async run(args, { linear }, { signal }) {
    const id = checkedId('comment_id', args.comment_id)
    const text = written(args.body)
    const { comment_update: updated } = await sought(commentSought(id), linear.run(update, { id, body: text.text }, signal))
    return { comment: updated.comment, ...noticeOf(text.notice) }
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
  output: Commented,
  async run(args, { linear, idempotencyKeys: identities }, { signal }) {
    const comment = checkedId('parent_comment_id', args.parent_comment_id, args.issue)
    const { parentId, issueId } = await threadOf(linear, { issue: args.issue, comment }, signal)
    const text = written(args.body)
    const { record, earlier } = await identities.run(
      ['ReplyToComment', args],
      (id) =>
        once(
          async () => (await linear.run(add, { input: { id, issueId, parentId, body: text.text } }, signal)).comment_create,
          () => linear.run(getComment, { id }, signal),
        ),
      signal,
    )
    return { comment: record.comment, ...noticeOf(text.notice, createdEarlier(earlier)) }
  },
})

/** The id of a comment. Throws `InvalidInput` for a text that is none. */
function checkedId(parameter: string, given: string, issue?: string): string {
  const id = tidy(given)
  if (isUuid(id)) return id
  const tool = 'IssueTracker.ListComments'
  const next = issue === undefined ? {} : { next: { tool, arguments: { issue } } }
  throw new InvalidInput(`"${parameter}" must be the id of a comment (a UUID). ${tool} shows the ids of an issue's comments.`, next)
}

interface Answered {
  readonly issue: string
  readonly comment: string
}

/** The thread that a reply joins. Throws when the comment does not exist, the issue does not, or one is not of the other. */
async function threadOf(linear: LinearClient, { issue: named, comment: id }: Answered, signal: AbortSignal) {
  const {
    comments: [comment],
    issues: [found],
  } = await linear.run(commentThread, { comment: id, issue: issueFilter(named) }, signal)
  const issue = found ?? (await formerly(linear, named, signal))
  const its = comment?.issue
  if (comment && issue && its?.id === issue.id) return { parentId: comment.parent_id ?? comment.id, issueId: issue.id }
  throwCombined([
    ...(issue ? [] : [notFound(issueSought(issueNamed(named)))]),
    ...(comment ? [] : [notFound(commentSought(id, issue?.identifier))]),
  ])
  const where = its ? `on issue ${its.identifier}` : 'on no issue'
  throw new InvalidInput(
    `The comment is ${where}, not on ${issue?.identifier}.`,
    its ? { next: { change: { issue: its.identifier } } } : {},
  )
}
