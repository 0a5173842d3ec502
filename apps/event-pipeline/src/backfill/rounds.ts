import type { Clock, Timer } from '@mcp-toolkits/core/base'

export interface RoundsOptions {
  /** Does any waiting work. */
  readonly run: () => Promise<void>
  /** Called after each round. */
  readonly onEnd?: () => void
  readonly clock: Clock
  /** Receives problems that no call can report. */
  readonly onProblem: (error: unknown) => void
}

/** Interval, in milliseconds, at which to check for work left by other processes. */
const lookMs = 5_000

/** Runs rounds of work, one at a time: on request, at a set time, and every few seconds. */
export class Rounds {
  readonly #options: RoundsOptions
  #round: Promise<void> | undefined
  #isWanted = false
  #isClosed = false
  #timer: Timer | undefined
  #wakeAt = Infinity

  constructor(options: RoundsOptions) {
    this.#options = options
  }

  get isBusy(): boolean {
    return this.#round !== undefined
  }

  /** Begins a round, after the current one if there is one. */
  wake(): void {
    this.#isWanted = true
    if (this.#isClosed || this.#round) return
    this.#isWanted = false
    this.#round = this.#options
      .run()
      .catch((error: unknown) => {
        if (!this.#isClosed) this.#options.onProblem(error)
        this.#isWanted = false
      })
      .finally(() => {
        this.#round = undefined
        if (this.#isWanted) this.wake()
        else this.wakeIn(lookMs)
        this.#options.onEnd?.()
      })
  }

  /** Begins a round after `ms`, unless one begins sooner. */
  wakeIn(ms: number): void {
    const { clock } = this.#options
    const at = clock.monotonic() + ms
    if (this.#isClosed || at >= this.#wakeAt) return
    this.#timer?.cancel()
    this.#wakeAt = at
    this.#timer = clock.timer(ms, () => {
      this.#wakeAt = Infinity
      this.wake()
    })
    this.#timer.unref()
  }

  /** Starts no more rounds, and waits for the current one. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#timer?.cancel()
    await this.#round
  }
}
