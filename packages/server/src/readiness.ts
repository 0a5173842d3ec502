import { raceAbort, withTimeout } from '@mcp-toolkits/core/async'
import type { Clock } from '@mcp-toolkits/core/clock'
import { storageFailure } from '@mcp-toolkits/core/system-error'

/** What /readyz answers. */
export interface ReadinessAnswer {
  readonly status: 200 | 503
  readonly body: { readonly status: 'ready' | 'draining' | 'unavailable'; readonly reason?: string }
}

/** How long a check may take, and how long its outcome counts, in milliseconds: everyone may ask. */
const checkMs = 2_000
const freshMs = 500

/** Whether a balancer should send requests to this process. */
export class Readiness {
  readonly #check: () => Promise<void>
  readonly #clock: Clock
  #latest: { readonly answer: Promise<ReadinessAnswer>; readonly startedAt: number } | undefined
  #isEnding = false

  constructor(check: (() => Promise<void>) | undefined, clock: Clock) {
    this.#check = check ?? (() => Promise.resolve())
    this.#clock = clock
  }

  /** From now on the answer is no. */
  end(): void {
    this.#isEnding = true
  }

  async answer(): Promise<ReadinessAnswer> {
    if (this.#isEnding) return { status: 503, body: { status: 'draining', reason: 'The server is ending.' } }
    if (!this.#latest || this.#clock.monotonic() - this.#latest.startedAt >= freshMs)
      this.#latest = { answer: this.#ask(), startedAt: this.#clock.monotonic() }
    return this.#latest.answer
  }

  async #ask(): Promise<ReadinessAnswer> {
    try {
      const reason = () => new DOMException('The store did not answer in time.', 'TimeoutError')
      await withTimeout({ ms: checkMs, clock: this.#clock, reason }, ({ signal }) => raceAbort(this.#check(), signal))
      return { status: 200, body: { status: 'ready' } }
    } catch (error) {
      const reason = storageFailure(error)?.message ?? 'The store did not answer in time.'
      return { status: 503, body: { status: 'unavailable', reason } }
    }
  }
}
