import { setTimeout as delay } from 'node:timers/promises'
import { RateLimited, type ToolError, Unavailable } from '@mcp-toolkits/core'

/** How long work that makes no progress goes on, in milliseconds; below a client's patience. */
const defaultBudgetMs = 25_000
/** How often it may fail in a row. */
const mostSetbacks = 5
const longestWaitMs = 5_000
const shortestAttemptMs = 1_000

/** Repeats a transfer for as long as it gets on: the time and the failures count from the last progress, whichever step made it. */
export class Patience {
  readonly signal: AbortSignal
  readonly #budgetMs: number
  #setbacks = 0
  #since = Date.now()

  constructor(signal: AbortSignal, budgetMs = defaultBudgetMs) {
    this.signal = signal
    this.#budgetMs = budgetMs
  }

  /** Something arrived. */
  progressed(): void {
    this.#setbacks = 0
    this.#since = Date.now()
  }

  /** Something arrived that had been there before: work goes on, but it gets no further. */
  waited(): void {
    this.#since = Date.now()
  }

  /** How long the next attempt may stay silent, in milliseconds. */
  get left(): number {
    return Math.max(shortestAttemptMs, this.#since + this.#budgetMs - Date.now())
  }

  /** Does one attempt, which is given up with `late` when no patience is left. What the signal is given to may go on after it. */
  async attempt<Result>(work: (signal: AbortSignal) => Promise<Result>, late: () => ToolError): Promise<Result> {
    const given = new AbortController()
    const timer = setTimeout(() => {
      given.abort(late())
    }, this.left)
    try {
      return await work(AbortSignal.any([this.signal, given.signal]))
    } finally {
      clearTimeout(timer)
    }
  }

  /** Returns when it is time for another attempt after `error`. Throws it when a repeat is of no use, or patience is at its end. */
  async after(error: unknown): Promise<void> {
    this.signal.throwIfAborted()
    if (!isPassing(error)) throw error
    this.#setbacks += 1
    const asked = (error.details.retryAfterSeconds ?? 0) * 1000
    const wait = Math.max(asked, Math.random() * Math.min(longestWaitMs, 200 * 2 ** this.#setbacks))
    if (this.#setbacks > mostSetbacks || Date.now() + wait > this.#since + this.#budgetMs) throw error
    await delay(wait, undefined, { signal: this.signal }).catch(() => {
      this.signal.throwIfAborted()
    })
  }
}

/** Repeats one step until it succeeds or patience is at its end. */
export async function patiently<Result>(patience: Patience, step: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await step()
    } catch (error) {
      await patience.after(error)
    }
  }
}

/** Whether the same request may succeed in a moment. */
function isPassing(error: unknown): error is ToolError {
  return (error instanceof Unavailable || error instanceof RateLimited) && error.toJSON().retryable
}
