import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Secret } from '@mcp-toolkits/core'
import { hostHeaderValidation, originValidation, toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler } from '@modelcontextprotocol/server'
import type { ServerDefinition } from './definition.ts'
import type { Log } from './log.ts'
import { mcpServerFactory } from './mcp.ts'
import type { Toolbox } from './toolbox.ts'

export interface HttpOptions {
  readonly host: string
  /** 0 lets the system choose. */
  readonly port: number
  /** Host names that clients use besides those of this machine. */
  readonly allowedHosts: readonly string[]
  /** When given, every request to /mcp must carry it as a bearer token. */
  readonly token?: Secret
  readonly log: Log
}

export interface HttpServer {
  /** Where clients connect: `http://127.0.0.1:3000/mcp`. */
  readonly url: string
  /** Takes no new connections, answers what is in flight within a bound, and closes. */
  readonly drain: () => Promise<void>
}

/** Largest request body in bytes; larger ones are answered 413 while they are still arriving. */
const largestBody = 4 * 1024 * 1024

/** How long requests in flight may take once draining has begun, in milliseconds. */
const drainMs = 30_000

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]']

/** Serves a toolbox as Streamable HTTP at /mcp. Nothing is kept between requests; any replica can answer any of them. */
export async function serveHttp<Context>(
  definition: ServerDefinition<Context>,
  toolbox: Toolbox,
  options: HttpOptions,
): Promise<HttpServer> {
  const { log, token } = options
  const names = [...loopbackNames, ...options.allowedHosts]
  const allowedHost = hostHeaderValidation(names)
  const allowedOrigin = originValidation(names)
  const onerror = (error: Error) => {
    log.debug('protocol', { problem: error.name })
  }
  const handler = createMcpHandler(mcpServerFactory(definition, toolbox), { maxRequestBodySize: largestBody, onerror })
  const answer = toNodeHandler(handler, { maxRequestBodySize: largestBody, onerror })

  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0]
    if (path === '/healthz') reply(response, 200, { status: 'ok', server: definition.name, version: definition.version })
    else if (path !== '/mcp') reply(response, 404, { error: 'Not found. The server is at /mcp.' })
    else if (!allowedHost(request, response) || !allowedOrigin(request, response)) return
    else if (token && !authorized(request, token)) unauthorized(response)
    else if (isWhole(request)) void answer(request, response)
  })
  await listen(server, options)
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : options.port
  const host = options.host.includes(':') ? `[${options.host}]` : options.host
  return { url: `http://${host}:${port}/mcp`, drain: () => drain(server, () => handler.close()) }
}

/** Every request that a server receives has both; Node's type is shared with responses that a client receives. */
function isWhole(request: IncomingMessage): request is IncomingMessage & { method: string; url: string } {
  return request.method !== undefined && request.url !== undefined
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' }).end(JSON.stringify(body))
}

function unauthorized(response: ServerResponse): void {
  response.setHeader('www-authenticate', 'Bearer')
  reply(response, 401, { error: 'Send the bearer token of this server: Authorization: Bearer <token>.' })
}

/** Compares digests, so that neither the token's length nor a common beginning shows in the time it takes. */
function authorized(request: IncomingMessage, token: Secret): boolean {
  const given = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? ''
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(token.reveal()))
}

async function listen(server: Server, { host, port }: HttpOptions): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>()
  server.once('error', reject)
  server.listen(port, host, () => {
    server.off('error', reject)
    resolve(undefined)
  })
  await promise
}

async function drain(server: Server, close: () => Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  server.close(() => {
    resolve(undefined)
  })
  server.closeIdleConnections()
  const bound = setTimeout(() => {
    server.closeAllConnections()
  }, drainMs)
  await promise
  clearTimeout(bound)
  await close()
}
