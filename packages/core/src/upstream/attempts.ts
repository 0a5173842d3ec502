import { type Clock, systemClock } from '../base/clock.ts'
import { isOutage, ToolError } from '../errors/errors.ts'

export interface RetryPolicy {
  /** Maximum number of attempts in a row without progress, including the first. */
  readonly maxAttempts: number
  /** Time, in milliseconds, for attempts and the waits between them, counted from the last progress. */
  readonly budgetMs: number
  /** Upper bound on the wait after the first failure, in milliseconds. It doubles with each failure. */
  readonly baseDelayMs: number
  /** Maximum delay, in milliseconds, that we choose ourselves; a vendor's Retry-After may be longer. */
  readonly maxDelayMs: number
}

/** Stays below the 30 seconds after which clients commonly give up on a call. */
const defaultRetryPolicy: RetryPolicy = { maxAttempts: 5, budgetMs: 25_000, baseDelayMs: 400, maxDelayMs: 5_000 }

/** Minimum timeout, in milliseconds: with less, a request would rarely succeed. */
const minAttemptMs = 1_000

/** Context of attempts, such as a call's scope. */
export interface RetryContext {
  readonly signal?: AbortSignal | undefined
  readonly clock?: Clock | undefined
  /** Milliseconds left overall; unlimited if absent. */
  readonly remainingMs?: (() => number) | undefined
  /** Called on progress. */
  readonly extend?: (() => void) | undefined
  /** Returns a number in [0, 1), like `Math.random`. */
  readonly random?: (() => number) | undefined
}

/** The attempts and the time left for a piece of work. Progress renews both. */
export class Attempts {
  readonly signal: AbortSignal | undefined
  readonly clock: Clock
  readonly #policy: RetryPolicy
  readonly #context: RetryContext
  #failures = 0
  #lastError: ToolError | undefined
  #since: number

  constructor(policy: Partial<RetryPolicy> = {}, context: RetryContext = {}) {
    const { signal, clock = systemClock } = context
    this.#policy = { ...defaultRetryPolicy, ...policy }
    this.#context = context
    this.signal = signal
    this.clock = clock
    this.#since = clock.monotonic()
  }

  /** True if an attempt has failed since the last progress. */
  get hasFailed(): boolean {
    return this.#failures > 0
  }

  /** Latest failure since the last progress. */
  get lastError(): ToolError | undefined {
    return this.#lastError
  }

  /** Records progress: resets the failure count and the clock. */
  progress(): void {
    this.#failures = 0
    this.#lastError = undefined
    this.touch()
  }

  /** Records a sign of life without progress: resets the clock, but not the failure count. */
  touch(): void {
    this.#since = this.clock.monotonic()
    this.#context.extend?.()
  }

  /** Resumes work that had to wait for something else: resets the clock, unless an attempt has failed. */
  restart(): void {
    if (!this.hasFailed) this.#since = this.clock.monotonic()
  }

  /** Time left, in milliseconds; 0 if none. */
  get remainingMs(): number {
    const own = this.#since + this.#policy.budgetMs - this.clock.monotonic()
    return Math.max(0, Math.min(own, this.#context.remainingMs?.() ?? Infinity))
  }

  /** Timeout for the next attempt, in milliseconds: the remaining time, but never too short for a request to succeed. */
  get attemptMs(): number {
    return Math.max(minAttemptMs, this.remainingMs)
  }

  /**
   * Waits until the next attempt may be made after `error` and returns true. Returns false if no attempt is left, or if the wait,
   * including jitter and the vendor's Retry-After, would use up the remaining time. Throws if the caller gave up.
   */
  async waitForNext(error?: ToolError): Promise<boolean> {
    this.signal?.throwIfAborted()
    this.#failures += 1
    this.#lastError = error
    const waitMs = Math.max((error?.details.retryAfterSeconds ?? 0) * 1000, backoffMs(this.#failures, this.#policy, this.#context.random))
    if (this.#failures >= this.#policy.maxAttempts || waitMs >= this.remainingMs) return false
    await this.clock.sleep(waitMs, this.signal)
    return true
  }
}

/** A wait with full jitter: anything from 0 to a bound that doubles with each failure. */
export function backoffMs(
  failures: number,
  { baseDelayMs, maxDelayMs }: Pick<RetryPolicy, 'baseDelayMs' | 'maxDelayMs'>,
  random: () => number = Math.random,
): number {
  return random() * Math.min(maxDelayMs, baseDelayMs * 2 ** Math.min(failures - 1, 30))
}

/**
 * Makes attempts until one succeeds. Throws the last error if it is permanent or no attempt is left. An attempt that was not allowed to
 * send anything stops the retries at once, with the previous attempt's error if there was one.
 */
export async function withRetry<Result>(attempts: Attempts, attempt: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await attempt()
    } catch (thrown) {
      attempts.signal?.throwIfAborted()
      if (!(thrown instanceof ToolError)) throw thrown
      const error = afterAttempt(thrown, attempts.lastError)
      if (!isTransient(thrown)) throw error
      if (thrown.details.sent === 'no') throw attempts.lastError ?? thrown
      if (!(await attempts.waitForNext(error))) throw error
    }
  }
}

/**
 * A retry's error, which still says that an earlier attempt may have taken effect: no later response rules that out, and a retry may be
 * refused precisely because of it.
 */
export function afterAttempt(error: ToolError, before: ToolError | undefined): ToolError {
  const sent = before?.details.sent
  return sent === 'maybe' && error.details.sent !== sent ? error.with({ ...error.details, sent }) : error
}

/** True if the same request may succeed in a moment. */
export function isTransient(error: unknown): error is ToolError {
  return isOutage(error) && error.retryable
}

/**
 * The wait, in milliseconds, that a response asks for; undefined if it names no time.
 * https://www.rfc-editor.org/rfc/rfc9110#name-retry-after
 */
export function retryAfterMs({ headers }: Pick<Response, 'headers'>, clock: Clock = systemClock): number | undefined {
  const value = headers.get('retry-after')
  if (!value) return undefined
  const seconds = Number(value)
  if (Number.isNaN(seconds)) {
    const wait = Date.parse(value) - clock.now()
    return Number.isNaN(wait) ? undefined : Math.max(0, wait)
  }
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined
}
