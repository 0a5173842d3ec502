import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { PassThrough, type Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { member } from '@mcp-toolkits/core/base'
import type { Fetch } from '@mcp-toolkits/core/upstream'
import type { ServerDefinition } from '@mcp-toolkits/server'
import { runCli } from '@mcp-toolkits/server/cli'
import { onTestFinished } from 'vitest'
import { compileCache, connect } from './connect.ts'
import { isFull } from './runs.ts'

export interface ProgramResult {
  readonly code: number | null
  readonly output: string
  readonly errors: string
}

/** Undefined variables are not set. */
export type ProgramEnvironment = Readonly<Record<string, string | undefined>>

export interface RunningProgram {
  /** The next line on standard output that matches. */
  readonly waitForLine: (pattern: RegExp) => Promise<string>
  readonly writeLine: (line: string) => void
  readonly endInput: () => void
  readonly kill: (signal: NodeJS.Signals) => void
  readonly result: Promise<ProgramResult>
}

/**
 * Starts a Node program with exactly this environment, and a cache of compiled code; it is killed after the test if it is still running.
 */
export function startProgram(program: readonly string[], environment: ProgramEnvironment): RunningProgram {
  return spawnCommand([process.execPath, ...program], { NODE_COMPILE_CACHE: compileCache, ...environment })
}

/** The same in a terminal, which merges stdout and stderr and takes the line `\u0003` as Ctrl-C. Needs util-linux's `script`. */
export function startInTerminal(program: readonly string[], environment: ProgramEnvironment): RunningProgram {
  const quoted = [process.execPath, ...program].map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`)
  return spawnCommand(['script', '--quiet', '--flush', '--return', '--command', quoted.join(' '), '/dev/null'], environment)
}

function spawnCommand([command = '', ...args]: readonly string[], environment: ProgramEnvironment): RunningProgram {
  const child = spawn(command, args, { stdio: 'pipe', env: { ...environment } })
  onTestFinished(() => void child.kill('SIGKILL'))
  const closed = Promise.withResolvers<number | null>()
  child.once('close', closed.resolve)
  const result = collectResult(child.stdout, child.stderr, closed.promise)
  return {
    result,
    waitForLine: createLineReader(child.stdout, result),
    writeLine: (line) => void child.stdin.write(`${line}\n`),
    endInput: () => void child.stdin.end(),
    kill: (signal) => void child.kill(signal),
  }
}

async function collectResult(output: Readable, errors: Readable, code: Promise<number | null>): Promise<ProgramResult> {
  const [exitCode, printed, reported] = await Promise.all([code, text(output), text(errors)])
  return { code: exitCode, output: printed, errors: reported }
}

function createLineReader(stream: Readable, result: Promise<ProgramResult>): RunningProgram['waitForLine'] {
  const lines: AsyncIterator<string, undefined> = createInterface({ input: stream })[Symbol.asyncIterator]()
  return async (pattern) => {
    for (;;) {
      const next = await lines.next()
      if (next.done === true) throw new Error(`It ended without ${pattern.source}: ${JSON.stringify(await result)}`)
      if (pattern.test(next.value)) return next.value
    }
  }
}

/** Starts a server's command in this process, which is much faster than in a new one; after the test, the command is interrupted. */
export function startCommand<Context>(
  definition: ServerDefinition<Context>,
  args: readonly string[],
  environment: ProgramEnvironment,
): RunningProgram {
  const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const handlers: (() => void)[] = []
  const interrupt = () => {
    for (const handler of handlers) handler()
  }
  onTestFinished(interrupt)
  const onSignal = (handler: () => void) => handlers.push(handler)
  const ended = runCli(definition, args, { input, output, errors, environment, program: import.meta.filename, onSignal }).finally(() => {
    output.end()
    errors.end()
  })
  const result = collectResult(output, errors, ended)
  return {
    result,
    waitForLine: createLineReader(output, result),
    writeLine: (line) => void input.write(`${line}\n`),
    endInput: () => void input.end(),
    kill: interrupt,
  }
}

/** Runs a server's command in this process to completion, without input. */
export async function runCommand<Context>(
  definition: ServerDefinition<Context>,
  args: readonly string[],
  environment: ProgramEnvironment,
): Promise<ProgramResult> {
  const running = startCommand(definition, args, environment)
  running.endInput()
  return running.result
}

/** Runs a Node program to completion, without input. */
export async function runProgram(program: readonly string[], environment: ProgramEnvironment): Promise<ProgramResult> {
  const running = startProgram(program, environment)
  running.endInput()
  return running.result
}

export interface CallerOptions {
  readonly tool: string
  readonly args?: Record<string, unknown>
  /** The path of the provider's token endpoint. */
  readonly tokenPath: string
  readonly environment: ProgramEnvironment
}

/** The line that a caller prints after a successful call. */
export const successLine = '{"failed":false,"content":[]}'

/**
 * A caller's main function: a process with its own server that makes one call when it reads a line, in the data directory `DATA_DIRECTORY`.
 * With `LOSE`, the response to a token refresh never arrives.
 */
export async function runCaller<Context>(
  definition: ServerDefinition<Context>,
  { tool, args = {}, tokenPath, environment }: CallerOptions,
): Promise<void> {
  const { DATA_DIRECTORY: dataDirectory = '', LOSE: lose } = environment
  const losingFetch: Fetch = async (input, init) => {
    const response = await fetch(input, init)
    if (new URL(response.url).pathname !== tokenPath) return response
    process.stdout.write('renewed\n')
    return new Promise(() => undefined)
  }
  const server = await connect(definition, { dataDirectory, environment, fetch: lose === undefined ? fetch : losingFetch })
  process.stdout.write('ready\n')
  await once(createInterface({ input: process.stdin }), 'line')
  const { isError, content } = await server.result(tool, args)
  process.stdout.write(`${JSON.stringify({ failed: isError === true, content: isError === true ? content : [] })}\n`)
  await server[Symbol.asyncDispose]()
  process.exit(0)
}

/** Starts a caller and waits until it is ready. */
export async function startCaller(program: string, environment: ProgramEnvironment): Promise<RunningProgram> {
  const running = startProgram([program], environment)
  await running.waitForLine(/^ready$/)
  return running
}

/** Number of callers; each is a process that takes two seconds of processor time. */
const callerCount = isFull ? 10 : 3

/** Starts callers that all make their call at once, after `prepare` is done. Resolves with their distinct answers, and all their errors. */
export async function runCallers(
  startOne: () => Promise<RunningProgram>,
  prepare: () => Promise<void>,
): Promise<{ readonly answers: readonly string[]; readonly errors: string }> {
  const callers = await Promise.all(Array.from({ length: callerCount }, () => startOne()))
  await prepare()
  for (const each of callers) each.writeLine('go')
  const answers = await Promise.all(callers.map((each) => each.waitForLine(/^\{/)))
  const errors = await Promise.all(callers.map(async (each) => (await each.result).errors))
  return { answers: [...new Set(answers)], errors: errors.join('') }
}

/** Counts the requests that reached a path of an emulator. */
export async function countRequests(path: string, url: string): Promise<number> {
  const requests = member(await (await fetch(`${url}/__emulator/requests?limit=1000`)).json(), 'requests')
  if (!Array.isArray(requests)) throw new Error('Not a list of requests.')
  return requests.filter((request) => member(request, 'path') === path).length
}
