import { once } from 'node:events'
import type { Fetch } from '@mcp-toolkits/core/upstream'
import type { RunningClock } from './clock.ts'

/** A server's request to its vendor, and its fate. */
export interface Exchange {
  readonly method: string
  readonly url: string
  /** The credential in the request, exactly as sent. */
  readonly authorization: string
  /** Time when it was sent, in milliseconds on the clock. */
  readonly at: number
  /** Number of requests sent by the time a fault answered this one; undefined without a fault. */
  failedAfter: number | undefined
  /** Number of response bytes that the server read. */
  bytes: number
  /** True if the server is still waiting for the response, or for the rest of it. */
  isOpen: boolean
}

/** Means available to a fault. */
export interface Incident {
  readonly exchange: Exchange
  readonly clock: RunningClock
  /** Aborted when the server gives up. */
  readonly signal: AbortSignal
  /** Lets the vendor answer the request. */
  readonly forward: () => Promise<Response>
}

/** Answers instead of the vendor, or fails as a connection does. */
export type Failure = (incident: Incident) => Promise<Response>

/** The network between a server and its vendor. */
export interface Network {
  readonly fetch: Fetch
  readonly exchanges: readonly Exchange[]
  /** From now on, `choose` decides which requests fail, by their numbers, counted from 0. */
  readonly fail: (choose: (index: number) => Failure | undefined) => void
  /** Ends all failures, and empties the list of exchanges. */
  readonly restore: () => void
}

export function createNetwork(vendor: Fetch, clock: RunningClock): Network {
  let exchanges: Exchange[] = []
  let choose: (index: number) => Failure | undefined = () => undefined
  return {
    get exchanges() {
      return exchanges
    },
    fail(next) {
      choose = next
    },
    restore() {
      exchanges = []
      choose = () => undefined
    },
    async fetch(input, init) {
      const own = input instanceof Request ? input : new Request(input, init)
      const { method, url } = own
      const signal = init?.signal ?? own.signal
      signal.throwIfAborted()
      const failure = choose(exchanges.length)
      const authorization = new Headers(init?.headers ?? own.headers).get('authorization') ?? ''
      const exchange: Exchange = { method, url, authorization, at: clock.monotonic(), failedAfter: undefined, bytes: 0, isOpen: true }
      exchanges.push(exchange)
      closeWhenAborted(exchange, signal)
      const forward = () => clock.during(vendor(input, init))
      const incident = { exchange, clock, signal, forward }
      try {
        if (failure) {
          const response = await failure(incident)
          exchange.failedAfter = exchanges.length
          return response
        }
        const response = await forward()
        // The body has already arrived.
        exchange.isOpen = false
        return response
      } catch (error) {
        exchange.isOpen = false
        throw error
      }
    },
  }
}

/**
 * The listener refers only to the exchange. The runtime keeps a request's signal and the signal's listeners for as long as the request
 * exists, so a listener that refers to the request would keep both forever.
 */
function closeWhenAborted(exchange: Exchange, signal: AbortSignal): void {
  signal.addEventListener('abort', () => (exchange.isOpen = false), { once: true })
}

/** The error that Node's fetch throws if there is no response. */
export function networkError(code: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })
}

/** Never answers; rejects when the server gives up. */
export async function silence({ clock, signal }: Incident): Promise<never> {
  if (!signal.aborted) await clock.held(once(signal, 'abort'))
  throw signal.reason
}

export interface BodyOptions {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** A response whose body arrives in parts; `undefined` ends it, and a rejection aborts it. */
export function partwise(
  incident: Incident,
  next: (index: number) => Promise<Uint8Array | undefined>,
  options: BodyOptions = {},
): Response {
  const { exchange, signal } = incident
  // Removes the listener, for the reason given for `closeWhenAborted`.
  const ended = new AbortController()
  const end = () => {
    exchange.isOpen = false
    ended.abort()
  }
  let index = 0
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        signal.addEventListener(
          'abort',
          () => {
            controller.error(signal.reason)
          },
          { once: true, signal: ended.signal },
        )
      },
      async pull(controller) {
        const part = await next(index++).catch((error: unknown) => {
          end()
          throw error
        })
        if (signal.aborted) return
        if (part) {
          exchange.bytes += part.length
          controller.enqueue(part)
        } else {
          end()
          controller.close()
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { status: options.status ?? 200, headers: { 'content-type': 'application/json', ...options.headers } })
}
