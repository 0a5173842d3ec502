import { abortReason } from '@mcp-toolkits/core/clock'

export interface EnterOptions {
  readonly signal?: AbortSignal | undefined
  readonly waitMs: number
}

/** Lets the callers of one process pass one after another, in the order in which they came; a queue for each name. */
export class LocalQueues {
  readonly #waiting = new Map<string, (() => void)[]>()

  /** Resolves with what ends the turn of this caller; undefined when it does not come in time. Rejects with the reason of the signal. */
  async enter(name: string, { signal, waitMs }: EnterOptions): Promise<(() => void) | undefined> {
    signal?.throwIfAborted()
    const queue = this.#waiting.get(name)
    if (!queue) {
      this.#waiting.set(name, [])
      return this.#leaving(name)
    }
    const { promise, resolve, reject } = Promise.withResolvers<boolean>()
    const pass = () => {
      resolve(true)
    }
    // At once: a turn that is given to a caller who has gone would never end.
    const giveUp = (settle: () => void) => () => {
      const index = queue.indexOf(pass)
      if (index >= 0) queue.splice(index, 1)
      settle()
    }
    const abort = giveUp(() => {
      reject(abortReason(signal))
    })
    queue.push(pass)
    const timer = setTimeout(
      giveUp(() => {
        resolve(false)
      }),
      waitMs,
    )
    signal?.addEventListener('abort', abort, { once: true })
    try {
      return (await promise) ? this.#leaving(name) : undefined
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
  }

  #leaving(name: string): () => void {
    let hasLeft = false
    return () => {
      if (hasLeft) return
      hasLeft = true
      const next = this.#waiting.get(name)?.shift()
      if (next) next()
      else this.#waiting.delete(name)
    }
  }
}

/** The names that callers of this process hold. To the database they are one holder, so it cannot keep them apart. */
export class HeldNames {
  readonly #names = new Set<string>()

  /** What `take` returns for the name; undefined while another caller of this process holds it, or when `take` returns nothing. */
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

  /** Whether a caller held it. */
  release(name: string): boolean {
    return this.#names.delete(name)
  }
}
