import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Secret } from '@mcp-toolkits/core'
import type { Clock } from '@mcp-toolkits/core/clock'
import { member } from '@mcp-toolkits/core/json'
import type { Caller } from '@mcp-toolkits/core/people'
import { hostHeaderValidation, originValidation, toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { afterWait, notStarted, waitedMs, waitedTooLong } from './call-limiter.ts'
import { type ClientRequests, clientsByName, costOf, defaultLimits, limitByAddress, serverOptions, type HttpLimits } from './http-limits.ts'
import { maxBodyBytes, readBody, bodyError, rpcError, refusalOf, requestProblem } from './requests.ts'
import { Delivery, withDelivery } from './delivery.ts'
import type { ServerDefinition } from './definition.ts'
import { Readiness } from './readiness.ts'
import { hasLargeResult } from './listing.ts'
import { throwSite, type Log } from './log.ts'
import { mcpServerFactory } from './mcp.ts'
import { withCaller } from './people/caller.ts'
import { callerOf, sendResponse, type PeopleServing } from './people/serving.ts'
import type { Toolbox } from './toolbox.ts'

export interface HttpOptions {
  readonly host: string
  /** 0 lets the system choose. */
  readonly port: number
  /** Host names that clients use besides those of this machine. */
  readonly allowedHosts: readonly string[]
  /** When given, every request to /mcp must carry it as a bearer token. */
  readonly token?: Secret
  /** When given, each request needs a token of the identity provider, and is answered as its person. */
  readonly people?: PeopleServing
  /** Shared by all replicas behind one address, so that any of them can read the answer to a question that another asked. */
  readonly stateKey?: Uint8Array
  /** Throws while the server cannot answer calls because something that it needs is away. */
  readonly checkReady?: () => Promise<void>
  readonly log: Log
  readonly limits?: Partial<HttpLimits>
}

export interface HttpServer {
  /** Where clients connect: `http://127.0.0.1:3000/mcp`. */
  readonly url: string
  /**
   * Says at /readyz that it ends, and goes on serving for `waitMs` milliseconds, so that a balancer sends nothing more. Then it accepts no
   * more connections, answers the requests in flight within 30 seconds, and closes.
   */
  readonly drain: (waitMs?: number) => Promise<void>
}

/** How long the rest of a body that is too large is read and dropped after the answer, in milliseconds. */
const lingerMs = 2_000

/** How long requests in flight may take once draining has begun, in milliseconds. */
const drainMs = 30_000

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]']

/** Serves a toolbox as Streamable HTTP at /mcp. It has no sessions: replicas with the same `stateKey` can answer any request. */
export async function serveHttp<Context>(
  definition: ServerDefinition<Context>,
  toolbox: Toolbox,
  options: HttpOptions,
): Promise<HttpServer> {
  const { log, token, people } = options
  const names = [...loopbackNames, ...options.allowedHosts]
  const { recordRefusal, allowedHost, allowedOrigin, answerBusy } = refusals(names, { log, people, audit: toolbox.audit })
  const onerror = (error: Error) => {
    log.debug('protocol', { problem: error.name })
  }
  const failed = (response: ServerResponse) => (error: unknown) => {
    // The client has gone away, perhaps in the middle of its form.
    if (response.destroyed) return
    log.error('internal', throwSite(error))
    if (!response.headersSent) reply(response, 500, { error: 'The server has a defect. Its log says more.' })
  }
  const mcp = mcpRequests(definition, toolbox, { ...options, onerror, answerBusy })
  const inFlight = new Set<ServerResponse>()
  const limits = { ...defaultLimits, ...options.limits }
  const clientOf = clientsByName(limits, toolbox.clock)
  const admit = (request: IncomingMessage, response: ServerResponse, caller?: Caller) => {
    const client = clientOf(caller?.owner ?? request.socket.remoteAddress ?? '', response)
    const delivery = deliveryOf(response)
    const serve = () => withDelivery(delivery, () => mcp.serve({ request, response, client, caller }))
    // Here and not around all of this: a request that waits is started by the end of another one.
    const start = () => {
      void (caller ? withCaller(caller, serve) : serve()).catch(onerror)
    }
    const refuse = () => {
      answerBusy(response, 429, { error: waitedTooLong, caller })
    }
    if (inFlight.size > limits.maxRequests) answerBusy(response, 503, { error: tooMany[503], caller })
    else if (!client.submit(response, costOf(request), { start, refuse })) answerBusy(response, 429, { error: tooMany[429], caller })
  }
  const admitPerson = async (request: IncomingMessage, response: ServerResponse, serving: PeopleServing) => {
    if (inFlight.size > limits.maxRequests) {
      answerBusy(response, 503)
      return
    }
    const caller = await callerOf(serving, { request, response }, { allowedHost, allowedOrigin })
    // What counts a request waits for its response to close, which would not happen again.
    if (caller && !response.closed) admit(request, response, caller)
  }
  const readiness = new Readiness({ check: options.checkReady, log, clock: toolbox.clock })
  const server = createServer(serverOptions(limits), (request, response) => {
    inFlight.add(response)
    response.once('close', () => inFlight.delete(response))
    const path = request.url?.split('?')[0]
    if (path === '/healthz') reply(response, 200, { status: 'ok', server: definition.name, version: definition.version })
    else if (path === '/readyz') void answerReadiness(readiness, response)
    else if (people) void admitPerson(request, response, people).catch(failed(response))
    else if (path !== '/mcp') reply(response, 404, { error: 'Not found. The server is at /mcp.' })
    else if (!allowedHost(request, response) || !allowedOrigin(request, response)) return
    else if (token && !isAuthorized(request, token)) {
      recordRefusal(401, 'The request has no token of this server.')
      answerUnauthorized(response)
    } else admit(request, response)
  })
  limitConnections(server, inFlight, limits)
  await listen(server, options)
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : options.port
  const host = options.host.includes(':') ? `[${options.host}]` : options.host
  return {
    url: `http://${host}:${port}/mcp`,
    async drain(waitMs = 0) {
      readiness.end()
      if (waitMs > 0) await toolbox.clock.sleep(waitMs)
      await drain(server, inFlight, { clock: toolbox.clock, close: mcp.close })
    },
  }
}

