import { dirname, join } from 'node:path'
import type { Clock } from '@mcp-toolkits/core/clock'
import type { ExpiringRecords } from '@mcp-toolkits/core/expiring-records'
import { defaultLockWaitMs, type LockOptions, type Locks } from '@mcp-toolkits/core/locks'
import type { LimitsStorage } from '@mcp-toolkits/core/shared-limits'
import { type AsyncStore, openAsyncStore } from './async-store.ts'
import { StoreError } from './errors.ts'
import { LocalQueues } from './local-queues.ts'
import { fileIdentity, setAsideFile } from './private-file.ts'
import { openProcessLock, type ProcessLock } from './process-lock.ts'
import { presentMoment } from './moment.ts'
import { limitsTable, sqliteLimits } from './sqlite-limits.ts'
import { recordsTable, sqliteRecords } from './sqlite-records.ts'
import { text } from './store.ts'

export interface LocalStateOptions {
  /** Path of the database. The locks of the processes that use it are in a directory beside it. */
  readonly file: string
  readonly clock: Clock
  /** The boot of the machine, for tests. */
  readonly boot?: string
}

/** What the processes of one machine share besides their records of operations. */
export interface LocalState {
  readonly locks: Locks
  readonly records: ExpiringRecords
  readonly limits: LimitsStorage
  readonly close: () => Promise<void>
}

const locksTable = 'create table locks (name text primary key, holder text not null) strict'

const migrations = [[locksTable, recordsTable, limitsTable].join('; ')]

/** How often a caller that waits looks whether the holder of a lock has died, in milliseconds. */
const lookMs = 200

/**
 * Opens the state in a SQLite file. A damaged file is moved out of the way: what was in it concerns work of the moment. Throws
 * `StoreError` for files that cannot be used, and so do its parts.
 */
export async function openLocalState(options: LocalStateOptions): Promise<LocalState> {
  const { file, clock } = options
  const identity = fileIdentity(file)
  try {
    return await openState(options)
  } catch (error) {
    if (!(error instanceof StoreError) || error.problem !== 'corrupt') throw error
    // Another server that started at the same time may have moved it already.
    if (fileIdentity(file) === identity && setAsideFile(file, clock.now()) === undefined) throw error
    return openState(options)
  }
}

async function openState({ file, clock, boot }: LocalStateOptions): Promise<LocalState> {
  const store = await openAsyncStore({ file, migrations, clock })
  try {
    const present = () => presentMoment(clock, boot)
    const process = openProcessLock(join(dirname(file), 'locks'))
    return {
      locks: sqliteLocks(store, process, { file, clock }),
      records: sqliteRecords(store, { process, present }),
      limits: sqliteLimits(store, present),
      async close() {
        await store.close()
        process.close()
      },
    }
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Locks as rows. One whose holder has died is free at once. */
function sqliteLocks(store: AsyncStore, process: ProcessLock, { file, clock }: LocalStateOptions): Locks {
  const queues = new LocalQueues()
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
      const leave = await queues.enter(name, { signal, waitMs })
      if (!leave) throw timeout()
      try {
        const watch = await store.watch()
        while (!(await tryTake(name))) {
          if (clock.monotonic() >= deadline) throw timeout()
          await watch.next(Math.min(lookMs, deadline - clock.monotonic()), signal ?? new AbortController().signal)
        }
        try {
          signal?.throwIfAborted()
          return await work(new AbortController().signal)
        } finally {
          await release(name)
        }
      } finally {
        leave()
      }
    },
  }
}
