import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type Caller, type Clock, listen } from '@mcp-toolkits/core/base'
import type { Secret } from '@mcp-toolkits/core/upstream'
import type { ServerDefinition } from '../../mcp/definition.ts'
import { Delivery, withCaller, withDelivery } from '../../mcp/calls/current-request.ts'
import { errorFields, type Log } from '../../mcp/log.ts'
import type { Toolbox } from '../../mcp/calls/toolbox.ts'
import type { Contents } from '../../storage/contents.ts'
import { ContentLinks } from './content-links.ts'
import { AnonymousRequests } from './admission/anonymous-requests.ts'
import { clientsByName, serverOptions } from './admission/client-requests.ts'
import { Connections } from './admission/connections.ts'
import { defaultLimits, fixedLimits, type HttpLimits } from './admission/limits.ts'
import { hasSharedToken, refuseWithoutToken } from './admission/shared-token.ts'
import { mcpRequests } from './mcp-requests.ts'
import { pathOf, type PeopleRoutes } from './people-routes.ts'
import { Readiness } from './readiness.ts'
import { Refusals, reply } from './refusals.ts'
import { answerCard, cardPath } from './server-card.ts'

export interface HttpOptions {
  readonly host: string
  /** The port; 0 lets the system choose. */
  readonly port: number
  /** Host names that clients use besides this machine's. */
  readonly allowedHosts: readonly string[]
  /** If given, every request to /mcp must carry it as a bearer token. */
  readonly token?: Secret
  /** If given, each request needs a token from the identity provider, and acts as the person that token names. */
  readonly people?: PeopleRoutes
  /** Key shared by all replicas behind one address, so that any of them can read the answer to another replica's question. */
  readonly stateKey?: Uint8Array
  /** Contents that all replicas share; if absent, they stay in this process. */
  readonly contents?: Contents | undefined
  /** Throws while the server cannot answer calls because something it needs is down. */
  readonly checkReady?: () => Promise<void>
  readonly log: Log
  readonly limits?: Partial<HttpLimits>
}

export interface HttpServer {
  /** Address for clients: `http://127.0.0.1:3000/mcp`. */
  readonly url: string
  /**
   * Reports at /readyz that shutdown has begun, and keeps serving for `waitMs` milliseconds while load balancers notice. Then it accepts no
   * more connections, gives requests in flight 30 seconds to finish, and closes.
   */
  readonly drain: (waitMs?: number) => Promise<void>
}

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]']

const notAllowed = '405 Method Not Allowed\r\nallow: POST'

/** Serves a toolbox over Streamable HTTP at /mcp. It has no sessions: replicas with the same `stateKey` can answer any request. */
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
    // The client has gone, perhaps while it was still sending a form.
    if (response.destroyed) return
    log.error('internal', errorFields(error))
    if (!response.headersSent) reply(response, 500, { error: 'The server failed unexpectedly. The details are in its log.' })
  }
  const { stateKey, contents } = options
  const links = new ContentLinks(toolbox.clock, contents)
  const linkMaker = links.makerAt(people?.publicUrl)
  const mcp = mcpRequests(definition, toolbox, { stateKey, refusalOf: people?.refusalOf, onerror, refusals, linkMaker })
  const inFlight = new Set<ServerResponse>()
  const limits = { ...defaultLimits, ...options.limits }
  const clientOf = clientsByName(limits, toolbox.clock)
  const anonymous = new AnonymousRequests(limits, toolbox.clock)
  const serve = async ({ request, response, delivery }: Incoming, caller?: Caller) => {
    refusals.describe(response, { caller, calls: 0 })
    const client = clientOf(caller?.owner ?? request.socket.remoteAddress ?? '', response)
    const onArrival = () => {
      connections.keep(request.socket, response)
    }
    const answered = () => withDelivery(delivery, () => mcp.serve({ request, response, client, caller, onArrival }))
    await (caller ? withCaller(caller, answered) : answered()).catch(onerror)
  }
  const servePerson = async (incoming: Incoming, routes: PeopleRoutes) => {
    const { response } = incoming
    const caller = await routes.callerOf(incoming, { allowedHost, allowedOrigin, refusals, anonymous })
    // A request counts until its response closes. If the response had already closed, the request would count forever.
    if (caller && !response.destroyed) await serve(incoming, caller)
  }
  const answer = (incoming: Incoming, path: string) => {
    const { request, response, delivery } = incoming
    refusals.follow(response, delivery)
    if (links.owns(path)) void links.serve(path, incoming, { allowedHost, refusals, anonymous }).catch(failed(response))
    else if (people) void withDelivery(delivery, () => servePerson(incoming, people)).catch(failed(response))
    else if (path !== '/mcp') reply(response, 404, { error: 'Not found. The server is at /mcp.' })
    else if (!allowedHost(request, response) || !allowedOrigin(request, response)) return
    else if (token && !hasSharedToken(request, token)) {
      refusals.setReason(response, { problem: "The request lacks this server's token." })
      refuseWithoutToken(response)
    } else void serve(incoming)
  }
  let isEnding = false
  const readiness = new Readiness({ check: options.checkReady, log, clock: toolbox.clock })
  const server = createServer(serverOptions(limits), (request, response) => {
    inFlight.add(response)
    // A load balancer would lose a request sent just as a reused connection closes.
    if (isEnding) response.shouldKeepAlive = false
    response.once('close', () => inFlight.delete(response))
    const path = pathOf(request)
    if (path === '/healthz') reply(response, 200, { status: 'ok', server: definition.name, version: definition.version })
    else if (path === '/readyz') void answerReadiness(readiness, response)
    else if (path === '/' && isReading(request)) welcome(response, definition, people?.hasPages === true)
    else if (path === cardPath && isReading(request)) answerCard(request, response, definition)
    else answer({ request, response, delivery: deliveryOf(response) }, path)
  })
  const connections = limitConnections(server, inFlight, limits)
  refuseInvalid(server, inFlight)
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

