import { integer } from './columns.ts'
import { openDatabase, prepareDatabase, type Store, storeOn, type StoreOptions } from './store.ts'

/**
 * A SQLite database whose callers wait for the lock of another process without blocking the event loop. The statements themselves
 * are synchronous and take about a millisecond.
 */
export interface AsyncStore {
  /** Runs queries that change nothing, outside a transaction. `work` may run several times. */
  readonly read: <T>(work: (store: Store) => T) => Promise<T>
  /** Runs `work` as one transaction, after the writes that were asked for earlier. `work` may run several times. */
  readonly write: <T>(work: (store: Store) => T) => Promise<T>
  /** A number that changes when another connection, of this or another process, has changed the database. */
  readonly changesByOthers: () => Promise<number>
  /** Resolves when the writes that were asked for are done and the file is closed. */
  readonly close: () => Promise<void>
}

export interface AsyncStoreOptions extends StoreOptions {
  readonly clock: { readonly now: () => number; readonly sleep: (ms: number) => Promise<void> }
}

/** The database stayed locked by another process. Nothing was written; the same call may succeed later. */
export class StoreLocked extends Error {
  override readonly name = 'StoreLocked'
}

/** How long a lock of another process is waited for, and the waits between two tries, in milliseconds. */
const lockTimeoutMs = 5_000
const retryDelaysMs = [1, 2, 5, 10, 15, 20, 25]
const maxRetryDelayMs = 50

/** Opens a database as `openStore` does, for asynchronous use. */
export async function openAsyncStore({ clock, ...options }: AsyncStoreOptions): Promise<AsyncStore> {
  const database = openDatabase(options.file, 0)
  const store = storeOn(database, options)
  const whenUnlocked = <T>(work: () => T) => retryWhileLocked(work, options.file, clock)
  try {
    await whenUnlocked(() => {
      prepareDatabase(store, options)
    })
  } catch (error) {
    database.close()
    throw error
  }
  // In the order of the calls: a write that waits for a lock is not overtaken by a later one.
  let lastWrite: Promise<unknown> = Promise.resolve()
  return {
    read: (work) => whenUnlocked(() => work(store)),
    write(work) {
      const result = lastWrite.then(() => whenUnlocked(() => store.write(() => work(store))))
      lastWrite = result.catch(() => undefined)
      return result
    },
    changesByOthers: () => whenUnlocked(() => dataVersion(store)),
    async close() {
      await lastWrite
      if (database.isOpen) database.close()
    },
  }
}

async function retryWhileLocked<T>(work: () => T, file: string, clock: AsyncStoreOptions['clock']): Promise<T> {
  const deadline = clock.now() + lockTimeoutMs
  for (let tries = 0; ; tries += 1) {
    try {
      return work()
    } catch (error) {
      if (!isLocked(error)) throw error
      if (clock.now() >= deadline) throw new StoreLocked(`Another process has kept ${file} locked for ${lockTimeoutMs / 1000} seconds.`)
      await clock.sleep(retryDelaysMs[tries] ?? maxRetryDelayMs)
    }
  }
}

/** https://www.sqlite.org/rescode.html#busy; the low byte of an extended code is the primary one. */
const sqliteBusy = 5

function isLocked(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' && (error.errcode & 0xff) === sqliteBusy
}

/** https://www.sqlite.org/pragma.html#pragma_data_version */
const dataVersion = (store: Store) => store.rows({ data_version: integer }, 'pragma data_version')[0]?.data_version ?? 0
