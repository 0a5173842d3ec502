import { dirname, join } from 'node:path'
import type { Clock, SharedState } from '@mcp-toolkits/core/base'
import type { LimitsStorage } from '@mcp-toolkits/core/upstream'
import {
  type AsyncStore,
  fileIdentity,
  type Moment,
  openAsyncStore,
  openProcessLock,
  presentMoment,
  setAsideFile,
  type Store,
  StoreError,
  text,
} from '@mcp-toolkits/sqlite'
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
export interface LocalState extends SharedState {
  readonly close: () => Promise<void>
}

/** The table of limits; those of an earlier boot of the machine do not count. */
const limitsTable = 'create table upstream_limits (account text primary key, state text not null, boot text not null) strict'

const migrations = [[locksTable, recordsTable, limitsTable].join('; ')]

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

/** The limits of accounts in a SQLite file. */
function sqliteLimits(store: AsyncStore, present: () => Moment): LimitsStorage {
  const read = (tables: Store, account: string) => {
    const { boot, uptime } = present()
    const sql = 'select state from upstream_limits where account = :account and boot = :boot'
    return { state: tables.rows({ state: text }, sql, { account, boot })[0]?.state, now: uptime }
  }
  return {
    read: (account) => store.read((tables) => read(tables, account)),
    change: (account, change) =>
      store.write(
        (tables) => {
          const { state, result } = change(read(tables, account))
          if (state === undefined) tables.run('delete from upstream_limits where account = :account', { account })
          else {
            const sql = 'insert or replace into upstream_limits values (:account, :state, :boot)'
            tables.run(sql, { account, state, boot: present().boot })
          }
          return result
        },
        { isDurable: false },
      ),
  }
}
