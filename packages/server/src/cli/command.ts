import type { Readable, Writable } from 'node:stream'
import type { Environment } from '@mcp-toolkits/core'
import type { ServerDefinition, Settings } from '../definition.ts'
import { jsonLog, type Log, type LogLevel } from '../log.ts'

/** What the command line says, read over the environment. */
export interface CommandLine {
  readonly command: string
  readonly operands: readonly string[]
  /** The given options that go with every command, so that another command line can carry them. */
  readonly forwarded: readonly string[]
  readonly settings: Settings
  readonly logLevel: LogLevel
  readonly host: string
  readonly port: number | undefined
  readonly allowedHosts: readonly string[]
  readonly output: string | undefined
  /** What `login` asks for; empty when the command line names none. */
  readonly scopes: readonly string[]
  readonly browser: boolean
  readonly json: boolean
  readonly help: boolean
  readonly version: boolean
}

/** Runs one command; resolves with the exit code. */
export type Command = <Context>(definition: ServerDefinition<Context>, line: CommandLine, console: Console) => Promise<number>

/** The three streams of a process and what a command does with them. */
export interface Console {
  readonly input: Readable
  readonly output: Writable
  readonly errors: Writable & { readonly isTTY?: boolean }
  readonly environment: Environment
  /** Path of the program that was started, for `config`. */
  readonly program: string
  /** Calls back on SIGINT and SIGTERM. */
  readonly onSignal: (stop: () => void) => void
  /** Is called once, when a client over standard input and output has its tools. */
  readonly onListed?: () => void
}

/** Writes text and waits until it has left the process. */
export async function print(stream: Writable, text: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  stream.write(text.endsWith('\n') ? text : `${text}\n`, () => {
    resolve(undefined)
  })
  await promise
}

/** A text of others, without control characters that a terminal would act on. */
export function printable(text: string): string {
  return text.replace(/\p{C}/gu, '')
}

/** The log on standard error. */
export function logTo(console: Console, level: LogLevel): Log {
  return jsonLog(level, (line) => console.errors.write(line))
}

/** Resolves with the first SIGINT or SIGTERM. */
export async function interrupted(console: Console): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  console.onSignal(() => {
    resolve(undefined)
  })
  await promise
}

/** A command line that cannot be carried out. It is printed, and the exit code is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The exit code that shells use for an interrupted command. */
const interruptedCode = 130

/** Runs a command that Ctrl-C interrupts, and that can interrupt itself in the same way. */
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
