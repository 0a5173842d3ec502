import { raceAbort, withTimeout } from '@mcp-toolkits/core/async'
import type { CallScope } from '@mcp-toolkits/core/call-scope'

export interface ThroughputOptions {
  /** The least that has to arrive in a window. */
  readonly minBytes: number
  /** Milliseconds. Only time in which bytes are waited for counts. */
  readonly windowMs: number
  /** Called when that much has arrived; a new window begins. */
  readonly onProgress: () => void
  readonly tooSlow: (bytes: number) => Error
}

/** Sees to it that bytes arrive fast enough, because a transfer that drips would keep everyone waiting. */
export class Throughput {
  readonly #options: ThroughputOptions
  #waitedMs = 0
  #bytes = 0

  constructor(options: ThroughputOptions) {
    this.#options = options
  }

  /** The next bytes. Throws `tooSlow` when the window ends before there were enough, and the reason of the scope when that ends. */
  async next(read: () => Promise<Uint8Array | undefined>, { signal, clock }: CallScope): Promise<Uint8Array | undefined> {
    const { minBytes, windowMs, onProgress, tooSlow } = this.#options
    const startedAt = clock.monotonic()
    const timeout = { ms: windowMs - this.#waitedMs, reason: () => tooSlow(this.#bytes), signal, clock }
    const piece = await withTimeout(timeout, (limited) => raceAbort(read(), limited.signal))
    this.#waitedMs += clock.monotonic() - startedAt
    this.#bytes += piece?.byteLength ?? 0
    if (this.#bytes >= minBytes) {
      this.restart()
      onProgress()
    }
    return piece
  }

  /** Begins a new window, as for a new connection. */
  restart(): void {
    this.#waitedMs = 0
    this.#bytes = 0
  }
}
