import { createHash, randomUUID } from 'node:crypto'
import { type Clock, systemClock } from './clock.ts'

/** The key of a call without a known outcome. */
export interface StoredKey {
  /** A hash of the tool and its arguments. */
  readonly call: string
  readonly key: string
  /** When it is forgotten, in milliseconds since 1970. */
  readonly expiresAt: number
}

/** Where the keys of calls without a known outcome are stored. A call may have several. */
export interface KeyStore {
  /** Removes the oldest key of a call that has not expired and returns it; two callers never get the same. */
  readonly take: (call: string, now: number) => Promise<string | undefined>
  readonly put: (stored: StoredKey) => Promise<void>
}

const maxStored = 1_000

/** Keeps the newest keys in memory. */
export function memoryKeyStore(): KeyStore {
  let entries: StoredKey[] = []
  return {
    take(call, now) {
      entries = entries.filter(({ expiresAt }) => expiresAt > now)
      const index = entries.findIndex((entry) => entry.call === call)
      return Promise.resolve(index < 0 ? undefined : entries.splice(index, 1)[0]?.key)
    },
    put(stored) {
      entries = [...entries, stored].slice(-maxStored)
      return Promise.resolve()
    },
  }
}

export interface IdempotencyKeysOptions {
  /** Creates a key, for a call that may end meanwhile; a random UUID when absent. */
  readonly createKey?: ((signal: AbortSignal) => string | Promise<string>) | undefined
  /** How long a key without a known outcome is stored for a repeat, in milliseconds; ten minutes when absent. */
  readonly retentionMs?: number
  readonly store?: KeyStore
  readonly clock?: Clock | undefined
}

/**
 * The keys under which things are created, so that nothing is created twice. A create that succeeds uses up its key. One that is
 * cancelled or fails may have taken effect: its key is stored, and an identical call uses it again, so that the vendor recognises what
 * it already has. Calls that run at the same time never share a key: they are meant to create two things.
 */
export class IdempotencyKeys {
  readonly #createKey: (signal: AbortSignal) => string | Promise<string>
  readonly #retentionMs: number
  readonly #store: KeyStore
  readonly #clock: Clock

  constructor(options: IdempotencyKeysOptions = {}) {
    this.#createKey = options.createKey ?? (() => randomUUID())
    this.#retentionMs = options.retentionMs ?? 10 * 60_000
    this.#store = options.store ?? memoryKeyStore()
    this.#clock = options.clock ?? systemClock
  }

  /**
   * Runs `create` with a key. Calls are identical when `call` is: the tool and its arguments. When `signal` is aborted, the key is
   * stored at once, so that a repeat before this call has ended uses it. Rethrows the errors of `create` and `createKey`.
   */
  async run<Created>(call: unknown, create: (key: string) => Promise<Created>, signal: AbortSignal): Promise<Created> {
    const hash = createHash('sha256').update(JSON.stringify(call)).digest('base64')
    const key = (await this.#store.take(hash, this.#clock.now())) ?? (await this.#createKey(signal))
    let stored: Promise<void> | undefined
    const store = () => {
      stored ??= this.#store.put({ call: hash, key, expiresAt: this.#clock.now() + this.#retentionMs })
      return stored
    }
    const onAbort = () => {
      // A failure is thrown where `create` fails.
      store().catch(() => undefined)
    }
    signal.addEventListener('abort', onAbort)
    try {
      return await create(key)
    } catch (error) {
      await store()
      throw error
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }
}
