import { isObject, type JsonObject } from '@mcp-toolkits/core/base'
import { Forbidden, InvalidInput, withDetails } from '@mcp-toolkits/core/errors'
import type { LinearCall } from '../linear/client.ts'
import { commentText } from '../linear/issues/comments.ts'
import { isUuid } from '../linear/references.ts'

interface Reply {
  readonly args: unknown
  readonly linear: LinearCall
  /** Reads the call again with the issue, and writes nothing. */
  readonly reread: (issue: JsonObject) => Promise<unknown>
}

/** Adds the issue to the refusal of a reply that names only the comment. Takes one request. */
export async function withCommentedIssue(error: unknown, { args, linear, reread }: Reply): Promise<unknown> {
  const id = isObject(args) ? Object.values(args).find((each): each is string => typeof each === 'string' && isUuid(each)) : undefined
  if (!(error instanceof InvalidInput) || !error.message.startsWith('"issue" is required.') || id === undefined) return error
  const found = await linear.send(commentText, { id }).catch(() => undefined)
  const issue = found?.comment.issue?.identifier
  if (issue === undefined) return error
  const other: unknown = await reread({ issue }).catch((refusal: unknown) => refusal)
  const change = other instanceof InvalidInput ? other.details.next?.change : other instanceof Forbidden ? {} : undefined
  const text = error.text.and(`The comment is on ${issue}.`)
  return withDetails(error, text, { ...error.details, ...(change && { next: { change: { ...change, issue } } }) })
}
