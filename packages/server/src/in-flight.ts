import { setImmediate, setTimeout as delay } from 'node:timers/promises'

/** Work that was begun and is to be finished. */
export class InFlight {
  readonly #work = new Set<Promise<unknown>>()

  /** Begins work and notes it until it has ended. */
  async run<Value>(work: () => Promise<Value>): Promise<Value> {
    const begun = work()
    this.#work.add(begun)
    try {
      return await begun
    } finally {
      this.#work.delete(begun)
    }
  }

  /**
   * Waits until nothing has been in flight for a whole turn of the event loop, in which a result reaches its reader and what follows from it
   * begins; but not longer than that many milliseconds.
   */
  async settled(milliseconds: number): Promise<void> {
    const patience = new AbortController()
    const bound = delay(milliseconds, true, { signal: patience.signal }).catch(() => true)
    let late: boolean
    do {
      late = await Promise.race([Promise.allSettled(this.#work).then(() => false), bound])
      await setImmediate()
    } while (this.#work.size > 0 && !late)
    patience.abort()
  }
}
