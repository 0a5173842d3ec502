import { randomUUID } from 'node:crypto'
import { type PostgresServer, startPostgres } from '../../../testing/src/postgres/postgres.ts'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { type Database, type DatabaseOptions, openDatabase } from '../../src/postgres/database.ts'

/** Ways for tests to reach PostgreSQL. */
export const routes = ['direct', 'pooled'] as const
export type Route = (typeof routes)[number]

export interface TestPostgres {
  readonly server: PostgresServer
  readonly url: (route: Route) => string
}

/** A PostgreSQL server for one file's tests. */
export function usePostgres(): TestPostgres {
  let server: PostgresServer | undefined
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server?.stop())
  return {
    get server() {
      if (!server) throw new Error('PostgreSQL starts with the first test.')
      return server
    },
    url(route) {
      return route === 'direct' ? this.server.directUrl : this.server.pooledUrl
    },
  }
}

/** A name that no other test uses. */
export const newSchema = () => `test_${randomUUID().replaceAll('-', '')}`

/** A database that is closed after the test. */
export function testDatabase(options: DatabaseOptions): Database {
  const database = openDatabase({ schema: newSchema(), maxConnections: 4, ...options })
  onTestFinished(() => database.close())
  return database
}
