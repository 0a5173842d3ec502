import { abortReason } from '@mcp-toolkits/core/base'

export interface AcquireOptions {
  readonly signal?: AbortSignal | undefined
  readonly waitMs: number
}

/** A mutex for each name, within one process. Callers get the mutex in order of arrival. */
export class KeyedMutex {
  readonly #waiting = new Map<string, (() => void)[]>()

  /** Resolves with the function that releases the mutex; undefined if the wait is over first. Rejects with the signal's reason. */
  async acquire(name: string, { signal, waitMs }: AcquireOptions): Promise<(() => void) | undefined> {
    signal?.throwIfAborted()
    const queue = this.#waiting.get(name)
    if (!queue) {
      this.#waiting.set(name, [])
      return this.#releaser(name)
    }
    const { promise, resolve, reject } = Promise.withResolvers<boolean>()
    const grant = () => {
      resolve(true)
    }
    // Leaves the queue at once: a mutex granted to a caller that has given up would never be released.
    const giveUp = (settle: () => void) => () => {
      const index = queue.indexOf(grant)
      if (index >= 0) queue.splice(index, 1)
      settle()
    }
    const abort = giveUp(() => {
      reject(abortReason(signal))
    })
    queue.push(grant)
    const timer = setTimeout(
      giveUp(() => {
        resolve(false)
      }),
      waitMs,
    )
    signal?.addEventListener('abort', abort, { once: true })
    try {
      return (await promise) ? this.#releaser(name) : undefined
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
  }

  #releaser(name: string): () => void {
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      const next = this.#waiting.get(name)?.shift()
      if (next) next()
      else this.#waiting.delete(name)
    }
  }
}

/** The names held by callers in this process. To the database, they are one holder. */
export class HeldNames {
  readonly #names = new Set<string>()

  /**
   * Takes the name and returns the result of `take`; undefined while another caller in this process holds the name, or if `take` returns
   * nothing.
   */
  async hold(name: string, take: () => Promise<string | undefined>): Promise<string | undefined> {
    if (this.#names.has(name)) return undefined
    this.#names.add(name)
    let taken: string | undefined
    try {
      return (taken = await take())
    } finally {
      if (taken === undefined) this.#names.delete(name)
    }
  }

  /** Releases the name; true if a caller held it. */
  release(name: string): boolean {
    return this.#names.delete(name)
  }
}
