import { createHash, randomUUID } from 'node:crypto'

export interface IdempotencyKeysOptions {
  /** Makes a new identity; a random UUID when absent. */
  readonly mint?: (() => string | Promise<string>) | undefined
  /** How long an identity without a known outcome is kept for a repeat, in milliseconds; ten minutes when absent. */
  readonly keepMs?: number
  /** The clock, as `Date.now`. */
  readonly now?: () => number
}

/** At most so many are kept; the oldest go first. */
const mostKept = 1_000

interface Kept {
  readonly call: string
  readonly identity: string
  readonly until: number
}

/**
 * The identities under which things are created, so that nothing is created twice. A create that succeeds uses its identity up. One
 * that is cancelled or fails may have happened all the same: its identity is kept, and an identical call takes it up again, so that
 * the vendor recognises what it already has. Calls that run at the same time never share one: they are meant to create two things.
 */
export class IdempotencyKeys {
  readonly #mint: () => string | Promise<string>
  readonly #keepMs: number
  readonly #now: () => number
  #kept: Kept[] = []

  constructor({ mint = randomUUID, keepMs = 10 * 60_000, now = Date.now }: IdempotencyKeysOptions = {}) {
    this.#mint = mint
    this.#keepMs = keepMs
    this.#now = now
  }

  /**
   * Runs `create` under an identity of its own. `call` says what makes two calls identical: the tool and its arguments. When `signal` is
   * aborted the identity is kept at once, so that a repeat that comes before this call has ended takes it up. Throws what `create` or
   * the mint throws.
   */
  async run<Created>(call: unknown, create: (identity: string) => Promise<Created>, signal: AbortSignal): Promise<Created> {
    const key = createHash('sha256').update(JSON.stringify(call)).digest('base64')
    const identity = this.#take(key) ?? (await this.#mint())
    let isKept = false
    const keep = () => {
      if (!isKept) this.#keep({ call: key, identity, until: this.#now() + this.#keepMs })
      isKept = true
    }
    signal.addEventListener('abort', keep, { once: true })
    try {
      return await create(identity)
    } catch (error) {
      keep()
      throw error
    } finally {
      signal.removeEventListener('abort', keep)
    }
  }

  #take(call: string): string | undefined {
    const now = this.#now()
    this.#kept = this.#kept.filter(({ until }) => until > now)
    const index = this.#kept.findIndex((kept) => kept.call === call)
    return index < 0 ? undefined : this.#kept.splice(index, 1)[0]?.identity
  }

  #keep(kept: Kept): void {
    this.#kept = [...this.#kept, kept].slice(-mostKept)
  }
}
