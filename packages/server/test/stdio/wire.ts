import { PassThrough } from 'node:stream'
import { systemClock, type Clock } from '@mcp-toolkits/core/base'
import { jsonLog } from '../../src/mcp/log.ts'
import { openToolbox } from '../../src/mcp/calls/toolbox.ts'
import { serveStdio, type StdioServer } from '../../src/serve/stdio/serve.ts'
import { echoServer, Gate, settings } from './echo-server.ts'

export interface Message {
  readonly id?: string | number | null
  readonly method?: string
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && 'jsonrpc' in value
}

export interface Wire {
  readonly input: PassThrough
  readonly output: PassThrough
  readonly gate: Gate
  readonly server: StdioServer
  /** All that the server wrote. */
  readonly written: Message[]
  readonly write: (line: string | Uint8Array) => void
  readonly send: (message: object) => void
  /** Resolves with the first message that satisfies the condition. */
  readonly answer: (id: string | number | null) => Promise<Message>
}

export type WireOptions = Partial<Record<'drainMs' | 'maxLineBytes', number>> & { readonly clock?: Clock }

/** The echo server over two real streams, after its handshake. */
export async function connected(options: WireOptions = {}): Promise<Wire> {
  const input = new PassThrough()
  const output = new PassThrough()
  const gate = new Gate()
  const definition = echoServer(gate)
  const log = jsonLog('silent', () => undefined)
  const server = serveStdio(definition, openToolbox(definition, settings, { log, clock: options.clock ?? systemClock }), {
    input,
    output,
    log,
    ...options,
  })
  const written: Message[] = []
  const waiting = new Set<() => void>()
  let rest = ''
  output.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const message: unknown = JSON.parse(line)
      if (!isMessage(message)) throw new Error(`This is not a message: ${line}`)
      written.push(message)
    }
    for (const look of waiting) look()
  })
  const answer = async (id: string | number | null) => {
    const { promise, resolve } = Promise.withResolvers<Message>()
    const look = () => {
      const found = written.find((message) => message.id === id)
      if (!found) return
      waiting.delete(look)
      resolve(found)
    }
    waiting.add(look)
    look()
    return promise
  }
  const write = (line: string | Uint8Array) => void input.write(line)
  const send = (message: object) => {
    write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }
  send({
    id: 'hello',
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
  })
  await answer('hello')
  send({ method: 'notifications/initialized' })
  return { input, output, gate, server, written, write, send, answer }
}

/** A call to one of the two tools. */
export function call(id: string | number, text: string, tool = 'Say') {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name: `Echo_${tool}`, arguments: { text } } }
}

/** The tool's result. */
export function told(message: Message): unknown {
  return message.result?.['structuredContent']
}
