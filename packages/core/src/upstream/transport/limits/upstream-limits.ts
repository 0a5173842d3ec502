import type { Clock } from '../../../base/clock.ts'

/**
 * State that all calls for one vendor account share: a retry budget, a rate limiter and a circuit breaker. It is asynchronous so that
 * several processes can share it through a database.
 */
export interface UpstreamLimits {
  /** Asks whether a request may be sent now. Report every admitted request. */
  readonly admit: (request: LimitedRequest) => Promise<Admission>
  /** Frees the slot of a request that no longer waits to be sent. */
  readonly release: (slot: number) => Promise<void>
  /** Reports the end of an admitted request. Resolves with the time, in milliseconds, for which similar requests are held back. */
  readonly report: (request: Pick<LimitedRequest, 'operation'>, report: AttemptReport) => Promise<number>
}

export interface LimitedRequest {
  /** Names a group of requests with a separate quota at the vendor, besides the account's. */
  readonly operation?: string | undefined
  readonly isRetry: boolean
  /** Maximum time, in milliseconds, for which the caller can wait. */
  readonly maxWaitMs: number
  /** True to always admit the request, because an operator wants it sent now. */
  readonly isForced?: boolean | undefined
}

export type Admission =
  | { readonly kind: 'admitted' }
  /** The vendor asked us to slow down: ask again after `ms`, when the request's slot is due, or release the slot. */
  | { readonly kind: 'wait'; readonly ms: number; readonly slot: number }
  /** `retryAfterMs` is the time until another call may be admitted. */
  | { readonly kind: 'refused'; readonly reason: 'rate limit' | 'circuit open' | 'retry budget'; readonly retryAfterMs: number }

export interface AttemptReport {
  /**
   * `answered`: the vendor works, even if it refused the request. `refused`: it asked us to slow down. `failed`: no usable response.
   * `abandoned`: the outcome says nothing about the vendor.
   */
  readonly outcome: 'answered' | 'refused' | 'failed' | 'abandoned'
  readonly holds?: readonly Hold[]
}

/** A period during which requests are held back, because the vendor asked us to slow down. */
export interface Hold {
  /** The hold's scope: all the account's requests, or those with the same operation. */
  readonly covers: 'account' | 'operation'
  /** Length in milliseconds; if absent, we choose one that grows from hold to hold. */
  readonly ms?: number | undefined
}

/**
 * The retry budget: the number of consecutive retries that are possible without a response. 50 calls to a failing vendor make fewer than 75
 * requests.
 */
const maxTokens = 20
/** Time, in milliseconds, without a failure after which all retries are possible again. */
const forgetFailuresMs = 600_000

/** The circuit breaker opens after this many consecutive failures … */
const failuresToOpen = 10
/** … that span at least this time, in milliseconds: one broken connection can fail many requests at once. */
const minFailingMs = 5_000
/** Initial and maximum time that the breaker stays open, in milliseconds. It doubles with each failed probe. */
const firstOpenMs = 5_000
const maxOpenMs = 60_000
/** Time, in milliseconds, after which an unreported probe counts as lost. */
const probeMs = 15_000

/** Initial and maximum length, in milliseconds, of a hold whose length the vendor does not specify. */
const firstHoldMs = 1_000
const maxUnaskedHoldMs = 60_000
/** Maximum time, in milliseconds, that a request is held back, whatever a vendor asks for: the longest known quotas are daily. */
const maxHoldMs = 86_400_000
/** Interval, in milliseconds, at which the requests that waited for a hold are sent once it ends. */
const spacingMs = 50

interface HoldState {
  readonly until: number
  /** Number of consecutive holds for which the vendor named no length. */
  readonly unasked: number
}

/** Limits as JSON, for processes that share them. */
interface SavedLimits {
  readonly holds: readonly (readonly [key: string, hold: HoldState])[]
  readonly slots: readonly number[]
  readonly retries: RetryState
  readonly breaker: BreakerState
}

