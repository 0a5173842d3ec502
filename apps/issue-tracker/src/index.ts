import { createServerFor, type CommonOptions, type Server } from '@mcp-toolkits/server/library'
import { issueTracker } from './server.ts'

export type { LogEntry, Server, StdioStreams } from '@mcp-toolkits/server/library'

type Account = { readonly apiKey: string } | { readonly accessToken: string }

/** Set exactly one of `apiKey`, `accessToken`, `profile`, `accountOf` and `embedded`; it selects the account. */
export interface ServerOptions extends CommonOptions {
  /** For several people: returns, on each tool call, the account of the `person` passed to `fetch`; undefined if there is none. */
  readonly accountOf?: ((person: string) => Account | undefined | Promise<Account | undefined>) | undefined
  /** A personal Linear API key. */
  readonly apiKey?: string | undefined
  /** A Linear OAuth access token. You must renew it yourself. */
  readonly accessToken?: string | undefined
  /** A GraphQL endpoint to use instead of Linear's: https, or http on this machine. */
  readonly apiUrl?: string | undefined
  /** The name of a login stored in `dataDirectory` by `issue-tracker-mcp login`; the login is renewed as needed. */
  readonly profile?: string | undefined
}

/** An MCP server for Linear. Throws a `TypeError` for invalid options. */
export function createServer(options: ServerOptions): Server {
  return createServerFor(issueTracker, options, {
    variables: { apiKey: 'ISSUE_TRACKER_API_KEY', accessToken: 'ISSUE_TRACKER_ACCESS_TOKEN', apiUrl: 'ISSUE_TRACKER_API_URL' },
    credentials: ['apiKey', 'accessToken'],
  })
}
