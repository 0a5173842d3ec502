import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Clock, GrantRows, PeopleState, PeopleStore } from '@mcp-toolkits/core/base'
import { type AsyncStore, blob, integer, openAsyncStore, openProcessLock, presentMoment, type Store, text } from '@mcp-toolkits/sqlite'
import { migrations as operationMigrations, locksTable, sqliteLocks, recordsTable, sqliteRecords } from '@mcp-toolkits/server/storage'
import { grantContext, openGrantRow, openPeopleRows, ownerOf, personContext, writePerson } from './people-rows.ts'
import { peopleColumns, type SealedRows, sealedRows } from './sealed-rows.ts'
import type { Sealer, VaultKey } from './sealer.ts'
import { sealedRecords, sqliteSealedRows } from './sqlite-sealed-rows.ts'
import { openVault, type SecretRows } from './vault.ts'

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
    const { sealer, stateKey } = await openVault(sqliteSecrets(store, file), keys)
    const process = openProcessLock(join(dirname(file), 'locks'))
    const forgetOperations = (owner: string) =>
      operationsFile === undefined ? Promise.resolve() : deleteOperations({ file: operationsFile, owner, clock })
    return {
      location: file,
      stateKey,
      locks: sqliteLocks(store, process, { file, clock }),
      records: sealedRecords(sqliteRecords(store, { process, present: () => presentMoment(clock, boot) }), sealer),
      people: sqlitePeople(store, { sealer, clock, forgetOperations }),
      sealedRows: sealedRows(sqliteSealedRows(store, peopleColumns), sealer),
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

function sqliteSecrets(store: AsyncStore, location: string): SecretRows {
  return {
    location,
    read: (name) =>
      store.read((tables) => tables.rows({ secret: blob }, 'select secret from vault where name = :name', { name })[0]?.secret),
    async add(name, secret) {
      await store.write((tables) => tables.run('insert or ignore into vault values (:name, :secret)', { name, secret }))
    },
    async replace(name, secret, former) {
      const sql = 'update vault set secret = :secret where name = :name and secret = :former'
      await store.write((tables) => tables.run(sql, { name, secret, former }))
    },
  }
}

interface SqlitePeopleOptions {
  readonly sealer: Sealer
  readonly clock: Pick<Clock, 'now'>
  readonly forgetOperations: (owner: string) => Promise<void>
}

function sqlitePeople(store: AsyncStore, { sealer, clock, forgetOperations }: SqlitePeopleOptions): PeopleStore {
  const readAll = async () => {
    const columns = { owner: text, person: blob, first_seen: integer, last_seen: integer }
    const { people, grants } = await store.read((tables) => ({
      people: tables.rows(columns, 'select owner, person, first_seen, last_seen from people order by first_seen, owner'),
      grants: tables.rows({ owner: text, profile: text }, 'select owner, profile from grants order by profile'),
    }))
    const profiles = Map.groupBy(grants, ({ owner }) => owner)
    const rows = people.map(({ owner, person: sealed, first_seen: firstSeen, last_seen: lastSeen }) => ({
      owner,
      sealed,
      firstSeen,
      lastSeen,
      profiles: (profiles.get(owner) ?? []).map(({ profile }) => profile),
    }))
    return openPeopleRows(rows, sealer)
  }
  return {
    ownerOf: (person) => ownerOf(person, sealer),
    async remember(person) {
      const owner = ownerOf(person, sealer)
      const sql = `insert into people values (:owner, :person, :now, :now)
        on conflict do update set person = excluded.person, last_seen = excluded.last_seen`
      const sealed = sealer.seal(writePerson(person), personContext(owner))
      await store.write((tables) => tables.run(sql, { owner, person: sealed, now: Math.floor(clock.now()) }))
    },
    list: async () => (await readAll()).known,
    listUnreadable: async () => (await readAll()).unreadable,
    async forget(owner) {
      await store.write((tables) => {
        tables.run('delete from people where owner = :owner', { owner })
        tables.run('delete from expiring_records where instr(owner, :owner) > 0', { owner })
      })
      await forgetOperations(owner)
    },
    grants: sqliteGrants(store, { sealer, clock }),
  }
}

function sqliteGrants(store: AsyncStore, { sealer, clock }: Pick<SqlitePeopleOptions, 'sealer' | 'clock'>): GrantRows {
  const isSame = 'owner = :owner and profile = :profile'
  return {
    async read({ owner, profile }) {
      const find = (tables: Store) => tables.rows({ value: blob }, `select value from grants where ${isSame}`, { owner, profile })
      const [row] = await store.read(find)
      return row && sealer.open(row.value, grantContext({ owner, profile }))
    },
    async write({ owner, profile }, grant) {
      if (grant === undefined) {
        await store.write((tables) => tables.run(`delete from grants where ${isSame}`, { owner, profile }))
        return
      }
      const sql = 'insert into grants values (:owner, :profile, :value, :now) on conflict do update set value = excluded.value'
      const value = sealer.seal(grant, grantContext({ owner, profile }))
      await store.write((tables) => tables.run(sql, { owner, profile, value, now: Math.floor(clock.now()) }))
    },
    async list(owner) {
      const columns = { profile: text, value: blob, connected_at: integer }
      const sql = 'select profile, value, connected_at from grants where owner = :owner order by profile'
      const rows = await store.read((tables) => tables.rows(columns, sql, { owner }))
      return rows.map(({ profile, value: sealed, connected_at: connectedAt }) =>
        openGrantRow({ account: { owner, profile }, connectedAt, sealed }, sealer),
      )
    },
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
