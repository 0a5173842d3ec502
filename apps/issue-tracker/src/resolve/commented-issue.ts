import { isObject, type JsonObject } from '@mcp-toolkits/core/base'
import { Forbidden, InvalidInput, withDetails } from '@mcp-toolkits/core/errors'
import type { Tool } from '@mcp-toolkits/core/tool'
import type { Context } from '../context.ts'
import { commentText } from '../linear/issues/comments.ts'
import { isUuid } from '../linear/references.ts'

/** A tool for replies that, if a call names only the comment, looks up the comment's issue and proposes it. Takes one request. */
export function withCommentedIssue(tool: Tool<Context>): Tool<Context> {
  return {
    ...tool,
    execute: (args, context, call) =>
      tool.execute(args, context, call).catch(async (error: unknown) => {
        if (!(error instanceof InvalidInput) || !error.message.startsWith('"issue" is required.') || !isObject(args)) throw error
        const id = Object.values(args).find((each): each is string => typeof each === 'string' && isUuid(each))
        const linear = context.linear.forCall(call.scope, () => undefined)
        const found = id === undefined ? undefined : await linear.send(commentText, { id }).catch(() => undefined)
        const issue = found?.comment.issue?.identifier
        if (issue === undefined) throw error
        // Only a read: it shows whether the rest of the call needs a correction, too.
        const other: unknown = await tool
          .execute({ ...args, issue }, context, { ...call, readOnly: true })
          .catch((refusal: unknown) => refusal)
        const change: JsonObject | undefined =
          other instanceof InvalidInput ? other.details.next?.change : other instanceof Forbidden ? {} : undefined
        const text = error.text.and(`The comment is on ${issue}.`)
        throw withDetails(error, text, { ...error.details, ...(change && { next: { change: { ...change, issue } } }) })
      }),
  }
}
