import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Secret } from '@mcp-toolkits/core'
import type { Clock } from '@mcp-toolkits/core/clock'
import { listen } from '@mcp-toolkits/core/listen'
import { member } from '@mcp-toolkits/core/json'
import type { Caller } from '@mcp-toolkits/core/people'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { afterWait, waitedMs, waitedTooLong } from '../call-limiter.ts'
import type { ServerDefinition } from '../definition.ts'
import { Delivery, withCaller, withDelivery } from '../current-request.ts'
import { hasLargeResult } from '../listing.ts'
import { errorFields, type Log } from '../log.ts'
import { mcpServerFactory } from '../mcp.ts'
import { callsIn, refusalOf, requestProblem, rpcError } from '../rpc-requests.ts'
import type { Toolbox } from '../toolbox.ts'
import { bodyError, readBody } from './body.ts'
import { type ClientRequests, clientsByName, costOf, limitConnectionsByAddress, serverOptions } from './client-requests.ts'
import { defaultLimits, fixedLimits, type HttpLimits } from './limits.ts'
import { callerOf, type PeopleRoutes, sendResponse } from './people-routes.ts'
import { Readiness } from './readiness.ts'
import { Refusals, reply, tooMany } from './refusals.ts'

export interface HttpOptions {
  readonly host: string
  /** 0 lets the system choose. */
  readonly port: number
  /** Host names that clients use besides those of this machine. */
  readonly allowedHosts: readonly string[]
  /** When given, every request to /mcp must carry it as a bearer token. */
  readonly token?: Secret
  /** When given, each request needs a token of the identity provider, and is answered as its person. */
  readonly people?: PeopleRoutes
  /** Shared by all replicas behind one address, so that any of them can read the answer to a question that another asked. */
  readonly stateKey?: Uint8Array
  /** Throws while the server cannot answer calls because something that it needs is down. */
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

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]']

/** Serves a toolbox as Streamable HTTP at /mcp. It has no sessions: replicas with the same `stateKey` can answer any request. */
export async function serveHttp<Context>(
  definition: ServerDefinition<Context>,
  toolbox: Toolbox,
  options: HttpOptions,
): Promise<HttpServer> {
  const { log, token, people } = options
  const names = [...loopbackNames, ...options.allowedHosts]
  const refusals = new Refusals({ audit: toolbox.audit, log: people && log })
  const { allowedHost, allowedOrigin } = refusals.headerChecks(names)
  const onerror = (error: Error) => {
    log.debug('protocol', { problem: error.name })
  }
  const failed = (response: ServerResponse) => (error: unknown) => {
    // The client has gone away, perhaps in the middle of its form.
    if (response.destroyed) return
    log.error('internal', errorFields(error))
    if (!response.headersSent) reply(response, 500, { error: 'The server failed unexpectedly. The details are in its log.' })
  }
  const mcp = mcpRequests(definition, toolbox, { ...options, onerror, refusals })
  const inFlight = new Set<ServerResponse>()
  const limits = { ...defaultLimits, ...options.limits }
  const clientOf = clientsByName(limits, toolbox.clock)
  const admit = ({ request, response, delivery }: Incoming, caller?: Caller) => {
    refusals.describe(response, { caller, calls: 0 })
    const client = clientOf(caller?.owner ?? request.socket.remoteAddress ?? '', response)
    const serve = () => withDelivery(delivery, () => mcp.serve({ request, response, client, caller }))
    // The caller is set here, because a request in the queue is started when a different one ends.
    const start = () => {
      void (caller ? withCaller(caller, serve) : serve()).catch(onerror)
    }
    const refuse = () => {
      refusals.answerBusy(response, 429, { error: waitedTooLong })
    }
    if (inFlight.size > limits.maxRequests) refusals.answerBusy(response, 503, { error: tooMany[503] })
    else if (!client.submit(response, costOf(request), { start, refuse })) refusals.answerBusy(response, 429, { error: tooMany[429] })
  }
  const admitPerson = async (incoming: Incoming, routes: PeopleRoutes) => {
    const { response } = incoming
    if (inFlight.size > limits.maxRequests) {
      refusals.answerBusy(response, 503)
      return
    }
    const caller = await callerOf(routes, incoming, { allowedHost, allowedOrigin, refusals })
    // The request is counted until its response closes. One that has closed already would be counted for ever.
    if (caller && !response.closed) admit(incoming, caller)
  }
  const answer = (incoming: Incoming, path: string | undefined) => {
    const { request, response, delivery } = incoming
    refusals.follow(response, delivery)
    if (people) void withDelivery(delivery, () => admitPerson(incoming, people)).catch(failed(response))
    else if (path !== '/mcp') reply(response, 404, { error: 'Not found. The server is at /mcp.' })
    else if (!allowedHost(request, response) || !allowedOrigin(request, response)) return
    else if (token && !isAuthorized(request, token)) {
      refusals.setReason(response, { problem: 'The request has no token of this server.' })
      answerUnauthorized(response)
    } else admit(incoming)
  }
  let isEnding = false
  const readiness = new Readiness({ check: options.checkReady, log, clock: toolbox.clock })
  const server = createServer(serverOptions(limits), (request, response) => {
    inFlight.add(response)
    // A balancer that uses a connection again just when it is closed loses the request.
    if (isEnding) response.shouldKeepAlive = false
    response.once('close', () => inFlight.delete(response))
    const path = request.url?.split('?')[0]
    if (path === '/healthz') reply(response, 200, { status: 'ok', server: definition.name, version: definition.version })
    else if (path === '/readyz') void answerReadiness(readiness, response)
    else answer({ request, response, delivery: deliveryOf(response) }, path)
  })
  limitConnections(server, inFlight, limits)
  const origin = await listen(server, options)
  return {
    url: `${origin}/mcp`,
    async drain(waitMs = 0) {
      readiness.end()
      isEnding = true
      if (waitMs > 0) await toolbox.clock.sleep(waitMs)
      await drain(server, inFlight, { clock: toolbox.clock, close: mcp.close })
    },
  }
}

