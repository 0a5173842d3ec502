import { type Clock, type PeopleState, systemClock } from '@mcp-toolkits/core/base'
import type { LimitsStorage } from '@mcp-toolkits/core/upstream'
import type { SharedStore } from '@mcp-toolkits/server/storage'
import { nullable, StoreError, text } from '@mcp-toolkits/sqlite'
import { sharedContents } from '../shared-contents.ts'
import { type SealedColumn, type SealedRows, sealedRows } from '../vault/sealed-rows.ts'
import type { Sealer, VaultKey } from '../vault/sealer.ts'
import { secretRows } from '../vault/people-store.ts'
import { openVault } from '../vault/vault.ts'
import { type Database, openDatabase, sharedSql, type Statements } from './database.ts'
import { cleaner, postgresRecords } from './expiring-records.ts'
import { postgresIdempotency } from './idempotency-records.ts'
import { postgresLocks } from './locks.ts'
import { postgresLogins, resealLogins } from './logins.ts'
import type { LoginRows } from '../accounts/shared-login-store.ts'
import { migrate, storeMigrations, versionOf } from './migrations.ts'
import { postgresPeople } from './people.ts'
import { openReplica, type Replica } from './replica.ts'
import { countSealedRows, storeColumns } from './sealed-rows.ts'

export interface SharedStoreOptions {
  /** `postgres://…` */
  readonly url: string
  readonly schema: string
  /** Keys for sealing: the first seals, and any of them opens; if absent, nothing is sealed. */
  readonly keys?: readonly VaultKey[] | undefined
  readonly clock: Clock
}

/** Everything shared by one server's replicas, in PostgreSQL. */
export interface PostgresStore extends SharedStore, PeopleState {
  readonly database: Database
  readonly replica: Replica
  readonly sealer: Sealer
  readonly logins: LoginRows
  /** Everything sealed in the database; `ownColumns` are the columns of the server using it, and must exist. */
  readonly sealedRows: (ownColumns: readonly SealedColumn[]) => SealedRows
  readonly close: () => Promise<void>
}

/** The store as a `PostgresStore`, for a server that adds tables. */
export function postgresStoreOf(shared: SharedStore): PostgresStore {
  if (isPostgresStore(shared)) return shared
  throw new Error('The store is not one that openSharedStore opened.')
}

const isPostgresStore = (shared: SharedStore): shared is PostgresStore => 'database' in shared && 'sealer' in shared

/** Connects and creates missing tables. Throws `StoreError` for an unusable database. */
export async function openSharedStore({ url, schema, keys, clock }: SharedStoreOptions): Promise<PostgresStore> {
  const database = openDatabase({ url, schema })
  // A separate pool, so that slow statements cannot delay the heartbeat.
  const heartbeat = openDatabase({ url, schema, maxConnections: 1 })
  const close = async () => {
    await Promise.all([heartbeat.close(), database.close()])
  }
  try {
    await migrate(database, storeMigrations)
    const { sealer, stateKey } = await openVault(secretRows(sharedSql(database), database.location), keys)
    await resealLogins(database, sealer)
    const replica = await openReplica(heartbeat, { clock })
    const recordOptions = { database, replica, sealer, clock }
    const records = postgresRecords(recordOptions)
    return {
      location: database.location,
      schema: database.schema,
      database,
      replica,
      sealer,
      people: postgresPeople(database, sealer),
      locks: postgresLocks(database),
      records,
      contents: sharedContents(records),
      limits: postgresLimits(database, clock),
      operations: postgresIdempotency(recordOptions),
      logins: postgresLogins(database, sealer),
      stateKey,
      pools: () => database.pools(),
      sealedRows: (ownColumns) => sealedRows(sharedSql(database), [...storeColumns, ...ownColumns], sealer),
      async missingKeys() {
        const needed = Object.keys(await countSealedRows(database))
        return keys ? needed.filter((id) => !keys.some((key) => key.id === id)) : needed
      },
      async checkReady() {
        if ((await versionOf(database, storeMigrations.part)) >= storeMigrations.scripts.length) return
        throw new StoreError('schema_missing', database.location, `The database ${database.location} lacks tables of this server.`)
      },
      async close() {
        await replica.close()
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

const limitsColumns = { state: nullable(text), now: (value: unknown): value is number => typeof value === 'number' }

/**
 * Deletes limits whose times are all more than a day old: a vendor's hold lasts at most a day. Times are milliseconds since 1970; they are
 * searched for as text, so that a row that is not JSON is also deleted.
 */
const deleteObsolete = `delete from schema.upstream_limits where not exists (
  select from regexp_matches(state, '(?<![0-9.])[0-9]{13}', 'g') as found (digits)
  where digits[1]::bigint > (extract(epoch from now()) - 86400) * 1000)`

/** Accounts' limits in PostgreSQL. Their times come from the database's clock. */
export function postgresLimits(database: Database, clock: Clock = systemClock): LimitsStorage {
  const clean = cleaner(clock, () => database.run(deleteObsolete))
  const read = async (statements: Pick<Statements, 'rows'>, account: string) => {
    const sql = `select (select state from schema.upstream_limits where account = :account) as state, (extract(epoch from now()) * 1000)::float8 as now`
    const [row] = await statements.rows(limitsColumns, sql, { account })
    if (!row) throw new Error('The statement returns one row.')
    return { state: row.state ?? undefined, now: row.now }
  }
  return {
    read: (account) => read(database.reading, account),
    async change(account, change) {
      const changed = await database.transaction(
        async (transaction) => {
          const { state, result } = change(await read(transaction, account))
          if (state === undefined) await transaction.run('delete from schema.upstream_limits where account = :account', { account })
          else {
            const sql = `insert into schema.upstream_limits values (:account, :state) on conflict (account) do update set state = excluded.state`
            await transaction.run(sql, { account, state })
          }
          return result
        },
        { keys: [`limits ${account}`] },
      )
      clean()
      return changed
    },
  }
}
