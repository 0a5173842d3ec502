import { once } from 'node:events'
import { type IncomingMessage, request as sendRequest } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { type Clock, systemClock } from '@mcp-toolkits/core/base'
import type { CallKind } from '../../src/mcp/calls/call-limiter.ts'
import { jsonLog } from '../../src/mcp/log.ts'
import { echoServer, Gate, settings } from '../stdio/echo-server.ts'
import { openToolbox } from '../../src/mcp/calls/toolbox.ts'
import type { HttpLimits } from '../../src/serve/http/admission/limits.ts'
import { serveHttp } from '../../src/serve/http/server.ts'

interface EchoOptions {
  readonly clock?: Clock
  /** The kind of a call to `Wait`; large if absent. */
  readonly kind?: CallKind | undefined
}

interface Sent {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string | string[]>>
}

/** The echo server over HTTP. Its timeouts are Node's own, so each test shortens the timeouts that it tests. */
export async function serveEcho(limits: Partial<HttpLimits> = {}, { clock = systemClock, ...options }: EchoOptions = {}) {
  const gate = new Gate()
  const { kind } = { kind: 'large' as const, ...options }
  const definition = { ...echoServer(gate), extensions: [{ callKinds: kind ? { Wait: kind } : {} }] }
  const log = jsonLog('silent', () => undefined)
  const toolbox = openToolbox(definition, settings, { log, clock })
  const server = await serveHttp(definition, toolbox, { host: '127.0.0.1', port: 0, allowedHosts: [], log, limits })
  const sockets: Socket[] = []
  const send = async (message: string, { method = 'POST', path = '/mcp', headers: own = {} }: Sent = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    sendRequest(new URL(path, server.url), { method, headers: { ...headers, ...own }, agent: false }, resolve)
      .once('error', reject)
      .end(message)
    const response = await promise
    return {
      status: response.statusCode,
      type: response.headers['content-type'],
      allow: response.headers.allow,
      retryAfter: response.headers['retry-after'],
      body: await text(response),
    }
  }
  const port = Number(new URL(server.url).port)
  return {
    gate,
    url: server.url,
    /** A raw connection to which a test writes. Resolves when the server has accepted or refused it. */
    async connect() {
      const socket = connect({ port, host: '127.0.0.1' })
      socket.on('error', () => undefined)
      sockets.push(socket)
      await once(socket, 'connect')
      return socket
    },
    call: (id: number, tool: string) => send(callBody(id, tool, 'x')),
    send,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      gate.open()
      await server.drain()
    },
  }
}

const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
export const head = ['POST /mcp HTTP/1.1', 'host: 127.0.0.1', ...Object.entries(headers).map((header) => header.join(': '))].join('\r\n')

export function callBody(id: number, tool: string, value: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: `Echo_${tool}`, arguments: { text: value } } })
}
