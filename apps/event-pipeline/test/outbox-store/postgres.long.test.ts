import { startPostgres, type PostgresServer } from '@mcp-toolkits/testing/postgres'
import { afterAll, beforeAll, describe } from 'vitest'
import { outboxStoreContract } from './contract.ts'
import { postgresOutbox } from './machine.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

describe('an outbox in PostgreSQL', () => {
  outboxStoreContract(() => postgresOutbox(server.directUrl))
})

describe('an outbox in PostgreSQL behind PgBouncer', () => {
  outboxStoreContract(() => postgresOutbox(server.pooledUrl))
})
