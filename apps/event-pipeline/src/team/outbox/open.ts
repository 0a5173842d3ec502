import type { Clock } from '@mcp-toolkits/core/base'
import type { SharedStore } from '@mcp-toolkits/server/storage'
import { migrate, postgresStoreOf, type ReplicaStoreOptions, type SealedColumn, sealedColumn } from '@mcp-toolkits/team/postgres'
import { integer, text } from '@mcp-toolkits/sqlite'
import type { OutboxStore } from '../../outbox/outbox-store.ts'
import { outboxMigrations } from './migrations.ts'
import { contextOf, hashKeyContext } from './rows.ts'
import { PostgresOutboxStore } from './store.ts'

/** Opens the outbox in a database, creating missing tables. Throws `StoreError` for an unusable database. */
export async function openPostgresOutbox(options: ReplicaStoreOptions): Promise<OutboxStore> {
  await migrate(options.database, outboxMigrations)
  const store = new PostgresOutboxStore(options)
  await store.purge()
  return store
}

/** Opens the outbox that the replicas share. Throws like `openPostgresOutbox`. */
export async function openSharedOutbox(shared: SharedStore, clock: Clock): Promise<OutboxStore> {
  return openPostgresOutbox({ ...postgresStoreOf(shared), clock })
}

const keys = { id: integer, delivery_id: text, part: integer }

/** Columns that the outbox seals in a database. Creates missing tables. */
export async function sealedColumns(shared: SharedStore): Promise<readonly SealedColumn[]> {
  await migrate(postgresStoreOf(shared).database, outboxMigrations)
  return [
    sealedColumn({ table: 'entries', column: 'body', keys, context: (key) => contextOf('body', key) }),
    sealedColumn({ table: 'entries', column: 'error', keys, context: (key) => contextOf('error', key) }),
    sealedColumn({ table: 'secrets', column: 'value', keys: { name: text }, context: () => hashKeyContext }),
  ]
}
