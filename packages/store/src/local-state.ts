import { dirname, join } from 'node:path'
import type { Clock } from '@mcp-toolkits/core/clock'
import type { ExpiringRecords, Locks } from '@mcp-toolkits/core/shared-state'
import type { LimitsStorage } from '@mcp-toolkits/core/shared-limits'
import { openAsyncStore } from './async-store.ts'
import { StoreError } from './errors.ts'
import { fileIdentity, setAsideFile } from './private-file.ts'
import { openProcessLock } from './process-lock.ts'
import { presentMoment } from './moment.ts'
import { limitsTable, sqliteLimits } from './sqlite-limits.ts'
import { locksTable, sqliteLocks } from './sqlite-locks.ts'
import { recordsTable, sqliteRecords } from './sqlite-records.ts'

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

const migrations = [[locksTable, recordsTable, limitsTable].join('; ')]

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
