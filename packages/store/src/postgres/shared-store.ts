import type { Clock } from '@mcp-toolkits/core/clock'
import type { IdempotencyStore } from '@mcp-toolkits/core/idempotency'
import type { PeopleState } from '@mcp-toolkits/core/people'
import type { SharedState } from '@mcp-toolkits/core/shared-state'
import type { Sealer } from '../sealer.ts'
import { StoreError } from '../errors.ts'
import type { SealedColumn } from '../sealed-columns.ts'
import { type SealedRows, sealedRows } from '../sealed-rows.ts'
import { openVault } from '../vault.ts'
import type { VaultKey } from '../vault-keys.ts'
import { type Database, openDatabase } from './database.ts'
import { postgresRecords } from './expiring-records.ts'
import { postgresIdempotency } from './idempotency.ts'
import { postgresLimits } from './limits.ts'
import { postgresLocks } from './locks.ts'
import { postgresLogins, type PostgresLogins, resealLogins } from './logins.ts'
import { migrate, versionOf } from './migrate.ts'
import { openReplica, type Replica } from './replica.ts'
import { storeMigrations } from './schema.ts'
import { countSealedRows, postgresSealedRows } from './sealed-rows.ts'
import { postgresPeople } from './people.ts'
import { postgresSecrets } from './vault.ts'

export interface SharedStoreOptions {
  /** `postgres://…` */
  readonly url: string
  readonly schema: string
  /** The first one seals, and all of them open; nothing is sealed when absent. */
  readonly keys?: readonly VaultKey[] | undefined
  readonly clock: Clock
}

/** Everything that the replicas of one server share, in PostgreSQL. */
export interface SharedStore extends SharedState, PeopleState {
  readonly database: Database
  /** This process, as the others see it. */
  readonly replica: Replica
  readonly sealer: Sealer
  readonly operations: IdempotencyStore
  readonly logins: PostgresLogins
  /** Everything that is sealed in the database; `ownColumns` are those of the server that uses it, and have to exist. */
  readonly sealedRows: (ownColumns: readonly SealedColumn[]) => SealedRows
  /** The ids of keys that rows need and that are unknown here. It reads every row. */
  readonly missingKeys: () => Promise<readonly string[]>
  /** Throws `StoreError` while the database does not answer, or lacks tables. */
  readonly checkReady: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Connects, and makes the tables that are missing. Throws `StoreError` for a database that cannot be used. */
export async function openSharedStore({ url, schema, keys, clock }: SharedStoreOptions): Promise<SharedStore> {
  const database = openDatabase({ url, schema })
  try {
    await migrate(database, storeMigrations)
    const { sealer, stateKey } = await openVault(postgresSecrets(database), keys)
    await resealLogins(database, sealer)
    const replica = await openReplica(database, { clock })
    const records = { database, replica, sealer, clock }
    return {
      location: database.location,
      database,
      replica,
      sealer,
      people: postgresPeople(database, sealer),
      locks: postgresLocks(database),
      records: postgresRecords(records),
      limits: postgresLimits(database),
      operations: postgresIdempotency(records),
      logins: postgresLogins(database, sealer),
      stateKey,
      sealedRows: (ownColumns) => sealedRows(postgresSealedRows(database, ownColumns), sealer),
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
        await database.close()
      },
    }
  } catch (error) {
    await database.close()
    throw error
  }
}
