import type { IncomingMessage, ServerOptions, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '@mcp-toolkits/core/clock'
import { CallLimiter, type CallLimits, type LimitedCall, waitedMs } from './call-limiter.ts'
import { maxBodyBytes } from './requests.ts'

/** What HTTP mode allows; docs/hosting.md tells operators. Times are in milliseconds. */
export interface HttpLimits {
  /** From the connection to the last header. */
  readonly headersMs: number
  /** From the first byte of a request to the last. */
  readonly requestMs: number
  /** How long a connection stays open without a request: longer than balancers leave theirs, so that they never use one that is closing. */
  readonly keepAliveMs: number
  /** How long a client may take nothing of its answer. */
  readonly stalledMs: number
  readonly maxConnections: number
  /** Loopback addresses have no such limit: a proxy on the same machine uses one for all its clients. */
  readonly maxConnectionsPerAddress: number
  readonly maxHeaderBytes: number
  readonly maxHeaders: number
  /** Requests of all clients, in flight or waiting. */
  readonly maxRequests: number
  /** Requests of one client, by its address; with an identity provider, those of one person. */
  readonly perClient: CallLimits
  /** Requests of one client for results of several megabytes, which are in flight only a few at a time. */
  readonly maxLargePerClient: number
  /** Subscriptions of one client, which stay open. */
  readonly maxSubscriptionsPerClient: number
}

export const defaultLimits: HttpLimits = {
  headersMs: 20_000,
  requestMs: 120_000,
  keepAliveMs: 75_000,
  stalledMs: 60_000,
  maxConnections: 2_000,
  maxConnectionsPerAddress: 200,
  maxHeaderBytes: 16 * 1024,
  maxHeaders: 100,
  maxRequests: 1_000,
  perClient: { maxInFlight: 64, maxCost: 32 * 1024 * 1024, maxWaiting: 256, maxWaitingSize: Infinity },
  maxLargePerClient: 2,
  maxSubscriptionsPerClient: 256,
}

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
export function limitByAddress({
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
  const length = Number(headers['content-length'] ?? maxBodyBytes)
  return ordinaryCost + 2 * Math.min(length, maxBodyBytes)
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
