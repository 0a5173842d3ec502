import { createServerFor, type CommonOptions, type Server } from '@mcp-toolkits/server/library'
import { fileStorage } from './server.ts'

export type { LogEntry, Server, StdioStreams } from '@mcp-toolkits/server/library'

interface Account {
  readonly accessToken: string
}

/** Set exactly one of `accessToken`, `profile`, `accountOf` and `embedded`; it selects the account. */
export interface ServerOptions extends CommonOptions {
  /** For several people: the account of the one whom `fetch` names, asked for at each call of a tool; undefined for none. */
  readonly accountOf?: ((person: string) => Account | undefined | Promise<Account | undefined>) | undefined
  /** An access token of Google with the scope drive.file or drive. Renewing it is up to you. */
  readonly accessToken?: string | undefined
  /** The root of an API instead of Google's, to which `drive/v3/…` is appended: https, or http on this machine. */
  readonly apiUrl?: string | undefined
  /** The name of a login that `file-storage-mcp login` has stored in `dataDirectory`; it is renewed as needed. */
  readonly profile?: string | undefined
  /** The OAuth client that `accessToken` belongs to. The file picker needs it; it opens a page on the machine that this program runs on. */
  readonly clientId?: string | undefined
  readonly clientSecret?: string | undefined
  /** Hosts that may be fetched for an upload although they are not public: `files.example` or `localhost:8080`. */
  readonly allowPrivateUrls?: readonly string[] | undefined
  /** The largest file that may be uploaded, in bytes; Drive's own limit when absent. */
  readonly maxUploadBytes?: number | undefined
  /** Way in which downloads give content; `resource` when absent. `file` needs `downloadDir` on stdio, and makes no links here. */
  readonly content?: 'resource' | 'structured' | 'file' | undefined
  /** The folder for downloads. */
  readonly downloadDir?: string | undefined
}

/** An MCP server for Google Drive. Throws a `TypeError` for options that cannot be used. */
export function createServer(options: ServerOptions): Server {
  return createServerFor(fileStorage, options, {
    variables: {
      accessToken: 'FILE_STORAGE_ACCESS_TOKEN',
      apiUrl: 'FILE_STORAGE_API_URL',
      clientId: 'FILE_STORAGE_CLIENT_ID',
      clientSecret: 'FILE_STORAGE_CLIENT_SECRET',
    },
    credentials: ['accessToken'],
  })
}
