import { integer } from './columns.ts'
import { openDatabase, prepareDatabase, type Store, createStore, type StoreOptions } from './store.ts'

/**
 * A SQLite database whose callers wait for the lock of another process without blocking the event loop. The statements themselves
 * are synchronous and take about a millisecond.
 */
export interface AsyncStore {
  /** Runs queries that change nothing, outside a transaction. `work` may run several times. */
  readonly read: <T>(work: (store: Store) => T) => Promise<T>
  /**
   * Runs `work`, all or nothing, after all earlier writes. Writes that are requested at about the same time share one transaction, so
   * that many calls wait for the lock and the disk once. `work` may run several times.
   */
  readonly write: <T>(work: (store: Store) => T) => Promise<T>
  readonly watch: () => Promise<ChangeWatch>
  /** Resolves when all pending writes are done and the file is closed. */
  readonly close: () => Promise<void>
}

/** Waits for changes of a database. */
export interface ChangeWatch {
  /** Resolves when the database has changed since the last call, or after `ms` milliseconds. Rejects with the reason of `signal`. */
  readonly next: (ms: number, signal: AbortSignal) => Promise<void>
}

export interface AsyncStoreOptions extends StoreOptions {
  readonly clock: {
    readonly now: () => number
    readonly monotonic: () => number
    readonly sleep: (ms: number) => Promise<void>
    readonly timer: (ms: number, callback: () => void) => { readonly cancel: () => void; readonly restart: () => void }
  }
}

/** The database stayed locked by another process. Nothing was written; the same call may succeed later. */
export class StoreLocked extends Error {
  override readonly name = 'StoreLocked'
}

/** How long to wait for the lock of another process, and the delays between attempts, in milliseconds. */
const lockTimeoutMs = 5_000
const retryDelaysMs = [1, 2, 5, 10, 15, 20, 25]
const maxRetryDelayMs = 50

/** How often a watch checks whether another connection has changed the database, in milliseconds. */
const pollMs = 100

/** Opens a database as `openStore` does, for asynchronous use. */
export async function openAsyncStore({ clock, ...options }: AsyncStoreOptions): Promise<AsyncStore> {
  const database = openDatabase(options.file, 0)
  const store = createStore(database, options)
  const whenUnlocked = <T>(work: () => T) => retryWhileLocked(work, options.file, clock)
  try {
    await whenUnlocked(() => {
      prepareDatabase(store, options)
    })
  } catch (error) {
    database.close()
    throw error
  }
  const changes = new ChangeNotifier(clock, () => whenUnlocked(() => dataVersion(store)))
  const writes = new WriteQueue({ store, clock, whenUnlocked, onCommit: () => changes.notify() })
  return {
    read: (work) => whenUnlocked(() => work(store)),
    write: (work) => writes.add(() => work(store)),
    watch: () => changes.watch(),
    async close() {
      await writes.whenDone()
      if (database.isOpen) database.close()
    },
  }
}

/** How long the writes of one transaction may keep the event loop and the lock, in milliseconds. One more write may follow. */
const maxTransactionMs = 10

interface WriteQueueOptions {
  readonly store: Store
  readonly clock: AsyncStoreOptions['clock']
  readonly whenUnlocked: <T>(work: () => T) => Promise<T>
  readonly onCommit: () => void
}

interface PendingWrite {
  /** Runs the write, and returns what tells its caller once it is committed. */
  readonly run: () => () => void
  readonly reject: (error: unknown) => void
}

/** Commits the writes of many callers together, in the order of their calls. */
class WriteQueue {
  readonly #options: WriteQueueOptions
  readonly #pending: PendingWrite[] = []
  #running: Promise<void> | undefined

  constructor(options: WriteQueueOptions) {
    this.#options = options
  }

