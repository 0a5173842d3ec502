import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import type { MiddlewareHandler } from 'hono'
import { ConnectionDropped } from './faults.ts'
import type { RequestHandler } from './local-fetch.ts'

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]']

/** True if only this machine can reach a listener at an address or host name. */
export const isLoopback = (host: string): boolean => ['127.0.0.1', 'localhost', '::1'].includes(host)

/** Marks a request that may come from another machine, so that forging `Host` gains nothing. */
export const remoteHeader = 'mcp-toolkits-remote'

/**
 * True if a request's `Host` is a loopback name with this listener's port, and the request does not come from another origin. Otherwise a
 * web page could reach the listener under a name that resolves to this machine.
 */
function isLocalRequest(incoming: IncomingMessage): boolean {
  const { localPort = 0 } = incoming.socket
  const authority = incoming.headers.host?.toLowerCase()
  const isLocal = loopbackNames.some((name) => authority === `${name}:${localPort}` || (localPort === 80 && authority === name))
  return isLocal && isOwnOrigin(incoming)
}

/** True for a request from a program, which sends no `Origin`, or from a page at the same address. */
const isOwnOrigin = ({ headers: { host = '', origin } }: IncomingMessage): boolean =>
  origin === undefined || origin.toLowerCase() === `http://${host.toLowerCase()}`

/**
 * Refuses in-process requests to another host, and requests from other machines: most of the emulator's own routes exist only on loopback.
 */
export const loopbackOnly: MiddlewareHandler = async (context, next) => {
  const { hostname } = new URL(context.req.url)
  if (!loopbackNames.includes(hostname) || context.req.header(remoteHeader) !== undefined)
    return context.text('This is available only on a loopback address.\n', 403)
  return next()
}

/** Compares secrets in full, so that timing reveals nothing. */
export const isSameSecret = (given: string, wanted: string): boolean => timingSafeEqual(sha256(given), sha256(wanted))

const sha256 = (value: string) => createHash('sha256').update(value).digest()

/** Runs `work` on the first call; later calls get the same promise. */
export function runOnce<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => (result ??= work())
}

/** An emulator that is listening. */
export interface EmulatorListener {
  /** `http://127.0.0.1:PORT`, without a trailing slash; another host only if one was chosen. */
  readonly url: string
  /** The token for setting faults and resetting over HTTP. */
  readonly controlToken: string
  readonly close: () => Promise<void>
}

/** The response to a request whose Host or Origin is not the listener's own. */
const remoteRefusal = "Use the emulator's loopback address, not a page from another origin.\n"

/** Time, in milliseconds, that pending responses have to finish after closing. */
const closeTimeoutMs = 1_000

/** Ports above 1023 that `fetch` blocks: https://fetch.spec.whatwg.org/#port-blocking. */
const badPorts = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
])

export interface ListenAddress {
  readonly port: number
  readonly host: string
  /** A random one by default. */
  readonly controlToken?: string | undefined
}

/** Serves `answer`. Refuses an `Origin` and, on loopback, a `Host` that is not its own. */
export async function listen(answer: RequestHandler, { port, host, controlToken }: ListenAddress): Promise<EmulatorListener> {
  if (badPorts.has(port)) throw blockedPortError(port)
  const { server, answered } = await createListener(answer, host)
  server.listen(port, host)
  await once(server, 'listening')
  const close = runOnce(async () => {
    const closed = once(server, 'close')
    server.close()
    await answered(closeTimeoutMs)
    server.closeAllConnections()
    await closed
  })
  const address = server.address()
  const bound = address !== null && typeof address === 'object' ? address.port : port
  if (port === 0 && badPorts.has(bound)) {
    await close()
    return listen(answer, { port, host, controlToken })
  }
  return { url: `http://${hostInUrl(host)}:${bound}`, controlToken: controlToken ?? randomBytes(24).toString('base64url'), close }
}

/** Host at which this machine reaches a listener. */
function hostInUrl(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  return host.includes(':') ? `[${host === '::' ? '::1' : host}]` : host
}

/** An error shaped like a system error, so that the command line prints its message without a stack trace. */
function blockedPortError(port: number): Error {
  const text = `Port ${port} cannot be used: fetch refuses to connect to it. Choose another one.`
  return Object.assign(new Error(text), { code: 'ERR_BAD_PORT', syscall: 'listen' })
}

/** Loads its modules lazily, because in-process use does not need them. */
async function createListener(answer: RequestHandler, host: string) {
  const [{ createServer }, { getRequestListener }, { RESPONSE_ALREADY_SENT }] = await Promise.all([
    import('node:http'),
    import('@hono/node-server'),
    import('@hono/node-server/utils/response'),
  ])
  const isRemote = !isLoopback(host)
  const isAllowed = isRemote ? isOwnOrigin : isLocalRequest
  const listener = getRequestListener(
    async (request, { incoming }) => {
      try {
        return await answer(request, request.signal, isRemote)
      } catch (error) {
        if (!(error instanceof ConnectionDropped) && !request.signal.aborted) throw error
        incoming.socket.resetAndDestroy()
        return RESPONSE_ALREADY_SENT
      }
    },
    { overrideGlobalObjects: false, hostname: hostInUrl(host) },
  )
  const open = new Set<Promise<unknown>>()
  const server = createServer((incoming, outgoing) => {
    const left = once(outgoing, 'close')
    open.add(left)
    void left.finally(() => open.delete(left))
    if (isAllowed(incoming)) void listener(incoming, outgoing)
    else outgoing.writeHead(403, { 'content-type': 'text/plain', connection: 'close' }).end(remoteRefusal)
  })
  const answered = async (milliseconds: number) => {
    const late = new AbortController()
    const waited = setTimeout(milliseconds, undefined, { signal: late.signal }).catch(() => undefined)
    await Promise.race([Promise.all(open), waited])
    late.abort()
  }
  return { server, answered }
}
