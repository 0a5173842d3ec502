import { dirname, join } from 'node:path'
import type { Clock, SharedState } from '@mcp-toolkits/core/base'
import { fileIdentity, openAsyncStore, openProcessLock, presentMoment, setAsideFile, StoreError } from '@mcp-toolkits/sqlite'
import { locksTable, sqliteLocks } from './sqlite-locks.ts'
import { recordsTable, sqliteRecords } from './sqlite-expiring-records.ts'

export interface LocalStateOptions {
  /** Path of the database. The locks of the processes that use it are in a directory beside it. */
  readonly file: string
  readonly clock: Clock
  /** The boot of the machine, for tests. */
  readonly boot?: string
}

/** State that the processes of one machine share, besides their records of operations. */
export interface LocalState extends Pick<SharedState, 'locks' | 'records'> {
  readonly close: () => Promise<void>
}

const migrations = [[locksTable, recordsTable].join('; ')]

/**
 * Opens the state in a SQLite file. A damaged file is moved out of the way: its content concerns work of the moment. Throws `StoreError`
 * for files that cannot be used, and so do its parts.
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
