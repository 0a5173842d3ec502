import type { ReadableStreamDefaultReader } from 'node:stream/web'
import { abortReason, type Timer } from '@mcp-toolkits/core/base'
import type { CallScope } from '@mcp-toolkits/core/tool'

export interface BodyReaderOptions {
  /** Minimum number of bytes that must arrive in each window. */
  readonly minBytes: number
  /** Window length in milliseconds; only time spent waiting for bytes counts. */
  readonly windowMs: number
  /** Called when the minimum has arrived and a new window begins. */
  readonly onProgress: () => void
  /** Error for a window that ends with fewer bytes. */
  readonly tooSlow: (bytes: number) => Error
  readonly scope: Pick<CallScope, 'signal' | 'clock'>
}

/**
 * Reads a body, and gives up when the scope ends or the bytes arrive too slowly, because a trickling transfer would block others. A large
 * file arrives in tens of thousands of pieces, so they all share one timer.
 */
export class BodyReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #options: BodyReaderOptions
  /** Bytes received in this window, and milliseconds spent waiting for them. */
  #bytes = 0
  #waitedMs = 0
  /** Undefined while no read is pending. */
  #waitingSince: number | undefined
  #timer: Timer | undefined
  /** The reason reading ended early. */
  #failure: Error | undefined

  constructor(body: { getReader(): ReadableStreamDefaultReader<Uint8Array> }, options: BodyReaderOptions) {
    this.#reader = body.getReader()
    this.#options = options
    const { signal } = options.scope
    if (signal.aborted) this.#onAbort()
    else signal.addEventListener('abort', this.#onAbort)
  }

  /** The next bytes; undefined at the end. Wait for each read before you start the next. */
  async read(): Promise<Uint8Array | undefined> {
    const { clock } = this.#options.scope
    this.#waitingSince = clock.monotonic()
    this.#timer ??= this.#startTimer()
    try {
      const { value } = await this.#reader.read()
      // Cancelling ends the body as if it were complete.
      if (this.#failure) throw this.#failure
      if (value) this.#count(value.byteLength)
      else this.#release()
      return value
    } catch (error) {
      this.#release()
      throw this.#failure ?? error
    } finally {
      this.#waitingSince = undefined
    }
  }

  /** Closes the connection, unless the whole body was read. Never rejects. */
  async cancel(): Promise<void> {
    this.#release()
    await this.#reader.cancel().catch(() => undefined)
  }

  #count(bytes: number): void {
    const { minBytes, onProgress } = this.#options
    this.#waitedMs = this.#waitedUntilNow()
    this.#bytes += bytes
    if (this.#bytes < minBytes) return
    this.#bytes = 0
    this.#waitedMs = 0
    onProgress()
  }

  #waitedUntilNow(): number {
    const now = this.#options.scope.clock.monotonic()
    return this.#waitedMs + now - (this.#waitingSince ?? now)
  }

  #startTimer(): Timer {
    return this.#options.scope.clock.timer(this.#options.windowMs - this.#waitedUntilNow(), () => {
      this.#timer = undefined
      if (this.#waitingSince === undefined) return
      if (this.#waitedUntilNow() >= this.#options.windowMs) this.#fail(this.#options.tooSlow(this.#bytes))
      else this.#timer = this.#startTimer()
    })
  }

  readonly #onAbort = () => {
    this.#fail(abortReason(this.#options.scope.signal))
  }

  #fail(error: Error): void {
    this.#failure ??= error
    void this.cancel()
  }

  #release(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    this.#options.scope.signal.removeEventListener('abort', this.#onAbort)
  }
}
