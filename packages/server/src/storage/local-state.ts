import { dirname, join } from 'node:path'
import type { Clock, SharedState } from '@mcp-toolkits/core/base'
import { openProcessLock, openReplaceableStore, presentMoment } from '@mcp-toolkits/sqlite'
import type { Log } from '../mcp/log.ts'
import { locksTable, sqliteLocks } from './sqlite-locks.ts'
import { recordsTable, sqliteRecords } from './sqlite-expiring-records.ts'

export interface LocalStateOptions {
  /** The database's path. The locks of processes that use it are in a directory next to it. */
  readonly file: string
  readonly clock: Clock
  /** The machine's boot, for tests. */
  readonly boot?: string
  /** Log that records where a damaged database was moved. */
  readonly log?: Pick<Log, 'error'> | undefined
}

/** State shared by one machine's processes, besides their operation records. */
export interface LocalState extends Pick<SharedState, 'locks' | 'records'> {
  readonly close: () => Promise<void>
}

const migrations = [[locksTable, recordsTable].join('; ')]

/**
 * Opens the state in a SQLite file. A damaged file is moved aside, even if the damage is found later: its content concerns only current
 * work. Throws `StoreError` for unusable files, as do its parts.
 */
export async function openLocalState({ file, clock, boot, log }: LocalStateOptions): Promise<LocalState> {
  const onReplaced = (moved: string | undefined) => {
    if (moved !== undefined) log?.error('state', { problem: 'damaged', moved_to: moved })
  }
  const store = await openReplaceableStore({ file, migrations, clock, onReplaced })
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
