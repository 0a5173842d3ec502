import { migrate } from '@mcp-toolkits/store/postgres'
import type { OutboxStore } from '../outbox-store.ts'
import { outboxMigrations } from './rows.ts'
import { type PostgresOutboxOptions, PostgresOutboxStore } from './store.ts'

/** Opens the outbox in a database, whose tables it makes when they are missing. Throws `StoreError` for one that cannot be used. */
export async function openPostgresOutbox(options: PostgresOutboxOptions): Promise<OutboxStore> {
  await migrate(options.database, outboxMigrations)
  const store = new PostgresOutboxStore(options)
  await store.purge()
  return store
}
