import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import type { MiddlewareHandler } from 'hono'
import { ConnectionDropped } from './faults.ts'
import type { RequestHandler } from './local-fetch.ts'

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]']

/**
 * Whether a request names this listener by a loopback name and its port, and comes from no other origin: a web
 * page can resolve its own name to this machine. Programs send no `Origin`; the listener's own pages send theirs.
 */
export function isLocalRequest({ headers: { host = '', origin }, socket: { localPort = 0 } }: IncomingMessage): boolean {
  const authority = host.toLowerCase()
  const isLoopback = loopbackNames.some((name) => authority === `${name}:${localPort}` || (localPort === 80 && authority === name))
  return isLoopback && (origin === undefined || origin.toLowerCase() === `http://${authority}`)
}

/** Refuses in-process requests to another host: the emulator's own routes exist at loopback only. */
export const loopbackOnly: MiddlewareHandler = async (context, next) => {
  const { hostname } = new URL(context.req.url)
  if (!loopbackNames.includes(hostname)) return context.text('This is available on a loopback address only.\n', 403)
  return next()
}

/** Runs `work` on the first call; later calls get the same promise. */
export function runOnce<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => (result ??= work())
}

/** An emulator that is listening. */
export interface EmulatorListener {
  /** `http://127.0.0.1:PORT`, without a trailing slash. */
  readonly url: string
  /** The token for setting faults and resetting over HTTP. */
  readonly token: string
  readonly close: () => Promise<void>
}

const host = '127.0.0.1'

/** The response to a request with a foreign Host or Origin. */
const remoteRefusal = 'Use the loopback address on which the emulator listens, and not a page of another origin.\n'

/** How long pending responses may take after closing, in milliseconds. */
const closeTimeoutMs = 1_000

/** Ports above 1023 that `fetch` blocks: https://fetch.spec.whatwg.org/#port-blocking. */
const badPorts = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
])

/** Serves `answer` on loopback only; refuses a foreign `Host` or `Origin`. */
export async function listen(answer: RequestHandler, port: number): Promise<EmulatorListener> {
  if (badPorts.has(port)) throw blockedPortError(port)
  const { server, answered } = await createListener(answer)
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
    return listen(answer, 0)
  }
  return { url: `http://${host}:${bound}`, token: randomBytes(24).toString('base64url'), close }
}

/** Shaped like a system error, so that the command line prints its message without a stack. */
function blockedPortError(port: number): Error {
  const text = `Port ${port} cannot be used: fetch refuses to connect to it. Choose another one.`
  return Object.assign(new Error(text), { code: 'ERR_BAD_PORT', syscall: 'listen' })
}

/** Loaded lazily: in-process use does not need them. */
async function createListener(answer: RequestHandler) {
  const [{ createServer }, { getRequestListener }, { RESPONSE_ALREADY_SENT }] = await Promise.all([
    import('node:http'),
    import('@hono/node-server'),
    import('@hono/node-server/utils/response'),
  ])
  const listener = getRequestListener(
    async (request, { incoming }) => {
      try {
        return await answer(request, request.signal)
      } catch (error) {
        if (!(error instanceof ConnectionDropped) && !request.signal.aborted) throw error
        incoming.socket.resetAndDestroy()
        return RESPONSE_ALREADY_SENT
      }
    },
    { overrideGlobalObjects: false, hostname: host },
  )
  const open = new Set<Promise<unknown>>()
  const server = createServer((incoming, outgoing) => {
    const left = once(outgoing, 'close')
    open.add(left)
    void left.finally(() => open.delete(left))
    if (isLocalRequest(incoming)) void listener(incoming, outgoing)
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