const isReading = ({ method = '' }: IncomingMessage) => ['GET', 'HEAD'].includes(method)

/** The page for a person who opens the server's address in a browser. */
function welcome(
  response: ServerResponse,
  { title, version }: Pick<ServerDefinition<never>, 'title' | 'version'>,
  hasPages: boolean,
): void {
  const lines = [
    `${title} ${version}, an MCP server.`,
    'MCP clients connect to /mcp at this address.',
    ...(hasPages ? ['Your accounts are at /accounts.'] : []),
    'The documentation is in the source repository: README.md, and docs/clients.md for clients.',
  ]
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }).end(`${lines.join('\n')}\n`)
}

interface Incoming {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly delivery: Delivery
}

async function answerReadiness(readiness: Readiness, response: ServerResponse): Promise<void> {
  const { status, body } = await readiness.answer()
  reply(response, status, body)
}

/**
 * The delivery of a response: it succeeds once the operating system has taken the whole response, and fails if the connection closes first.
 */
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

function limitConnections(server: Server, inFlight: Iterable<ServerResponse>, limits: HttpLimits): Connections {
  const connections = new Connections(limits)
  server.on('connection', (socket: Socket) => {
    connections.add(socket)
    socket.once('close', () => {
      endQueued(socket, inFlight)
    })
  })
  server.maxHeadersCount = limits.maxHeaders
  server.timeout = limits.stalledMs
  server.on('timeout', (socket: Socket) => {
    // A call may be slow, as long as its client reads what it receives.
    const isWorking = [...inFlight].some((response) => response.socket === socket)
    if (!isWorking || socket.writableLength > 0) socket.destroy()
  })
  return connections
}

/** Ends responses queued behind an earlier one on the same connection: Node 22 emits `close` only for the earlier one. */
function endQueued(socket: Socket, inFlight: Iterable<ServerResponse>): void {
  for (const response of inFlight) {
    if (response.req.socket !== socket || response.socket) continue
    response.destroy()
    response.emit('close')
  }
}

/** The status for each kind of invalid HTTP; 400 for any other. */
const invalidStatus: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_INVALID_METHOD: notAllowed,
}

/** Answers CONNECT, unknown methods and invalid HTTP, which never become requests in Node, and closes the connection. */
function refuseInvalid(server: Server, inFlight: Iterable<ServerResponse>): void {
  const refuse = (socket: Duplex, status: string) => {
    const isAnswering = [...inFlight].some((response) => response.socket === socket && response.headersSent)
    if (isAnswering || !socket.writable) socket.destroy()
    else socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`, () => socket.destroy())
  }
  server.on('connect', (_, socket) => {
    refuse(socket, notAllowed)
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    refuse(socket, invalidStatus[error.code ?? ''] ?? '400 Bad Request')
  })
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
