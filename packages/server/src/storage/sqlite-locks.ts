import { type Clock, defaultLockWaitMs, type LockOptions, type Locks } from '@mcp-toolkits/core/base'
import { type AsyncStore, type ProcessLock, StoreError, text } from '@mcp-toolkits/sqlite'
import { KeyedMutex } from './in-process-locks.ts'

export const locksTable = 'create table locks (name text primary key, holder text not null) strict'

export interface SqliteLocksOptions {
  /** Path of the database, for messages. */
  readonly file: string
  readonly clock: Pick<Clock, 'monotonic'>
}

/** Interval at which a waiting caller looks for the death of a lock's holder, in milliseconds. */
const pollMs = 200

/** Locks as rows. One whose holder has died is free at once. */
export function sqliteLocks(store: AsyncStore, process: ProcessLock, { file, clock }: SqliteLocksOptions): Locks {
  const mutex = new KeyedMutex()
  const tryTake = (name: string) =>
    store.write(
      (tables) => {
        const [held] = tables.rows({ holder: text }, 'select holder from locks where name = :name', { name })
        if (held && process.isAlive(held.holder)) return false
        tables.run('insert or replace into locks values (:name, :holder)', { name, holder: process.id })
        return true
      },
      { isDurable: false },
    )
  const release = (name: string) => {
    const sql = 'delete from locks where name = :name and holder = :holder'
    return store.write((tables) => tables.run(sql, { name, holder: process.id }), { isDurable: false })
  }
  return {
    async withLock(name, work, { signal, waitMs = defaultLockWaitMs }: LockOptions = {}) {
      const deadline = clock.monotonic() + waitMs
      const timeout = () =>
        new StoreError('locked', file, `Another call has kept a lock in ${file} for ${Math.round(waitMs / 1000)} seconds.`)
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
