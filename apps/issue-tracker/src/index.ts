import { createServerFor, type CommonOptions, type Server } from '@mcp-toolkits/server/library'
import { issueTracker } from './server.ts'

export type { LogEntry, Server, StdioStreams } from '@mcp-toolkits/server/library'

type Account = { readonly apiKey: string } | { readonly accessToken: string }

/** Set exactly one of `apiKey`, `accessToken`, `profile`, `accountOf` and `embedded`; it selects the account. */
export interface ServerOptions extends CommonOptions {
  /** For several people: the account of the one whom `fetch` names, asked for at each call of a tool; undefined for none. */
  readonly accountOf?: ((person: string) => Account | undefined | Promise<Account | undefined>) | undefined
  /** A personal Linear API key. */
  readonly apiKey?: string | undefined
  /** An OAuth access token of Linear. Renewing it is up to you. */
  readonly accessToken?: string | undefined
  /** A GraphQL endpoint instead of Linear's: https, or http on this machine. */
  readonly apiUrl?: string | undefined
  /** The name of a login that `issue-tracker-mcp login` has stored in `dataDirectory`; it is renewed as needed. */
  readonly profile?: string | undefined
}

/** An MCP server for Linear. Throws a `TypeError` for options that cannot be used. */
export function createServer(options: ServerOptions): Server {
  return createServerFor(issueTracker, options, {
    variables: { apiKey: 'ISSUE_TRACKER_API_KEY', accessToken: 'ISSUE_TRACKER_ACCESS_TOKEN', apiUrl: 'ISSUE_TRACKER_API_URL' },
    credentials: ['apiKey', 'accessToken'],
  })
}
