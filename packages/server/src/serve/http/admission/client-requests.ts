import type { IncomingMessage, ServerOptions, ServerResponse } from 'node:http'
import type { Clock } from '@mcp-toolkits/core/base'
import { type CallKind, CallLimiter, type LimitedCall, type notStarted, waitedMs, waitedTooLong } from '../../../mcp/calls/call-limiter.ts'
import { fixedLimits, type HttpLimits } from './limits.ts'
import { tooMany } from '../refusals.ts'

/** Cost of a request without its body, in bytes. */
const ordinaryCost = 256 * 1024

/** A request that has been read. */
export interface ReadRequest {
  /** True if the request calls a tool; other requests need no vendor and never wait for calls. */
  readonly isCall: boolean
  readonly kind: CallKind | undefined
  /** Approximate number of bytes used once started, and while waiting. */
  readonly cost: number
  readonly size: number
}

/** The admission of a request, with the milliseconds that it waited; or the status with which it is refused. */
export type Admission = { readonly waited: number } | Refused

interface Refused {
  readonly status: 429 | 503
  readonly error: ReturnType<typeof notStarted>
}

/** A request that counts towards its client's limit until it is released or its response has closed. */
interface Entry<Admitted> {
  readonly admission: Admitted
  readonly release: () => void
}

/** Totals for all clients' calls. */
interface Totals {
  readonly inFlight: number
  readonly waiting: number
  readonly subscriptions: number
}

/** One client's requests in flight. Each counts until its response has been sent or the connection is closed. */
export class ClientRequests {
  readonly calls: CallLimiter
  readonly subscriptions: CallLimiter
  readonly #others: CallLimiter
  readonly #bodies: CallLimiter
  readonly #limits: HttpLimits
  readonly #totals: () => Totals

  constructor(limits: HttpLimits, clock: Clock, totals: () => Totals) {
    const { perClient, maxSubscriptionsPerClient } = limits
    this.#limits = limits
    this.#totals = totals
    this.calls = new CallLimiter(perClient, clock)
    this.#others = new CallLimiter(perClient, clock)
    this.#bodies = new CallLimiter(perClient, clock)
    this.subscriptions = new CallLimiter({ ...perClient, maxInFlight: maxSubscriptionsPerClient, maxWaiting: 0 }, clock)
  }

  get isIdle(): boolean {
    return [this.calls, this.#others, this.#bodies, this.subscriptions].every(({ isIdle }) => isIdle)
  }

  /** Lets the body of a request arrive; a long body must wait until there is room. `release` frees that room. */
  async admitBody(request: IncomingMessage, response: ServerResponse): Promise<Entry<Admission>> {
    const length = bodyLength(request)
    if (length <= fixedLimits.smallBodyBytes) return { admission: { waited: 0 }, release: () => undefined }
    const { admission, release } = enter(this.#bodies, response, { cost: 2 * length, size: 0 })
    return { admission: await admission, release }
  }

  /** Admits a request, at once or when there is room. */
  admit(response: ServerResponse, { isCall, ...call }: ReadRequest): Admission | Promise<Admission> {
    if (!isCall) return enter(this.#others, response, call).admission
    const { inFlight, waiting } = this.#totals()
    if (inFlight >= this.#limits.maxCalls) return { status: 503, error: tooMany[503] }
    if (!this.calls.hasRoomFor(call) && waiting >= this.#limits.maxWaitingCalls) return { status: 429, error: tooMany[429] }
    return enter(this.calls, response, call).admission
  }

  /** Counts a subscription; false if there are too many. */
  subscribe(response: ServerResponse): boolean {
    if (this.#totals().subscriptions >= this.#limits.maxSubscriptions) return false
    return 'waited' in enter(this.subscriptions, response, { cost: 0, size: 0 }).admission
  }
}

/** Finds the client of a request by name, which is an address or a person. A client without requests is forgotten. */
export function clientsByName(limits: HttpLimits, clock: Clock): (name: string, response: ServerResponse) => ClientRequests {
  const clients = new Map<string, ClientRequests>()
  const totals = () => {
    const sum = { inFlight: 0, waiting: 0, subscriptions: 0 }
    for (const { calls, subscriptions } of clients.values()) {
      sum.inFlight += calls.inFlight
      sum.waiting += calls.waiting
      sum.subscriptions += subscriptions.inFlight
    }
    return sum
  }
  return (name, response) => {
    const client = clients.get(name) ?? new ClientRequests(limits, clock, totals)
    clients.set(name, client)
    response.once('close', () => {
      // Runs after the listeners that release the response's costs.
      queueMicrotask(() => {
        if (client.isIdle) clients.delete(name)
      })
    })
    return client
  }
}

/** Submits a call that counts until the response has closed, unless it is released earlier. */
function enter(
  limiter: CallLimiter,
  response: ServerResponse,
  counted: Pick<LimitedCall, 'cost' | 'size' | 'kind'>,
): Entry<Admission | Promise<Admission>> {
  const { promise, resolve } = Promise.withResolvers<Admission>()
  const call = {
    ...counted,
    waitedMs: waitedMs(),
    start: () => {
      resolve({ waited: waitedMs() })
    },
    refuse: () => {
      resolve({ status: 429, error: waitedTooLong })
    },
  }
  const release = () => {
    limiter.release(call)
  }
  response.once('close', release)
  const isAtOnce = limiter.hasRoomFor(call)
  const tooManyWait: Refused = { status: 429, error: tooMany[429] }
  const admission = limiter.submit(call) ? (isAtOnce ? { waited: waitedMs() } : promise) : tooManyWait
  // A response that has already closed would count forever.
  if (response.destroyed) release()
  return { release, admission }
}

/** Approximate bytes that a request with a body of this length takes. */
export function costOf(bodyBytes: number): number {
  return ordinaryCost + 2 * bodyBytes
}

/** A body's length; an unknown length counts as the maximum. */
function bodyLength({ headers }: IncomingMessage): number {
  const length = Number(headers['content-length'] ?? (headers['transfer-encoding'] === undefined ? 0 : fixedLimits.maxBodyBytes))
  return Math.min(length, fixedLimits.maxBodyBytes)
}

/** The limits that Node's server enforces, checked often enough that none is exceeded by much. */
export function serverOptions({ headersMs, requestMs, keepAliveMs, maxHeaderBytes }: HttpLimits): ServerOptions {
  return {
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: Math.ceil(headersMs / 4),
    maxHeaderSize: maxHeaderBytes,
  }
}
