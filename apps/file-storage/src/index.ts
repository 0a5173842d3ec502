import { createServerFor, type CommonOptions, type Server } from '@mcp-toolkits/server/library'
import { fileStorage } from './server.ts'

export type { LogEntry, Server, StdioStreams } from '@mcp-toolkits/server/library'

interface Account {
  readonly accessToken: string
}

/** Set exactly one of `accessToken`, `profile`, `accountOf` and `embedded`; it selects the account. */
export interface ServerOptions extends CommonOptions {
  /** For several people: returns, on each tool call, the account of the `person` passed to `fetch`; undefined if there is none. */
  readonly accountOf?: ((person: string) => Account | undefined | Promise<Account | undefined>) | undefined
  /** A Google access token with the drive.file or drive scope. You must renew it yourself. */
  readonly accessToken?: string | undefined
  /** Root URL of an API to use instead of Google's (https, or http on this machine); `drive/v3/…` is appended. */
  readonly apiUrl?: string | undefined
  /** The name of a login stored in `dataDirectory` by `file-storage-mcp login`; the login is renewed as needed. */
  readonly profile?: string | undefined
  /** The OAuth client that `accessToken` belongs to. The file picker needs it, and opens a page on this program's machine. */
  readonly clientId?: string | undefined
  readonly clientSecret?: string | undefined
  /** Non-public hosts that uploads may be fetched from: `files.example` or `localhost:8080`. */
  readonly allowPrivateUrls?: readonly string[] | undefined
  /** Maximum size, in bytes, of an uploaded file; Drive's own limit by default. */
  readonly maxUploadBytes?: number | undefined
  /** The form of downloaded content, `resource` by default. `file` needs `downloadDir` on stdio; embedded servers make no links. */
  readonly content?: 'resource' | 'structured' | 'file' | undefined
  /** The download folder. */
  readonly downloadDir?: string | undefined
}

/** An MCP server for Google Drive. Throws a `TypeError` for invalid options. */
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
