import { createServerFor, type CommonOptions, type Server } from '@mcp-toolkits/server/library'
import { eventPipeline } from './server.ts'

export type { LogEntry, Server, StdioStreams } from '@mcp-toolkits/server/library'

interface Account {
  readonly apiKey: string
}

/**
 * One of `apiKey`, `accountOf` and `embedded` selects the account. An account needs `dataDirectory`: events that cannot be delivered at
 * once are stored there, across restarts.
 */
export interface ServerOptions extends CommonOptions {
  /** For several people: returns, on each tool call, the account of the `person` passed to `fetch`; undefined if there is none. */
  readonly accountOf?: ((person: string) => Account | undefined | Promise<Account | undefined>) | undefined
  /** The API key of a source in Customer.io Pipelines. */
  readonly apiKey?: string | undefined
  /** The account's region; by default, `us`. */
  readonly region?: 'us' | 'eu' | undefined
  /** A base URL to use instead of the vendor's, ending in `/v1`: https, or http on this machine. */
  readonly apiUrl?: string | undefined
  /** True (the default) to add `messageId` and `timestamp` to calls that lack them; without them, an event may be recorded twice. */
  readonly addIds?: boolean | undefined
}

/** An MCP server for the Customer.io Pipelines API. Throws a `TypeError` for invalid options. */
export function createServer(options: ServerOptions): Server {
  return createServerFor(eventPipeline, options, {
    variables: { apiKey: 'EVENT_PIPELINE_API_KEY', region: 'EVENT_PIPELINE_REGION', apiUrl: 'EVENT_PIPELINE_API_URL' },
    credentials: ['apiKey'],
    switches: { addIds: 'EVENT_PIPELINE_ADD_IDS' },
  })
}
