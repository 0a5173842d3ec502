import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock, Timer } from '@mcp-toolkits/core/base'

/** Maximum time, in milliseconds, that a call waits before it starts: waiting leaves less time for its work. */
const maxWaitMs = 20_000

/** The error for a call that did not start; a retry is worthwhile once some of the calls in flight have ended. */
export function notStarted(reason: string, retryAfterSeconds: number) {
  const data = { code: 'rate_limited', retryable: true, retry_after_seconds: retryAfterSeconds } as const
  return { code: -32000, message: `${reason} Nothing was done. Make this request again in ${retryAfterSeconds} s.`, data } as const
}

/** The error for a call that has waited too long. */
export const waitedTooLong = notStarted('Earlier calls are taking a long time, so this one did not start.', 5)

const waits = new AsyncLocalStorage<number>()

/** Time, in milliseconds, that the running call waited before starting. */
export function waitedMs(): number {
  return waits.getStore() ?? 0
}

/** Runs `work` for a call that has waited for `ms`. */
export function afterWait<Result>(ms: number, work: () => Result): Result {
  return waits.run(ms, work)
}

/** Kinds of calls that are limited to a few at a time: `large` calls return several megabytes, `long` calls may take a minute. */
export type CallKind = 'large' | 'long'

/** Maximum number of calls of each kind that one client may have in flight. */
export const callsOfKind: Readonly<Record<CallKind, number>> = { large: 2, long: 8 }

export interface CallLimits {
  /** Maximum number of calls in flight. */
  readonly maxInFlight: number
  /** Maximum number of calls of each kind in flight. */
  readonly maxOfKind: Readonly<Record<CallKind, number>>
  /** Maximum total cost of the calls in flight, in bytes; a call that costs more runs alone. */
  readonly maxCost: number
  /** Maximum number of waiting calls. */
  readonly maxWaiting: number
  /** Maximum total size of the waiting calls, in bytes. */
  readonly maxWaitingSize: number
}

/** A call, as seen by the limiter. */
export interface LimitedCall {
  readonly kind?: CallKind | undefined
  /** Approximate bytes used from start to release: the arguments, the result, and copies of each. */
  readonly cost: number
  /** Memory that the call takes up while it waits, in bytes. */
  readonly size: number
  /** Time, in milliseconds, already spent waiting for something else; 0 by default. */
  readonly waitedMs?: number
  readonly start: () => void
  /** Called instead of `start` if the call has waited too long. The call then no longer counts. */
  readonly refuse: () => void
}

/**
 * Limits one client's calls in flight, so that it cannot exhaust the server's memory by requesting more than it reads. Calls beyond the
 * limit wait; calls beyond a second limit are refused. Waiting calls start in order, but a call that costs more than the available room, or
 * whose kind is at its limit, lets others pass: a slow download does not delay a short call. A call that does not start in time is refused.
 */
export class CallLimiter {
  readonly #limits: CallLimits
  readonly #clock: Clock
  readonly #canStart: () => boolean
  /** Waiting calls, in order of arrival. */
  readonly #waiting = new Map<LimitedCall, { readonly since: number; readonly timer: Timer }>()
  readonly #inFlight = new Set<LimitedCall>()
  readonly #ofKind = { large: 0, long: 0 }
  #cost = 0
  #waitingSize = 0

  /** No call starts while `canStart` returns false; call `startWaiting` when it returns true again. */
  constructor(limits: CallLimits, clock: Clock, canStart: () => boolean = () => true) {
    this.#limits = limits
    this.#clock = clock
    this.#canStart = canStart
  }

  /** True if nothing is in flight or waiting. */
  get isIdle(): boolean {
    return this.#inFlight.size === 0 && this.#waiting.size === 0
  }

  get inFlight(): number {
    return this.#inFlight.size
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /** True if `submit` would start a call at once. */
  hasRoomFor(call: Pick<LimitedCall, 'cost' | 'kind'>): boolean {
    return this.#hasSlot() && this.#fits(call)
  }

  /**
   * Starts a call at once or when there is room. Returns false and does nothing if too many calls are waiting. Release each accepted call.
   */
  submit(call: LimitedCall): boolean {
    if (this.hasRoomFor(call)) this.#start(call, 0)
    else if (this.#canWait(call.size)) this.#wait(call)
    else return false
    return true
  }

  /** Ends a call: if it is in flight, this makes room for others; if it is still waiting, it never starts. Can be called repeatedly. */
  release(call: LimitedCall): void {
    this.#forget(call)
    if (!this.#inFlight.delete(call)) return
    this.#cost -= call.cost
    if (call.kind) this.#ofKind[call.kind] -= 1
    this.startWaiting()
  }

  /** Starts waiting calls while there is room. */
  startWaiting(): void {
    for (const [call, { since }] of this.#waiting) {
      if (!this.#hasSlot()) return
      if (!this.#fits(call)) continue
      this.#forget(call)
      this.#start(call, this.#clock.monotonic() - since)
    }
  }

  #hasSlot(): boolean {
    return this.#canStart() && this.#inFlight.size < this.#limits.maxInFlight
  }

  #fits({ cost, kind }: Pick<LimitedCall, 'cost' | 'kind'>): boolean {
    if (kind && this.#ofKind[kind] >= this.#limits.maxOfKind[kind]) return false
    return this.#inFlight.size === 0 || this.#cost + cost <= this.#limits.maxCost
  }

  #canWait(size: number): boolean {
    const { maxWaiting, maxWaitingSize } = this.#limits
    if (this.#waiting.size >= maxWaiting) return false
    return this.#waiting.size === 0 || this.#waitingSize + size <= maxWaitingSize
  }

  #wait(call: LimitedCall): void {
    const refuse = () => {
      this.#forget(call)
      call.refuse()
    }
    const timer = this.#clock.timer(Math.max(0, maxWaitMs - (call.waitedMs ?? 0)), refuse)
    this.#waiting.set(call, { since: this.#clock.monotonic(), timer })
    this.#waitingSize += call.size
  }

  #start(call: LimitedCall, ms: number): void {
    this.#inFlight.add(call)
    this.#cost += call.cost
    if (call.kind) this.#ofKind[call.kind] += 1
    afterWait((call.waitedMs ?? 0) + ms, call.start)
  }

  #forget(call: LimitedCall): void {
    const wait = this.#waiting.get(call)
    if (!wait) return
    wait.timer.cancel()
    this.#waiting.delete(call)
    this.#waitingSize -= call.size
  }
}
