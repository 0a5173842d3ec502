import type { IncomingMessage, ServerOptions, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '@mcp-toolkits/core/clock'
import { CallLimiter, type LimitedCall, waitedMs } from '../call-limiter.ts'
import { fixedLimits, type HttpLimits } from './limits.ts'

/** What a request takes besides its body, in bytes. */
const ordinaryCost = 256 * 1024

/** What one client has in flight. Everything counts until its response has been taken or the connection is closed. */
export class ClientRequests {
  readonly #requests: CallLimiter
  readonly #large: CallLimiter
  readonly #subscriptions: CallLimiter
  /** The calls that a response counts for. */
  readonly #calls = new WeakMap<ServerResponse, LimitedCall>()

  constructor({ perClient, maxLargePerClient, maxSubscriptionsPerClient }: HttpLimits, clock: Clock) {
    this.#requests = new CallLimiter(perClient, clock)
    this.#large = new CallLimiter({ ...perClient, maxInFlight: maxLargePerClient }, clock)
    this.#subscriptions = new CallLimiter({ ...perClient, maxInFlight: maxSubscriptionsPerClient, maxWaiting: 0 }, clock)
  }

  get isIdle(): boolean {
    return this.#requests.isIdle && this.#subscriptions.isIdle
  }

  /** Starts a request when there is room for it; false when too many wait. */
  submit(response: ServerResponse, cost: number, { start, refuse }: Pick<LimitedCall, 'start' | 'refuse'>): boolean {
    const call = { cost, size: 0, start, refuse }
    this.#calls.set(response, call)
    return submitUntilClosed(this.#requests, call, response)
  }

  /** Counts a request as a subscription from now on; false when the client has too many. */
  subscribe(response: ServerResponse): boolean {
    const request = this.#calls.get(response)
    if (request) this.#requests.release(request)
    return submitUntilClosed(this.#subscriptions, { cost: 0, size: 0, start: () => undefined, refuse: () => undefined }, response)
  }

  /** Resolves when there is room for another large result, with the milliseconds that the request has waited; undefined when that is too long. */
  waitForLarge(response: ServerResponse): Promise<number | undefined> {
    const { promise, resolve } = Promise.withResolvers<number | undefined>()
    const start = () => {
      resolve(waitedMs())
    }
    const refuse = () => {
      resolve(undefined)
    }
    if (!submitUntilClosed(this.#large, { cost: 0, size: 0, waitedMs: waitedMs(), start, refuse }, response)) refuse()
    return promise
  }
}

/** Finds the client of a request by who it is: an address or a person. A client without requests is forgotten. */
export function clientsByName(limits: HttpLimits, clock: Clock): (name: string, response: ServerResponse) => ClientRequests {
  const clients = new Map<string, ClientRequests>()
  return (name, response) => {
    const client = clients.get(name) ?? new ClientRequests(limits, clock)
    clients.set(name, client)
    response.once('close', () => {
      // After the listeners that release what the response counted for.
      queueMicrotask(() => {
        if (client.isIdle) clients.delete(name)
      })
    })
    return client
  }
}

/** Counts the connections of each address, and closes those beyond the limit. */
export function limitConnectionsByAddress({
  maxConnectionsPerAddress,
}: Pick<HttpLimits, 'maxConnectionsPerAddress'>): (socket: Pick<Socket, 'remoteAddress' | 'destroy' | 'once'>) => void {
  const counts = new Map<string, number>()
  return (socket) => {
    const address = socket.remoteAddress ?? ''
    if (/^(?:::ffff:)?127\.|^::1$/.test(address)) return
    const count = counts.get(address) ?? 0
    if (count >= maxConnectionsPerAddress) {
      socket.destroy()
      return
    }
    counts.set(address, count + 1)
    socket.once('close', () => {
      const left = (counts.get(address) ?? 1) - 1
      if (left > 0) counts.set(address, left)
      else counts.delete(address)
    })
  }
}

function submitUntilClosed(limiter: CallLimiter, call: LimitedCall, response: ServerResponse): boolean {
  response.once('close', () => {
    limiter.release(call)
  })
  return limiter.submit(call)
}

/** About how many bytes a request takes; a body of unknown length counts as the longest. */
export function costOf({ method, headers }: IncomingMessage): number {
  if (method !== 'POST') return ordinaryCost
  const length = Number(headers['content-length'] ?? fixedLimits.maxBodyBytes)
  return ordinaryCost + 2 * Math.min(length, fixedLimits.maxBodyBytes)
}

/** The limits that Node's server enforces. It checks them several times within each. */
export function serverOptions({ headersMs, requestMs, keepAliveMs, maxHeaderBytes }: HttpLimits): ServerOptions {
  return {
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: Math.ceil(headersMs / 4),
    maxHeaderSize: maxHeaderBytes,
  }
}
