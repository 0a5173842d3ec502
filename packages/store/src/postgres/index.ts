export {
  type Database,
  type DatabaseOptions,
  openDatabase,
  type PoolUse,
  type Statements,
  type Transaction,
  type TransactionOptions,
} from './database.ts'
export { type SqlValue, type SqlValues } from './statement.ts'
export { migrate, type Migrations, versionOf } from './migrate.ts'
export { aliveReplicas, openReplica, type Replica, type ReplicaOptions } from './replica.ts'
export { inspectSharedStore, type StoreInspection } from './inspection.ts'
export { postgresIdempotency, type PostgresIdempotencyOptions } from './idempotency.ts'
export { postgresLimits } from './limits.ts'
export { postgresLocks } from './locks.ts'
export { postgresLogins, type PostgresLogins } from './logins.ts'
export { postgresPeople } from './people.ts'
export { postgresRecords, type PostgresRecordsOptions } from './expiring-records.ts'
export { storeMigrations } from './schema.ts'
export { openSharedStore, type SharedStore, type SharedStoreOptions } from './shared-store.ts'
export { type SealedColumn, sealedColumn } from '../sealed-columns.ts'
export type { SealedCount, SealedRows } from '../sealed-rows.ts'
