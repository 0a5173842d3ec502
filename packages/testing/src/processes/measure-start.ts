// Measures a server's startup as a client sees it: from the spawn to the response to tools/list.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { member } from '@mcp-toolkits/core/base'
import { peakOf, processorTimeOf } from './proc.ts'

export interface Program {
  readonly main: string
  /** Node options. */
  readonly options?: readonly string[]
  readonly environment: Readonly<Record<string, string>>
}

/** The two ways in which clients open a session: with `initialize`, and with `server/discover` (2026-07-28). */
export const eras = ['legacy', 'modern'] as const
export type Era = (typeof eras)[number]

export interface Start {
  readonly ms: number
  /** Processor time of the main thread, if the system reports it. */
  readonly processorMs: number | null
  /** Peak memory after the response, if the system reports it. */
  readonly peakMb: number | null
  readonly listBytes: number
  readonly tools: number
}

const client = { name: 'bench', version: '1.0.0' }
const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': client,
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** A client's messages: the first one, and those that follow the response to it. */
const session = {
  legacy: [
    [{ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: client } }],
    [{ method: 'notifications/initialized' }, { id: 2, method: 'tools/list' }],
  ],
  modern: [
    [{ id: 1, method: 'server/discover', params: { _meta: modernMeta } }],
    [{ id: 2, method: 'tools/list', params: { _meta: modernMeta } }],
  ],
} as const

/**
 * Starts a server, asks for its tools and stops it. Throws if the server answers with anything else; if it does not answer, the
 * error contains its output.
 */
export async function measureStart(program: Program, era: Era): Promise<Start> {
  const spawned = performance.now()
  const child = spawn(process.execPath, [...(program.options ?? []), program.main], {
    env: program.environment,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  // Writing to a server that has exited fails; its standard error says why it exited.
  child.stdin.on('error', () => undefined)
  const ended = once(child, 'close')
  const errors = text(child.stderr)
  const [opening, asking] = session[era]
  const lines = linesOf(child.stdout)
  const send = (messages: readonly object[]) =>
    child.stdin.write(messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join(''))
  send(opening)
  await lines.next()
  send(asking)
  const { value: line = '' } = await lines.next()
  const ms = performance.now() - spawned
  const peakMb = peakOf(child.pid)
  const processorMs = processorTimeOf(child.pid)
  child.stdin.end()
  await ended
  if (line === '') throw new Error(`No answer (exit code ${String(child.exitCode)}): ${(await errors).trim()}`)
  return { ms, processorMs, peakMb, listBytes: Buffer.byteLength(line), tools: toolsIn(line) }
}

/** Measures how long Node takes to start and end. */
export async function measureNode(environment: Program['environment']): Promise<number> {
  const spawned = performance.now()
  await once(spawn(process.execPath, ['-e', '0'], { env: environment, stdio: 'ignore' }), 'exit')
  return performance.now() - spawned
}

async function* linesOf(output: AsyncIterable<Buffer>): AsyncGenerator<string, undefined> {
  let held = ''
  for await (const chunk of output) {
    held += chunk.toString('latin1')
    for (let end = held.indexOf('\n'); end >= 0; end = held.indexOf('\n')) {
      yield Buffer.from(held.slice(0, end), 'latin1').toString()
      held = held.slice(end + 1)
    }
  }
  return undefined
}

function toolsIn(line: string): number {
  const answer: unknown = line === '' ? undefined : JSON.parse(line)
  const tools = member(member(answer, 'result'), 'tools')
  if (!Array.isArray(tools)) throw new Error(`Not the tools: ${line.slice(0, 300)}`)
  return tools.length
}