/** Limits in one process's memory. */
export function memoryLimits(clock: Pick<Clock, 'monotonic'>): UpstreamLimits {
  const limits = new AccountLimits()
  return {
    admit: (request) => Promise.resolve(limits.admit(request, clock.monotonic())),
    release(slot) {
      limits.release(slot)
      return Promise.resolve()
    },
    report: (request, report) => Promise.resolve(limits.report(request, report, clock.monotonic())),
  }
}

/** One account's limits. The caller passes the current time, in milliseconds. */
export class AccountLimits {
  readonly #holds: Map<string, HoldState>
  /** Times at which waiting requests will be sent; a past slot is free. */
  readonly #slots: Set<number>
  readonly #retries: RetryBudget
  readonly #breaker: CircuitBreaker

  constructor(saved?: SavedLimits) {
    this.#holds = new Map(saved?.holds)
    this.#slots = new Set(saved?.slots)
    this.#retries = new RetryBudget(saved?.retries)
    this.#breaker = new CircuitBreaker(saved?.breaker)
  }

  /** Undefined for limits that hold no requests back and remember no failures, like new ones. */
  save(now: number): string | undefined {
    const slots = [...this.#slots].filter((slot) => slot > now)
    const { state: retries, isFull } = this.#retries
    const { state: breaker, isWell } = this.#breaker
    if (this.#holds.size === 0 && slots.length === 0 && isFull && isWell) return undefined
    return JSON.stringify({ holds: [...this.#holds], slots, retries, breaker } satisfies SavedLimits)
  }

  admit({ operation, isRetry, maxWaitMs, isForced }: LimitedRequest, now: number): Admission {
    if (isForced === true) return { kind: 'admitted' }
    if (isRetry && !this.#retries.hasToken(now)) return { kind: 'refused', reason: 'retry budget', retryAfterMs: 0 }
    const hold = this.#longestHold(operation, now)
    if (hold) {
      const slot = this.#freeSlot(hold.until, now)
      const ms = slot - now
      if (ms > maxWaitMs) return { kind: 'refused', reason: 'rate limit', retryAfterMs: hold.until - now }
      this.#slots.add(slot)
      return { kind: 'wait', ms, slot }
    }
    const openMs = this.#breaker.admit(now)
    if (openMs > 0) return { kind: 'refused', reason: 'circuit open', retryAfterMs: openMs }
    if (isRetry) this.#retries.take()
    return { kind: 'admitted' }
  }

  release(slot: number): void {
    this.#slots.delete(slot)
  }

  report({ operation }: Pick<LimitedRequest, 'operation'>, { outcome, holds = [] }: AttemptReport, now: number): number {
    this.#breaker.report(outcome, now)
    this.#retries.report(outcome, now)
    for (const hold of holds) this.#hold(hold, operation, now)
    if (outcome === 'answered') this.#forgetUnasked(operation, now)
    const longest = this.#longestHold(operation, now)
    return longest ? longest.until - now : 0
  }

  #freeSlot(from: number, now: number): number {
    for (const slot of this.#slots) if (slot <= now) this.#slots.delete(slot)
    let slot = from
    while (this.#slots.has(slot)) slot += spacingMs
    return slot
  }

  #hold({ covers, ms }: Hold, operation: string | undefined, now: number): void {
    const key = keyOf(covers === 'operation' ? operation : undefined)
    const current = this.#holds.get(key) ?? { until: now, unasked: 0 }
    // Refusals of requests that were in flight when the hold began tell us nothing new.
    if (ms === undefined && current.until > now) return
    const heldMs = ms ?? Math.min(maxUnaskedHoldMs, firstHoldMs * 2 ** current.unasked)
    const until = Math.max(current.until, now + Math.min(maxHoldMs, heldMs))
    if (until > now) this.#holds.set(key, { until, unasked: current.unasked + (ms === undefined ? 1 : 0) })
  }

  /** If the vendor responds after a hold, the next hold for which it names no length starts at the initial length. */
  #forgetUnasked(operation: string | undefined, now: number): void {
    for (const key of [keyOf(undefined), keyOf(operation)]) {
      const hold = this.#holds.get(key)
      if (hold && hold.until <= now) this.#holds.delete(key)
    }
  }

  #longestHold(operation: string | undefined, now: number): HoldState | undefined {
    const running = [keyOf(undefined), keyOf(operation)].flatMap((key) => this.#holds.get(key) ?? []).filter(({ until }) => until > now)
    return running.reduce<HoldState | undefined>((longest, each) => (longest && longest.until >= each.until ? longest : each), undefined)
  }
}

/** Undefined stands for the whole account. */
function keyOf(operation: string | undefined): string {
  return operation === undefined ? '' : `operation ${operation}`
}

interface RetryState {
  readonly tokens: number
  readonly quietSince: number
}

/**
 * A token bucket: each retry takes a token, and each response returns one, so a connection that loses a few requests does not use up the
 * tokens. https://github.com/grpc/proposal/blob/master/A6-client-retries.md
 */
class RetryBudget {
  #tokens: number
  #quietSince: number

  constructor({ tokens, quietSince }: RetryState = { tokens: maxTokens, quietSince: 0 }) {
    this.#tokens = tokens
    this.#quietSince = quietSince
  }

  get state(): RetryState {
    return { tokens: this.#tokens, quietSince: this.#quietSince }
  }

  get isFull(): boolean {
    return this.#tokens === maxTokens
  }

  hasToken(now: number): boolean {
    if (now - this.#quietSince >= forgetFailuresMs) {
      this.#tokens = maxTokens
      this.#quietSince = now
    }
    return this.#tokens >= 1
  }

  take(): void {
    this.#tokens -= 1
  }

  report(outcome: AttemptReport['outcome'], now: number): void {
    if (outcome === 'answered') this.#tokens = Math.min(maxTokens, this.#tokens + 1)
    else if (outcome !== 'abandoned') this.#quietSince = now
  }
}

interface BreakerState {
  readonly state: 'closed' | 'open' | 'probing'
  readonly failures: number
  readonly failingSince: number
  /** Number of times it has opened in a row. */
  readonly openings: number
  /** Time at which a probe is admitted; while a probe is in flight, the time at which it counts as lost and another is admitted. */
  readonly probeAt: number
}

const closedBreaker: BreakerState = { state: 'closed', failures: 0, failingSince: 0, openings: 0, probeAt: 0 }

/** Opens after consecutive failures; one request at a time then probes the vendor, and a response closes it. */
class CircuitBreaker {
  #state: BreakerState['state']
  #failures: number
  #failingSince: number
  #openings: number
  #probeAt: number

  constructor({ state, failures, failingSince, openings, probeAt }: BreakerState = closedBreaker) {
    this.#state = state
    this.#failures = failures
    this.#failingSince = failingSince
    this.#openings = openings
    this.#probeAt = probeAt
  }

  get state(): BreakerState {
    const [state, failures, failingSince] = [this.#state, this.#failures, this.#failingSince]
    return { state, failures, failingSince, openings: this.#openings, probeAt: this.#probeAt }
  }

  get isWell(): boolean {
    return this.#state === 'closed' && this.#failures === 0
  }

  /** Milliseconds until another request may be admitted; 0 if this one is admitted. */
  admit(now: number): number {
    if (this.#state === 'closed') return 0
    if (now < this.#probeAt) return this.#probeAt - now
    this.#state = 'probing'
    this.#probeAt = now + probeMs
    return 0
  }

  report(outcome: AttemptReport['outcome'], now: number): void {
    if (outcome === 'failed') this.#fail(now)
    else if (outcome === 'abandoned') this.#release(now)
    else {
      this.#state = 'closed'
      this.#failures = 0
      this.#openings = 0
    }
  }

  #fail(now: number): void {
    if (this.#failures === 0) this.#failingSince = now
    this.#failures += 1
    const isFailing = this.#failures >= failuresToOpen && now - this.#failingSince >= minFailingMs
    // While it is open, only requests that were already in flight report.
    if (this.#state === 'open' || !isFailing) return
    this.#state = 'open'
    this.#probeAt = now + Math.min(maxOpenMs, firstOpenMs * 2 ** this.#openings)
    this.#openings += 1
  }

  /** If a probe ends without an outcome, the next request becomes the probe. */
  #release(now: number): void {
    if (this.#state !== 'probing') return
    this.#state = 'open'
    this.#probeAt = now
  }
}
