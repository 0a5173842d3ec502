import type { Clock } from '@mcp-toolkits/core/clock'
import type { IdempotencyStore } from '@mcp-toolkits/core/idempotency'
import type { SharedState } from '@mcp-toolkits/core/shared-state'
import { plainSealer, type Sealer } from '../sealer.ts'
import { type Database, openDatabase } from './database.ts'
import { postgresRecords } from './expiring-records.ts'
import { postgresIdempotency } from './idempotency.ts'
import { postgresLimits } from './limits.ts'
import { postgresLocks } from './locks.ts'
import { postgresLogins, type PostgresLogins } from './logins.ts'
import { migrate } from './migrate.ts'
import { openReplica, type Replica } from './replica.ts'
import { storeMigrations } from './schema.ts'

export interface SharedStoreOptions {
  /** `postgres://…` */
  readonly url: string
  readonly schema: string
  readonly sealer?: Sealer
  readonly clock: Clock
}

/** Everything that the replicas of one server share, in PostgreSQL. */
export interface SharedStore extends SharedState {
  readonly database: Database
  /** This process, as the others see it. */
  readonly replica: Replica
  readonly sealer: Sealer
  readonly operations: IdempotencyStore
  readonly logins: PostgresLogins
  readonly close: () => Promise<void>
}

/** Connects, and makes the tables that are missing. Throws `StoreError` for a database that cannot be used. */
export async function openSharedStore({ url, schema, sealer = plainSealer, clock }: SharedStoreOptions): Promise<SharedStore> {
  const database = openDatabase({ url, schema })
  try {
    await migrate(database, storeMigrations)
    const replica = await openReplica(database, { clock })
    const records = { database, replica, sealer, clock }
    return {
      database,
      replica,
      sealer,
      locks: postgresLocks(database),
      records: postgresRecords(records),
      limits: postgresLimits(database),
      operations: postgresIdempotency(records),
      logins: postgresLogins(database, sealer),
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
