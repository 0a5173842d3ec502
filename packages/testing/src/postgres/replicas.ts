import { randomUUID } from 'node:crypto'
import { systemClock } from '@mcp-toolkits/core/base'
import { openSharedStore, type PostgresStore } from '@mcp-toolkits/team/postgres'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { type PostgresServer, startPostgres } from './postgres.ts'

/** Stores for replicas that share a database. */
export interface Replicas {
  /** Opens a store for one more replica of the server under test. It is closed after the test. */
  readonly start: () => Promise<PostgresStore>
}

/** A PostgreSQL server for the tests in a file; each test has its own tables. */
export function useReplicas(): () => Replicas {
  let server: PostgresServer | undefined
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server?.stop())
  return () => {
    const schema = `test_${randomUUID().replaceAll('-', '')}`
    return {
      async start() {
        if (!server) throw new Error('PostgreSQL starts with the first test.')
        const store = await openSharedStore({ url: server.pooledUrl, schema, clock: systemClock })
        onTestFinished(() => store.close())
        return store
      },
    }
  }
}
