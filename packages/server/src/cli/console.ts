import type { Readable, Writable } from 'node:stream'
import type { Environment } from '@mcp-toolkits/core'
import { jsonLog, type Log, type LogLevel } from '../log.ts'

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

/** Somebody else's text without what a terminal would act on. */
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

/** A command line that cannot be carried out; printed, with exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** What shells report for a command that was interrupted. */
const interruptedCode = 130

/** Runs a command that Ctrl-C ends early and cleanly, and that can end itself in the same way. */
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