  add<T>(work: () => T): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    this.#pending.push({
      run: () => {
        const result = work()
        return () => {
          resolve(result)
        }
      },
      reject,
    })
    this.#running ??= this.#commitAll()
    return promise
  }

  async whenDone(): Promise<void> {
    await this.#running
  }

  async #commitAll(): Promise<void> {
    const { store, whenUnlocked, onCommit } = this.#options
    while (this.#pending.length > 0) {
      // Calls that are ready to write get the chance to join.
      await new Promise((resolve) => setImmediate(resolve))
      try {
        const settled = await whenUnlocked(() => store.write(() => this.#runPending()))
        this.#pending.splice(0, settled.length)
        onCommit()
        for (const settle of settled) settle()
      } catch (error) {
        // The lock was never free, or the disk refused the transaction: nothing was written.
        for (const { reject } of this.#pending.splice(0)) reject(error)
      }
    }
    this.#running = undefined
  }

  #runPending(): (() => void)[] {
    const { clock } = this.#options
    const started = clock.monotonic()
    const settled: (() => void)[] = []
    for (const write of this.#pending) {
      settled.push(this.#runOne(write))
      if (clock.monotonic() - started > maxTransactionMs) break
    }
    return settled
  }

  /** Runs one write. If it throws, the others of the transaction still count. */
  #runOne({ run, reject }: PendingWrite): () => void {
    const { store } = this.#options
    store.script('savepoint one_write')
    try {
      const settle = run()
      store.script('release one_write')
      return settle
    } catch (error) {
      if (!this.#undo()) throw error
      return () => {
        reject(error)
      }
    }
  }

  /** False when SQLite has already ended the whole transaction, as on a full disk. */
  #undo(): boolean {
    try {
      this.#options.store.script('rollback to one_write; release one_write')
      return true
    } catch {
      return false
    }
  }
}

async function retryWhileLocked<T>(work: () => T, file: string, clock: AsyncStoreOptions['clock']): Promise<T> {
  const deadline = clock.now() + lockTimeoutMs
  for (let attempts = 0; ; attempts += 1) {
    try {
      return work()
    } catch (error) {
      if (!isLocked(error)) throw error
      if (clock.now() >= deadline) throw new StoreLocked(`Another process has kept ${file} locked for ${lockTimeoutMs / 1000} seconds.`)
      await clock.sleep(retryDelaysMs[attempts] ?? maxRetryDelayMs)
    }
  }
}

/** https://www.sqlite.org/rescode.html#busy; the low byte of an extended code is the primary one. */
const sqliteBusy = 5

function isLocked(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' && (error.errcode & 0xff) === sqliteBusy
}

/** Notifies watchers of changes: of its own writes at once, of those by other connections by polling. */
class ChangeNotifier {
  readonly #clock: AsyncStoreOptions['clock']
  readonly #readVersion: () => Promise<number>
  readonly #listeners = new Set<() => void>()
  #writes = 0

  constructor(clock: AsyncStoreOptions['clock'], readVersion: () => Promise<number>) {
    this.#clock = clock
    this.#readVersion = readVersion
  }

  notify(): void {
    this.#writes += 1
    for (const listener of this.#listeners) listener()
  }

  async watch(): Promise<ChangeWatch> {
    let seen = { writes: this.#writes, others: await this.#readVersion() }
    return {
      next: async (ms, signal) => {
        signal.throwIfAborted()
        if (seen.writes === this.#writes) await this.#change(ms, seen.others, signal)
        seen = { writes: this.#writes, others: await this.#readVersion() }
      },
    }
  }

  async #change(ms: number, others: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<undefined>()
    const finish = () => {
      resolve(undefined)
    }
    const abort = () => {
      reject(signal.reason instanceof Error ? signal.reason : new DOMException('The wait was aborted.', 'AbortError'))
    }
    const check = () => {
      this.#readVersion().then((version) => {
        if (version !== others) finish()
        else if (this.#listeners.has(finish)) poll.restart()
      }, reject)
    }
    const poll = this.#clock.timer(pollMs, check)
    const deadline = this.#clock.timer(ms, finish)
    this.#listeners.add(finish)
    signal.addEventListener('abort', abort, { once: true })
    try {
      await promise
    } finally {
      this.#listeners.delete(finish)
      signal.removeEventListener('abort', abort)
      poll.cancel()
      deadline.cancel()
    }
  }
}

/** A number that changes when another connection writes. https://www.sqlite.org/pragma.html#pragma_data_version */
const dataVersion = (store: Store) => store.rows({ data_version: integer }, 'pragma data_version')[0]?.data_version ?? 0
