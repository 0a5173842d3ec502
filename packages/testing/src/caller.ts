import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Fetch } from '@mcp-toolkits/core'
import type { ServerDefinition } from '@mcp-toolkits/server'
import { connect } from './connect.ts'
import { start, type ProgramEnvironment, type Running } from './program.ts'

/** One call of a server. */
export interface OneCall {
  readonly tool: string
  readonly args?: Record<string, unknown>
  /** The path of the provider's token endpoint. */
  readonly tokenPath: string
  readonly environment: ProgramEnvironment
}

/** What such a call ended with, as the process prints it: the content only where it failed. */
export const succeeded = '{"failed":false,"content":[]}'

/**
 * The program of a server in a process of its own that makes one call when it is told to. It takes its data directory from
 * `DATA_DIRECTORY`. With `LOSE`, the answer to a renewal never reaches it.
 */
export async function callOnce<Context>(
  definition: ServerDefinition<Context>,
  { tool, args = {}, tokenPath, environment }: OneCall,
): Promise<void> {
  const { DATA_DIRECTORY: dataDirectory = '', LOSE: lose } = environment
  const losing: Fetch = async (input, init) => {
    const response = await fetch(input, init)
    if (new URL(response.url).pathname !== tokenPath) return response
    process.stdout.write('renewed\n')
    return new Promise(() => undefined)
  }
  const server = await connect(definition, { dataDirectory, environment, fetch: lose === undefined ? fetch : losing })
  process.stdout.write('ready\n')
  await once(createInterface({ input: process.stdin }), 'line')
  const { isError, content } = await server.result(tool, args)
  process.stdout.write(`${JSON.stringify({ failed: isError === true, content: isError === true ? content : [] })}\n`)
  await server[Symbol.asyncDispose]()
  process.exit(0)
}

/** Starts such a program, ready to call. */
export async function caller(program: string, environment: ProgramEnvironment): Promise<Running> {
  const running = start([program], environment)
  await running.line(/^ready$/)
  return running
}

/** Has ten of them call at once, when `before` is done and all are ready; what they printed. */
export async function tenAtOnce(
  open: () => Promise<Running>,
  before: () => Promise<void>,
): Promise<{ readonly answers: readonly string[]; readonly errors: string }> {
  const callers = await Promise.all(Array.from({ length: 10 }, () => open()))
  await before()
  for (const each of callers) each.say('go')
  const answers = await Promise.all(callers.map((each) => each.line(/^\{/)))
  const errors = await Promise.all(callers.map(async (each) => (await each.finished).errors))
  return { answers, errors: errors.join('') }
}
