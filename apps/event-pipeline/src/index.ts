import { createServerFor } from '@mcp-toolkits/server/create-server'
import type { CommonOptions, Server } from '@mcp-toolkits/server/library'
import { eventPipeline } from './server.ts'

export type { LogEntry, Server, StdioStreams } from '@mcp-toolkits/server/library'

/**
 * The account that the server works for is given by either `apiKey` or `embedded`. With an account `dataDirectory` is needed: an event that
 * cannot be delivered at once waits there, also for the next start of the program.
 */
export interface ServerOptions extends CommonOptions {
  /** The API key of a source in Customer.io Pipelines. */
  readonly apiKey?: string | undefined
  /** Where the account is; `us` unless something else is said. */
  readonly region?: 'us' | 'eu' | undefined
  /** A base URL in place of the vendor's, ending in `/v1`: https, or http on this machine. */
  readonly apiUrl?: string | undefined
  /** Whether bodies that lack `messageId` and `timestamp` get them; without them the same event may be recorded twice. On unless `false`. */
  readonly addIds?: boolean | undefined
}

/** An MCP server for the Customer.io Pipelines API. Throws a `TypeError` for options that cannot be used. */
export function createServer(options: ServerOptions): Server {
  return createServerFor(eventPipeline, options, {
    variables: { apiKey: 'EVENT_PIPELINE_API_KEY', region: 'EVENT_PIPELINE_REGION', apiUrl: 'EVENT_PIPELINE_API_URL' },
    credentials: ['apiKey'],
    switches: { addIds: 'EVENT_PIPELINE_ADD_IDS' },
  })
}
