import { redact, truncate } from '@mcp-toolkits/core/errors'
import { type CallToolRequest, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { filterText } from '../answers/exit-filter.ts'
import type { Listing } from './listing.ts'
import { type ExplainedServer, explanation, whyUnknown } from './unknown-tool.ts'

/** Maximum number of characters of the name to repeat in the error. */
const maxQuoted = 200

/** The protocol's error for a call to a tool that is not offered, with the names that the caller may have meant. */
export async function unknownToolError(
  { name, arguments: args }: CallToolRequest['params'],
  identity: ExplainedServer,
  listing: Listing,
): Promise<ProtocolError> {
  const { suggestions, next, ...rest } = await whyUnknown({ name, args }, identity, listing)
  const text = explanation({ ...rest, suggestions })
  const message = filterText(`Unknown tool: ${truncate(redact(name), maxQuoted)}${text === undefined ? '' : `. ${text}`}`)
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    message,
    suggestions.length > 0 ? { suggestions, ...(next && { next }) } : undefined,
  )
}
