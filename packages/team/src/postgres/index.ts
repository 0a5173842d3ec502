export {
  type Database,
  type DatabaseOptions,
  openDatabase,
  type Statements,
  type Transaction,
  type TransactionOptions,
} from './database.ts'
export { type SqlValue, type SqlValues } from './statement.ts'
export { migrate, type Migrations, storeMigrations, versionOf } from './migrations.ts'
export { aliveReplicas, openReplica, type Replica, type ReplicaOptions } from './replica.ts'
export { inspectSharedStore, type StoreInspection } from './inspection.ts'
export { postgresIdempotency, type PostgresIdempotencyOptions } from './operation-records.ts'
export { postgresLocks } from './locks.ts'
export { postgresLogins, type PostgresLogins } from './logins.ts'
export { postgresPeople } from './people.ts'
export { postgresRecords, type PostgresRecordsOptions } from './expiring-records.ts'
export { openSharedStore, postgresLimits, type PostgresStore, postgresStoreOf, type SharedStoreOptions } from './shared-store.ts'
export { type SealedColumn, sealedColumn, type SealedCount, type SealedRows } from '../vault/sealed-rows.ts'