/** Checks a header, and answers the request when that is wrong. */
type HeaderCheck = (request: IncomingMessage, response: ServerResponse) => boolean

/** Answers a request that is one too many: 429 where the client itself has too many, 503 where all clients together have. */
type BusyAnswer = (response: ServerResponse, status: 429 | 503, refusal?: Refusal) => void

interface RefusalOptions extends Pick<HttpOptions, 'log'> {
  readonly people: PeopleServing | undefined
  readonly audit: Toolbox['audit'] | undefined
}

/** Refuses requests, each of which is recorded in the audit and, where people have tokens, in the log. */
function refusals(names: string[], { log, people, audit }: RefusalOptions) {
  const recordRefusal = (status: number, problem: string, caller?: Caller) => {
    if (people) log.info('refused', { status, problem, ...(caller && { person: caller.owner }) })
    audit?.refused({ status, problem, caller })
  }
  const recorded = (check: HeaderCheck, problem: string) => (request: IncomingMessage, response: ServerResponse) => {
    const isAllowed = check(request, response)
    if (!isAllowed) recordRefusal(403, problem)
    return isAllowed
  }
  const allowedHost = recorded(hostHeaderValidation(names), 'The Host is not one of this server.')
  const allowedOrigin = recorded(originValidation(names), 'The Origin is not one of this server.')
  const answerBusy: BusyAnswer = (response, status, { caller, ...refusal } = { error: tooMany[status] }) => {
    recordRefusal(status, refusal.error.message, caller)
    sendBusy(response, status, refusal)
  }
  return { recordRefusal, allowedHost, allowedOrigin, answerBusy }
}

interface RequestsOptions extends Pick<HttpOptions, 'stateKey' | 'people'> {
  readonly onerror: (error: Error) => void
  readonly answerBusy: BusyAnswer
}

/** Answers the requests to /mcp, once they may be answered. */
function mcpRequests<Context>(
  definition: ServerDefinition<Context>,
  toolbox: Toolbox,
  { stateKey, people, onerror, answerBusy }: RequestsOptions,
) {
  const handler = createMcpHandler(mcpServerFactory(definition, toolbox, { key: stateKey }), {
    maxRequestBodySize: maxBodyBytes,
    onerror,
  })
  // With the parsed body the SDK does not clone the request, and a clone loses its abort signal: https://github.com/nodejs/undici/issues/4068
  const answer = toNodeHandler(handler, { onerror })
  const isLarge = (json: unknown) => {
    const name = member(member(json, 'params'), 'name')
    return typeof name === 'string' && hasLargeResult(definition, toolbox.listing, name)
  }
  const serveJson = async ({ request, response, client, caller }: Exchange, json: unknown) => {
    const problem = requestProblem(json)
    if (problem !== undefined) {
      reply(response, 400, refusalOf(json, problem))
      return
    }
    const refusal = caller && (await people?.gate.refusalOf(caller, json))
    if (refusal) {
      await sendResponse(refusal, response)
      return
    }
    if (!hasMethodAndUrl(request)) return
    if (Array.isArray(json) && json.some(isLarge)) {
      reply(response, 400, rpcError(-32600, 'A call whose result can be large cannot be part of a batch. Send it on its own.'))
      return
    }
    if (member(json, 'method') === 'subscriptions/listen' && !client.subscribe(response))
      answerBusy(response, 429, { error: tooMany[429], caller })
    else {
      const waited = isLarge(json) ? await client.waitForLarge(response) : waitedMs()
      if (waited === undefined) answerBusy(response, 429, { error: waitedTooLong, json, caller })
      else await afterWait(waited, () => answer(request, response, json))
    }
  }
  const serve = async (exchange: Exchange): Promise<void> => {
    const { request, response } = exchange
    const body = request.method === 'POST' ? await readRequestBody(request) : { json: undefined }
    if (body === 'too_large') answerTooLarge(request, response, toolbox.clock)
    else if (body === 'no_json') reply(response, 400, bodyError(body).json)
    else if ('problem' in body) reply(response, 400, rpcError(-32600, body.problem))
    else await serveJson(exchange, body.json)
  }
  return { serve, close: () => handler.close() }
}