/** A request that has arrived. */
interface Incoming {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly delivery: Delivery
}

interface RequestsOptions extends Pick<HttpOptions, 'stateKey' | 'people'> {
  readonly onerror: (error: Error) => void
  readonly refusals: Refusals
}

/** Answers the requests to /mcp, once they may be answered. */
function mcpRequests<Context>(
  definition: ServerDefinition<Context>,
  toolbox: Toolbox,
  { stateKey, people, onerror, refusals }: RequestsOptions,
) {
  const handler = createMcpHandler(mcpServerFactory(definition, toolbox, { key: stateKey }), {
    maxRequestBodySize: fixedLimits.maxBodyBytes,
    onerror,
  })
  // With the parsed body the SDK does not clone the request, and a clone loses its abort signal: https://github.com/nodejs/undici/issues/4068
  const answer = toNodeHandler(handler, { onerror })
  const isLarge = (json: unknown) => {
    const name = member(member(json, 'params'), 'name')
    return typeof name === 'string' && hasLargeResult(definition, toolbox.listing, name)
  }
  const refuse = (response: ServerResponse, body: { readonly error: { readonly message: string } }) => {
    refusals.setReason(response, { problem: body.error.message })
    reply(response, 400, body)
  }
  const serveJson = async ({ request, response, client, caller }: Exchange, json: unknown) => {
    const calls = callsIn(json)
    const tools = calls.flatMap((name) => toolbox.listing.find(name)?.name ?? [])
    refusals.describe(response, { caller, tools, calls: calls.length })
    const problem = requestProblem(json)
    if (problem !== undefined) {
      refuse(response, refusalOf(json, problem))
      return
    }
    const refusal = caller && (await people?.gate.refusalOf(caller, json))
    if (refusal) {
      refusals.setReason(response, refusal.reason)
      await sendResponse(refusal.response, response)
      return
    }
    if (!hasMethodAndUrl(request)) return
    if (Array.isArray(json) && json.some(isLarge)) {
      refuse(response, rpcError(-32600, 'A call whose result can be large cannot be part of a batch. Send it on its own.'))
      return
    }
    if (member(json, 'method') === 'subscriptions/listen' && !client.subscribe(response))
      refusals.answerBusy(response, 429, { error: tooMany[429] })
    else {
      const waited = isLarge(json) ? await client.waitForLarge(response) : waitedMs()
      if (waited === undefined) refusals.answerBusy(response, 429, { error: waitedTooLong, json })
      else await afterWait(waited, () => answer(request, response, json))
    }
  }
  const serve = async (exchange: Exchange): Promise<void> => {
    const { request, response } = exchange
    const body = request.method === 'POST' ? await readRequestBody(request) : { json: undefined }
    if (body === 'too_large') answerTooLarge(request, response, toolbox.clock)
    else if (body === 'no_json') refuse(response, bodyError(body).json)
    else if ('problem' in body) refuse(response, rpcError(-32600, body.problem))
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

function limitConnections(server: Server, inFlight: Iterable<ServerResponse>, limits: HttpLimits): void {
  server.maxConnections = limits.maxConnections
  server.on('connection', limitConnectionsByAddress(limits))
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
  const timer = clock.timer(fixedLimits.lingerMs, end)
  request.resume().once('close', () => {
    timer.cancel()
    end()
  })
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
  const timer = clock.timer(fixedLimits.drainMs, () => {
    server.closeAllConnections()
  })
  await promise
  timer.cancel()
  await close()
}
