import type { Readable, Writable } from 'node:stream'
import type { JsonObject } from '@mcp-toolkits/core/base'
import type { Environment } from '@mcp-toolkits/core/upstream'
import type { Settings } from '../mcp/definition.ts'
import { filteredJson, filterText } from '../mcp/answers/exit-filter.ts'
import type { LogLevel } from '../mcp/log.ts'

/** The command line, completed from the environment. */
export interface CommandLine {
  readonly command: string
  readonly operands: readonly string[]
  /** Words after the called tool's name: its flags, and JSON. */
  readonly forTool: readonly string[]
  /** The options given here that work with every command, for the command line that `config` prints. */
  readonly forwarded: readonly string[]
  readonly settings: Settings
  readonly logLevel: LogLevel
  readonly host: string
  readonly port: number | undefined
  readonly allowedHosts: readonly string[]
  /** A database's URL. It may contain a password, so it is never shown. */
  readonly store: string | undefined
  /** The identity provider that issues people's tokens; undefined if all clients share one account. */
  readonly issuer: string | undefined
  /** The server's public origin. */
  readonly publicUrl: string | undefined
  /** True if the server issues the tokens itself. */
  readonly authorizationServer: boolean
  readonly audience: readonly string[] | undefined
  /** The audit log's file: a path, or `-` for standard error. */
  readonly audit: string | undefined
  /** The metrics port; if undefined, no metrics are served. */
  readonly metricsPort: number | undefined
  readonly metricsHost: string
  /** Wait before closing, in seconds. */
  readonly drainWait: number | undefined
  readonly check: boolean
  /** Paths, or `-`, by the `call` option that takes them. */
  readonly files: ReadonlyMap<string, string>
  readonly idempotencyKey: string | undefined
  /** Scopes for which `login` asks; empty if the command line names none. */
  readonly scopes: readonly string[]
  readonly browser: boolean
  readonly json: boolean
  /** True if `config` writes to the client's file. */
  readonly write: boolean
  readonly help: boolean
  readonly version: boolean
}

/** The parts of its process that a command uses. */
export interface Console {
  readonly input: Readable
  readonly output: Writable & { readonly isTTY?: boolean }
  readonly errors: Writable & { readonly isTTY?: boolean }
  readonly environment: Environment
  /** Path of the started program, for `config`. */
  readonly program: string
  /** Calls back on SIGINT and SIGTERM. */
  readonly onSignal: (stop: () => void) => void
  /** Called when a stdio client has received the tools. */
  readonly onListed?: () => void
}

/** Writes text in a form safe for a terminal, and waits until it has left the process. */
export async function print(stream: Writable, text: string): Promise<void> {
  await write(stream, filterText(text))
}

/** Writes JSON that a program can read without loss and a terminal can show. Returns true if it has been written. */
export async function printJson(stream: Writable, value: JsonObject, indent?: number): Promise<boolean> {
  return write(stream, filteredJson(value, indent))
}

/** Writes text that has passed the exit filter, and may since have been coloured. Returns true if it has been written. */
export async function write(stream: Writable, text: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  stream.write(text.endsWith('\n') ? text : `${text}\n`, (error) => {
    resolve(!error)
  })
  return promise
}

/** Resolves on the first SIGINT or SIGTERM. */
export async function waitForSignal(console: Console): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  console.onSignal(() => {
    resolve(undefined)
  })
  await promise
}

/**
 * A mistake on the command line. The message is printed with advice to try `help`, and `data` as a line of JSON below it; the exit code is
 * 2.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly data: object | undefined
  /** Words to type after the server's command to learn more. */
  readonly help: string

  constructor(message: string, data?: object, help = '--help') {
    super(message)
    this.data = data
    this.help = help
  }
}

/** The exit code that shells use for an interrupted command. */
const interruptedCode = 130

/** Runs a command that can be stopped with Ctrl-C, or by the command itself through `interrupt`. */
export async function runInterruptibly(
  console: Pick<Console, 'onSignal'>,
  run: (interrupt: AbortController) => Promise<number>,
): Promise<number> {
  const interrupt = new AbortController()
  console.onSignal(() => {
    interrupt.abort(new DOMException('Interrupted.', 'AbortError'))
  })
  try {
    return await run(interrupt)
  } catch (error) {
    if (interrupt.signal.aborted) return interruptedCode
    throw error
  }
}