/** A request, the response to it, and who sent it. */
interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly client: ClientRequests
  /** Absent where all clients share one account. */
  readonly caller?: Caller | undefined
}

async function answerReadiness(readiness: Readiness, response: ServerResponse): Promise<void> {
  const { status, body } = await readiness.answer()
  reply(response, status, body)
}

/** The answer is written when the system has taken all of the response, and lost when the connection closes before. */
function deliveryOf(response: ServerResponse): Delivery {
  const delivery = new Delivery()
  response.once('finish', () => {
    delivery.end(true)
  })
  response.once('close', () => {
    delivery.end(false)
  })
  return delivery
}

function sendBusy(response: ServerResponse, status: 429 | 503, { error, json }: Refusal): void {
  response.setHeader('retry-after', String(error.data.retry_after_seconds))
  // A body that is not read leaves no room for another request on the connection.
  if (json === undefined) response.setHeader('connection', 'close')
  reply(response, status, { jsonrpc: '2.0', error, id: member(json, 'id') ?? null })
}

const tooMany = {
  429: notStarted('This client has too many requests in flight.', 1),
  503: notStarted('The server has too many requests in flight.', 1),
} as const

interface Refusal {
  readonly error: ReturnType<typeof notStarted>
  /** The request, when it has been read. */
  readonly json?: unknown
  readonly caller?: Caller | undefined
}

function limitConnections(server: Server, inFlight: Iterable<ServerResponse>, limits: HttpLimits): void {
  server.maxConnections = limits.maxConnections
  server.on('connection', limitByAddress(limits))
  server.maxHeadersCount = limits.maxHeaders
  server.timeout = limits.stalledMs
  server.on('timeout', (socket: Socket) => {
    // A call may take its time as long as it owes its client nothing.
    const isWorking = [...inFlight].some((response) => response.socket === socket)
    if (!isWorking || socket.writableLength > 0) socket.destroy()
  })
}

/** Every request that a server receives has both; Node's type is shared with responses that a client receives. */
function hasMethodAndUrl(request: IncomingMessage): request is IncomingMessage & { method: string; url: string } {
  return request.method !== undefined && request.url !== undefined
}

/** Rejects when the client goes away. The connection stays open, for the answer to a body that is too large. */
function readRequestBody(request: IncomingMessage) {
  const chunks: AsyncIterable<Uint8Array> = request.iterator({ destroyOnReturn: false })
  return readBody(chunks, request.headers['content-length'])
}

/**
 * Answers at once, and drops the rest of the body for a while before it closes: closing a connection that still receives data resets it,
 * and the client would lose the answer.
 */
function answerTooLarge(request: IncomingMessage, response: ServerResponse, clock: Clock): void {
  const body = JSON.stringify(bodyError('too_large').json)
  response.writeHead(413, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), connection: 'close' })
  response.write(body)
  const end = () => response.end()
  const timer = clock.timer(lingerMs, end)
  request.resume().once('close', () => {
    timer.cancel()
    end()
  })
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' }).end(JSON.stringify(body))
}

function answerUnauthorized(response: ServerResponse): void {
  response.setHeader('www-authenticate', 'Bearer')
  reply(response, 401, { error: 'Send the bearer token of this server: Authorization: Bearer <token>.' })
}

/** Compares digests, so that neither the token's length nor a common beginning shows in the time it takes. */
function isAuthorized(request: IncomingMessage, token: Secret): boolean {
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

async function drain(
  server: Server,
  inFlight: Iterable<ServerResponse>,
  { clock, close }: { readonly clock: Clock; readonly close: () => Promise<void> },
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  server.close(() => {
    resolve(undefined)
  })
  for (const response of inFlight) {
    response.shouldKeepAlive = false
    response.once('finish', () => {
      server.closeIdleConnections()
    })
  }
  const timer = clock.timer(drainMs, () => {
    server.closeAllConnections()
  })
  await promise
  timer.cancel()
  await close()
}
