import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Clock, PeopleState } from '@mcp-toolkits/core/base'
import { openAsyncStore, openProcessLock, presentMoment, sharedSql } from '@mcp-toolkits/sqlite'
import { migrations as operationMigrations, locksTable, sqliteLocks, recordsTable, sqliteRecords } from '@mcp-toolkits/server/storage'
import { peopleStore, secretRows } from './people-store.ts'
import { peopleColumns, type SealedRows, sealedRows } from './sealed-rows.ts'
import type { VaultKey } from './sealer.ts'
import { sealedRecords } from './sealed-records.ts'
import { openVault } from './vault.ts'

export interface PeopleFileOptions {
  /** Path of the database. Locks of the processes using it are in a directory next to it. */
  readonly file: string
  /** Keys for sealing: the first seals, and any of them opens. */
  readonly keys: readonly VaultKey[]
  readonly clock: Clock
  /** Path of the operation records, if any; forgetting a person deletes that person's records. */
  readonly operationsFile?: string
  /** The machine's boot id, for tests. */
  readonly boot?: string
}

/** State that a multi-user server's processes on one machine share. */
export interface PeopleFile extends PeopleState {
  /** Everything sealed in the file. */
  readonly sealedRows: SealedRows
  readonly close: () => Promise<void>
}

const migrations = [
  [
    locksTable,
    recordsTable,
    'create table vault (name text primary key, secret blob not null) strict',
    `create table people (
      owner text primary key,
      person blob not null,
      first_seen integer not null,
      last_seen integer not null
    ) strict`,
    `create table grants (
      owner text not null references people on delete cascade,
      profile text not null,
      value blob not null,
      connected_at integer not null,
      primary key (owner, profile)
    ) strict, without rowid`,
  ].join('; '),
]

/**
 * Opens a server's people in a SQLite file, where they are sealed. Both this function and the result's methods throw `StoreError` for
 * unusable files, and for keys that do not decrypt their content.
 */
export async function openPeopleFile({ file, keys, clock, operationsFile, boot }: PeopleFileOptions): Promise<PeopleFile> {
  const store = await openAsyncStore({ file, migrations, clock })
  try {
    const sql = sharedSql(store)
    const { sealer, stateKey } = await openVault(secretRows(sql, file), keys)
    const process = openProcessLock(join(dirname(file), 'locks'))
    const forget = async (owner: string) => {
      await store.write((tables) => {
        tables.run('delete from people where owner = :owner', { owner })
        tables.run('delete from expiring_records where instr(owner, :owner) > 0', { owner })
      })
      if (operationsFile !== undefined) await deleteOperations({ file: operationsFile, owner, clock })
    }
    const times = { now: ':now', present: () => ({ now: Math.floor(clock.now()) }), millis: (column: string) => column }
    return {
      location: file,
      stateKey,
      locks: sqliteLocks(store, process, { file, clock }),
      records: sealedRecords(sqliteRecords(store, { process, present: () => presentMoment(clock, boot) }), sealer),
      people: peopleStore({ ...sql, ...times, forget }, sealer),
      sealedRows: sealedRows(sql, peopleColumns, sealer),
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

/** Deletes a person's operation records, if their database exists. */
async function deleteOperations({ file, owner, clock }: { readonly file: string; readonly owner: string; readonly clock: Clock }) {
  if (!existsSync(file)) return
  const store = await openAsyncStore({ file, migrations: operationMigrations, clock })
  try {
    await store.write((tables) => tables.run('delete from operations where instr(account, :owner) > 0', { owner }))
  } finally {
    await store.close()
  }
}
