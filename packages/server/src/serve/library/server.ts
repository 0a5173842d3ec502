// The public types of the library. Imports only a few types, because they become part of every package's declarations.
import type { Clock } from '@mcp-toolkits/core/base'
import type { LogEntry } from '../../mcp/log.ts'

export type { Clock, Timer } from '@mcp-toolkits/core/base'
export type { LogEntry } from '../../mcp/log.ts'

/** An MCP server inside your program. Nothing is opened before it is used. */
export interface Server {
  /**
   * Answers one Streamable HTTP request at any path. It is bound, so it can be passed as a function.
   *
   * It checks neither `Host` nor `Origin` nor any token: everyone who can reach it acts with this server's account, or the account of the
   * person that you name. A body over 4 MiB is answered 413. After `close`, every request is answered 503.
   */
  readonly fetch: (request: Request, options?: { readonly person?: string | undefined }) => Promise<Response>
  /**
   * Serves one client over a pair of streams, by default `process.stdin` and `process.stdout`. Standard output then belongs to the
   * protocol: log elsewhere. Resolves once the input has ended and all calls have been answered. It handles no signals.
   */
  readonly stdio: (streams?: StdioStreams) => Promise<void>
  /** Accepts no more calls, answers those in flight within 30 seconds, and releases everything. Can be called repeatedly. */
  readonly close: () => Promise<void>
}

/** `node:stream` streams, such as those of a process or a socket. */
export interface StdioStreams {
  /** A `Readable` with one JSON-RPC message per line. */
  readonly input: { on(event: 'data', listener: (chunk: Uint8Array) => void): unknown; pause(): unknown }
  /** A `Writable` for one JSON-RPC message per line. */
  readonly output: { on(event: 'error', listener: (error: Error) => void): unknown; write(text: string): unknown }
}

/** Options shared by all servers. Nothing is read from the process's environment. */
export interface CommonOptions {
  /** Serve a local emulator of the vendor: nothing leaves this machine, and options that name an account are ignored. */
  readonly embedded?: boolean | undefined
  /** Directory for one account's data that outlives the server; if absent, a temporary one, which `close` removes. */
  readonly dataDirectory?: string | undefined
  /** List only the tools that read, and refuse every write. */
  readonly readOnly?: boolean | undefined
  /** Add these groups of tools, or `['all']`. */
  readonly toolsets?: readonly string[] | undefined
  /** List only these tools, by any of their names. */
  readonly tools?: readonly string[] | undefined
  /** Style of tool names: `safe` with an underscore after the prefix (the default), `canonical` with a dot. */
  readonly toolNames?: 'safe' | 'canonical' | undefined
  /** `off` shows no apps in clients that support them. */
  readonly apps?: 'on' | 'off' | undefined
  /** Seconds that a question may wait for the person; 0 never asks. By default 45, or 600 if no call waits meanwhile. */
  readonly questionSeconds?: number | undefined
  /** Called with each log entry, such as one per call. Without it, nothing is logged. */
  readonly log?: ((entry: LogEntry) => void) | undefined
  /** Replaces `globalThis.fetch` for requests to the vendor. */
  readonly fetch?: ((input: string | URL | Request, init?: RequestInit) => Promise<Response>) | undefined
  /** Replaces the system's clock. Your program's tests can advance one of their own instead of waiting for retries. */
  readonly clock?: Clock | undefined
  /** Signs elicitation state: at least 32 bytes, the same for all processes behind one address, any of which may get the answer. */
  readonly stateKey?: Uint8Array | undefined
}
