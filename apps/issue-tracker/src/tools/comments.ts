import { InvalidInput, type NotFound } from '@mcp-toolkits/core'
import { Attempts } from '@mcp-toolkits/core/matching'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import { addComment as add, CommentOf, commentThread, getComment, updateComment as update } from '../linear/comment-writes.ts'
import { issueFilter } from '../linear/filters.ts'
import { once } from '../linear/once.ts'
import { issueNamed, isUuid, tidy } from '../linear/references.ts'
import { issueSought } from '../resolve/issue-change.ts'
import { notFound, sought } from '../resolve/sought.ts'
import { createdEarlier, noticeOf, written } from './markdown.ts'
import { issueReference } from './parameters.ts'
import { body, noticed, reference } from './writing.ts'

const commentSought = (wanted: string) => ({ kind: 'comment', wanted, listedBy: 'IssueTracker.ListComments' })
const commentId = (meaning: string) => reference(`${meaning}, as IssueTracker.ListComments shows it.`)
const Commented = z.object({ comment: CommentOf, ...noticed })

export const addComment = defineTool({
  name: 'AddComment',
  title: 'Comment on an issue',
  description:
    'Add a comment to an issue. Repeating a call whose answer was lost adds nothing twice. To answer a comment, use IssueTracker.ReplyToComment.',
  effect: 'create',
  scopes: ['comments:create'],
  input: z.strictObject({ issue: issueReference, body: body('The comment') }),
  output: Commented,
  async run(args, { linear, identities }, { signal }) {
    const issueId = issueNamed(args.issue)
    const text = written(args.body)
    const { record, earlier } = await identities.using(['AddComment', args], (id) =>
      once(
        async () => {
          const input = { id, issueId, body: text.text }
          return (await sought(issueSought(issueId), linear.run(add, { input }, signal))).comment_create
        },
        () => linear.run(getComment, { id }, signal),
      ),
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
  async run(args, { linear, identities }, { signal }) {
    const comment = checkedId('parent_comment_id', args.parent_comment_id)
    const found = await linear.run(commentThread, { comment, issue: issueFilter(args.issue) }, signal)
    const { parentId, issueId } = threadOf(found, { issue: issueNamed(args.issue), comment })
    const text = written(args.body)
    const { record, earlier } = await identities.using(['ReplyToComment', args], (id) =>
      once(
        async () => (await linear.run(add, { input: { id, issueId, parentId, body: text.text } }, signal)).comment_create,
        () => linear.run(getComment, { id }, signal),
      ),
    )
    return { comment: record.comment, ...noticeOf(text.notice, createdEarlier(earlier)) }
  },
})

function checkedId(parameter: string, given: string): string {
  const id = tidy(given)
  if (isUuid(id)) return id
  throw new InvalidInput(`"${parameter}" must be the id of a comment (a UUID). IssueTracker.ListComments shows the ids.`, {
    next: { tool: 'IssueTracker.ListComments' },
  })
}

/** The thread that a reply joins. Throws when the comment does not exist, the issue does not, or one is not of the other. */
function threadOf(
  { comments: [comment], issues: [issue] }: z.output<(typeof commentThread)['data']>,
  wanted: { readonly issue: string; readonly comment: string },
): { readonly parentId: string; readonly issueId: string } {
  const wasThere = comment?.issue?.previous_identifiers.some((former) => former.toLowerCase() === wanted.issue.toLowerCase())
  const attempts = new Attempts()
  const there = attempts.attempt(
    () => issue?.id ?? (wasThere ? comment?.issue?.id : undefined) ?? refuse(notFound(issueSought(wanted.issue))),
  )
  const answered = attempts.attempt(() => comment ?? refuse(notFound(commentSought(wanted.comment))))
  attempts.report()
  const { id, parent_id: parent, issue: its } = answered()
  if (its?.id === there()) return { parentId: parent ?? id, issueId: its.id }
  const where = its ? `on issue ${its.identifier}` : 'on no issue'
  throw new InvalidInput(`The comment is ${where}, not on ${wanted.issue}.`, its ? { next: { change: { issue: its.identifier } } } : {})
}

function refuse(error: NotFound): never {
  throw error
}
