import type { Clock } from '@mcp-toolkits/core/clock'

/** The least that has to arrive, whoever waits for it. */
export interface ThroughputPolicy {
  readonly minBytes: number
  /** Over how long it is measured, in milliseconds. Only time in which bytes are waited for counts. */
  readonly windowMs: number
}

/** One KiB a second, far below any line that can carry a file; over the half minute after which programs give up on one another. */
export const minThroughput: ThroughputPolicy = { minBytes: 30 * 1024, windowMs: 30_000 }

/** Measures how fast bytes arrive while someone waits for them. */
export class Throughput {
  readonly #policy: ThroughputPolicy
  readonly #clock: Pick<Clock, 'monotonic'>
  #waitedMs = 0
  #bytes = 0

  constructor(clock: Pick<Clock, 'monotonic'>, policy: ThroughputPolicy = minThroughput) {
    this.#clock = clock
    this.#policy = policy
  }

  /** Waits for bytes and counts them. Throws the result of `tooSlow`, which gets the bytes of the last window, when they were too few. */
  async measure(
    wait: () => Promise<Uint8Array | undefined>,
    tooSlow: (bytes: number, windowMs: number) => Error,
  ): Promise<Uint8Array | undefined> {
    const startedAt = this.#clock.monotonic()
    const piece = await wait()
    this.#waitedMs += this.#clock.monotonic() - startedAt
    this.#bytes += piece?.byteLength ?? 0
    const { minBytes, windowMs } = this.#policy
    if (this.#waitedMs < windowMs) return piece
    const bytes = this.#bytes
    this.#waitedMs = 0
    this.#bytes = 0
    if (piece && bytes < minBytes) throw tooSlow(bytes, windowMs)
    return piece
  }
}
