import { InvalidInput, Message, NotFound, sentence } from '@mcp-toolkits/core/errors'
import { confirmDone } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { defineTool } from '../../context.ts'
import { commentText } from '../../linear/issues/comments.ts'
import * as documents from '../../linear/planning/discussion.ts'
import { isUuid, plainReading } from '../../linear/references.ts'
import { commentRef, notFound, withNotFoundHint } from '../../resolve/not-found.ts'
import { noticesOf } from '../../tools/notices.ts'
import { noticesField, reference } from '../../tools/parameters.ts'
import { compact, optionalText } from '../../tools/rows.ts'

const Thread = z.object({
  id: z.string(),
  issue: optionalText,
  project: optionalText,
  resolved_at: optionalText,
  resolved_by: optionalText,
  resolving_comment_id: optionalText,
  url: optionalText,
})

function thread({
  id,
  issue,
  project,
  resolved_at,
  resolving_user: by,
  resolving_comment: answer,
  url,
}: documents.Thread): z.output<typeof Thread> {
  const place = { issue: issue?.identifier, project: project?.name }
  return compact({ id, ...place, resolved_at, resolved_by: by?.name, resolving_comment_id: answer?.id, url })
}

export const resolveComment = defineTool({
  name: 'ResolveComment',
  title: 'Resolve a comment',
  description: Message.of(
    'Resolve a thread of comments on an issue or a project (mark the discussion as settled), or open it again.',
    sentence`To answer instead, use ${{ tool: 'IssueTracker.ReplyToComment' }}.`,
  ),
  effect: 'update',
  scopes: ['write'],
  input: z.strictObject({
    comment_id: reference('Id of the first comment of the thread.'),
    action: z.enum(['resolve', 'unresolve']).default('resolve').describe('unresolve opens it again.'),
    resolving_comment_id: reference('Id of the comment that settles it.').optional(),
  }),
  output: z.object({ comment: Thread, ...noticesField }),
  example: { comment_id: 'c053d589-3a50-4e0c-a75f-fed2700e6355' },
  async run({ action, ...args }, { linear }) {
    const { resolving_comment_id: answer } = args
    const id = idIn('comment_id', args.comment_id)
    const resolving = answer === undefined ? undefined : idIn('resolving_comment_id', answer)
    if (action === 'unresolve' && answer !== undefined)
      throw new InvalidInput('"resolving_comment_id" is only for "resolve". Leave it out.')
    const send = async () =>
      action === 'resolve'
        ? (await linear.send(documents.resolveComment, { id, resolving })).comment_resolve.comment
        : (await linear.send(documents.unresolveComment, { id })).comment_unresolve.comment
    const comment = await send().catch(async (error: unknown) => {
      if (!(error instanceof NotFound)) throw error
      if (resolving === undefined) throw notFound(commentRef(id))
      // Linear does not say which of the two records it could not find.
      await withNotFoundHint(commentRef(id), linear.send(commentText, { id }))
      throw notFound(commentRef(resolving), 'resolving_comment_id')
    })
    const isDone = 'resolved_at' in comment ? (comment.resolved_at !== undefined) === (action === 'resolve') : 'unread'
    const unconfirmed = confirmDone('Linear', isDone, `the thread is ${action === 'resolve' ? 'open' : 'resolved'}`)
    const isIgnored = resolving !== undefined && comment.resolving_comment?.id !== resolving
    return { comment: thread(comment), ...noticesOf(unconfirmed, isIgnored ? 'Linear did not store resolving_comment_id.' : undefined) }
  },
})

/** Throws `InvalidInput` for text that is not an id. */
function idIn(parameter: string, text: string): string {
  const id = plainReading(text)
  if (isUuid(id)) return id
  throw new InvalidInput(`"${parameter}" must be a comment's id (a UUID), as shown in lists of comments.`)
}
