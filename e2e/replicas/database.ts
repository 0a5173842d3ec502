import { startPostgres, type PostgresServer } from '@mcp-toolkits/testing/postgres'
import { afterAll, beforeAll } from 'vitest'

/** One PostgreSQL server for all of a file's tests, started before the first one. */
export function startDatabase(): () => PostgresServer {
  let server: PostgresServer | undefined
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(async () => server?.stop())
  return () => {
    if (!server) throw new Error('The database runs during tests only.')
    return server
  }
}
