import { createServerFor, type CommonOptions, type Server } from '@mcp-toolkits/server/library'
import { sampleServer } from './server.ts'

export type { LogEntry, Server, StdioStreams } from '@mcp-toolkits/server/library'

/** Either `apiKey` or `embedded` selects the account. */
export interface ServerOptions extends CommonOptions {
  readonly apiKey?: string | undefined
  /** A base URL instead of the vendor's: https, or http on this machine. */
  readonly apiUrl?: string | undefined
}

/** An MCP server for Sample Vendor. Throws a `TypeError` for invalid options. */
export function createServer(options: ServerOptions): Server {
  return createServerFor(sampleServer, options, {
    variables: { apiKey: 'SAMPLE_SERVER_API_KEY', apiUrl: 'SAMPLE_SERVER_API_URL' },
    credentials: ['apiKey'],
  })
}
