import { integer, openStore, type Store, type StoreOptions } from './store.ts'
import type { Steps, StoreClock, WriteOptions } from './write-queue.ts'

/**
 * A SQLite database whose callers wait for other processes' locks without blocking the event loop. The statements themselves are
 * synchronous and take about a millisecond.
 */
export interface AsyncStore {
  /** Runs queries that change nothing, outside a transaction. `work` may run several times. */
  readonly read: <T>(work: (store: Store) => T) => Promise<T>
  /**
   * Runs `work`, all or nothing, after all earlier writes. Writes requested at about the same time share one transaction, so they wait for
   * the lock and the disk only once. `work` may run several times.
   */
  readonly write: <T>(work: (store: Store) => T, options?: WriteOptions) => Promise<T>
  /**
   * Like `write`, but in a separate transaction, for long work: the event loop runs between its steps, and other writes and reads wait
   * until the work ends. Aborting `signal` between two steps undoes everything and throws the signal's reason.
   */
  readonly writeInSteps: <T>(work: (store: Store) => Steps<T>, signal?: AbortSignal) => Promise<T>
  readonly watch: () => Promise<ChangeWatch>
  /** Resolves when all pending writes are done and the file is closed. */
  readonly close: () => Promise<void>
}

export interface ChangeWatch {
  /** Resolves when the database has changed since the last call, or after `ms` milliseconds. Rejects with `signal`'s reason. */
  readonly next: (ms: number, signal: AbortSignal) => Promise<void>
}

export interface AsyncStoreOptions extends StoreOptions {
  readonly clock: StoreClock & {
    readonly timer: (ms: number, callback: () => void) => { readonly cancel: () => void; readonly restart: () => void }
  }
}

/** Interval, in milliseconds, at which a watch checks for changes by other connections. */
const pollMs = 100

/** Opens a database like `openStore`, and waits until its tables exist. */
export async function openAsyncStore(options: AsyncStoreOptions): Promise<AsyncStore> {
  const store = openStore(options)
  try {
    await store.ready()
  } catch (error) {
    await store.close()
    throw error
  }
  const changes = new ChangeNotifier(options.clock, () => store.read(() => dataVersion(store)))
  return {
    read: (work) => store.read(() => work(store)),
    async write(work, writeOptions) {
      const written = await store.write(() => work(store), writeOptions)
      changes.notify()
      return written
    },
    async writeInSteps(work, signal) {
      const written = await store.writeInSteps(() => work(store), signal)
      changes.notify()
      return written
    },
    watch: () => changes.watch(),
    close: store.close,
  }
}

/** Notifies watchers of changes: by this store at once, and by other connections through polling, with one poll for all watchers. */
class ChangeNotifier {
  readonly #clock: AsyncStoreOptions['clock']
  readonly #readVersion: () => Promise<number>
  readonly #listeners = new Set<() => void>()
  readonly #failures = new Set<(error: unknown) => void>()
  #poll: ReturnType<AsyncStoreOptions['clock']['timer']> | undefined
  #writes = 0
  #others = 0

  constructor(clock: AsyncStoreOptions['clock'], readVersion: () => Promise<number>) {
    this.#clock = clock
    this.#readVersion = readVersion
  }

  notify(): void {
    this.#writes += 1
    for (const listener of this.#listeners) listener()
  }

  async watch(): Promise<ChangeWatch> {
    let seen = { writes: this.#writes, others: await this.#refresh() }
    return {
      next: async (ms, signal) => {
        signal.throwIfAborted()
        if (seen.writes === this.#writes && seen.others === this.#others) await this.#change(ms, signal)
        seen = { writes: this.#writes, others: await this.#refresh() }
      },
    }
  }

  async #refresh(): Promise<number> {
    const others = await this.#readVersion()
    if (others !== this.#others) {
      this.#others = others
      for (const listener of this.#listeners) listener()
    }
    return others
  }

  async #change(ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<undefined>()
    const finish = () => {
      resolve(undefined)
    }
    const abort = () => {
      reject(signal.reason instanceof Error ? signal.reason : new DOMException('The wait was aborted.', 'AbortError'))
    }
    const deadline = this.#clock.timer(ms, finish)
    this.#listeners.add(finish)
    this.#failures.add(reject)
    this.#poll ??= this.#startPolling()
    signal.addEventListener('abort', abort, { once: true })
    try {
      await promise
    } finally {
      this.#listeners.delete(finish)
      this.#failures.delete(reject)
      signal.removeEventListener('abort', abort)
      deadline.cancel()
      if (this.#listeners.size === 0) this.#stopPolling()
    }
  }

  #startPolling() {
    const poll = this.#clock.timer(pollMs, () => {
      this.#refresh().then(
        () => {
          if (this.#poll === poll) poll.restart()
        },
        (error: unknown) => {
          this.#stopPolling()
          for (const fail of this.#failures) fail(error)
        },
      )
    })
    return poll
  }

  #stopPolling(): void {
    this.#poll?.cancel()
    this.#poll = undefined
  }
}

/** A number that changes when another connection writes. https://www.sqlite.org/pragma.html#pragma_data_version */
const dataVersion = (store: Store) => store.rows({ data_version: integer }, 'pragma data_version')[0]?.data_version ?? 0
