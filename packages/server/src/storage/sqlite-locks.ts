import { type Clock, defaultLockWaitMs, type LockOptions, type Locks } from '@mcp-toolkits/core/base'
import { type AsyncStore, type ProcessLock, StoreError, text } from '@mcp-toolkits/sqlite'
import { KeyedMutex } from './in-process-locks.ts'

export const locksTable = 'create table locks (name text primary key, holder text not null) strict'

export interface SqliteLocksOptions {
  /** The database's path, for messages. */
  readonly file: string
  readonly clock: Pick<Clock, 'monotonic' | 'timer'>
}

/** Interval at which a waiting caller checks whether a lock's holder has died, in milliseconds. */
const pollMs = 200

/** Interval between attempts to release a lock whose release could not be written, in milliseconds. */
const retryMs = 1_000

/** Locks as rows. A lock whose holder has died is free at once. */
export function sqliteLocks(store: AsyncStore, process: ProcessLock, { file, clock }: SqliteLocksOptions): Locks {
  const mutex = new KeyedMutex()
  const tryTake = (name: string) =>
    store.write(
      (tables) => {
        const [held] = tables.rows({ holder: text }, 'select holder from locks where name = :name', { name })
        // The mutex keeps callers in this process apart, so a row that names this process is left over from a failed release.
        if (held && held.holder !== process.id && process.isAlive(held.holder)) return false
        tables.run('insert or replace into locks values (:name, :holder)', { name, holder: process.id })
        return true
      },
      { isDurable: false },
    )
  /**
   * Never rejects, because the work done under the lock has already finished. The next attempt takes the mutex first, because another
   * caller may hold the lock by then.
   */
  const release = async (name: string): Promise<void> => {
    const sql = 'delete from locks where name = :name and holder = :holder'
    try {
      await store.write((tables) => tables.run(sql, { name, holder: process.id }), { isDurable: false })
    } catch (error) {
      if (error instanceof StoreError) clock.timer(retryMs, () => void releaseUnused(name).catch(() => undefined)).unref()
    }
  }
  const releaseUnused = async (name: string) => {
    const unlock = await mutex.acquire(name, { waitMs: 0 })
    // Otherwise, the caller that has the mutex releases the lock.
    if (unlock) await release(name).finally(unlock)
  }
  return {
    async withLock(name, work, { signal, waitMs = defaultLockWaitMs }: LockOptions = {}) {
      const deadline = clock.monotonic() + waitMs
      const timeout = () =>
        new StoreError('locked', file, `Another call has held a lock in ${file} for ${Math.round(waitMs / 1000)} seconds.`)
      const unlock = await mutex.acquire(name, { signal, waitMs })
      if (!unlock) throw timeout()
      try {
        const watch = await store.watch()
        while (!(await tryTake(name))) {
          if (clock.monotonic() >= deadline) throw timeout()
          await watch.next(Math.min(pollMs, deadline - clock.monotonic()), signal ?? new AbortController().signal)
        }
        try {
          signal?.throwIfAborted()
          return await work(new AbortController().signal)
        } finally {
          await release(name)
        }
      } finally {
        unlock()
      }
    },
  }
}
