import { systemClock } from '@mcp-toolkits/core/base'
import { ManualClock } from '@mcp-toolkits/core/testing'
import type { OpenLimits } from '../../../core/test/upstream-limits-contract.ts'
import { openSharedLimits } from '@mcp-toolkits/core/upstream'
import type { PoolClient } from 'pg'
import { onTestFinished } from 'vitest'
import { sharedTokenStore } from '../../src/accounts/shared-login-store.ts'
import type { TokenStore } from '../../../server/src/account/tokens/login-store.ts'
import { openDatabase } from '../../src/postgres/database.ts'
import { postgresRecords } from '../../src/postgres/expiring-records.ts'
import { postgresIdempotency } from '../../src/postgres/idempotency-records.ts'
import { postgresLimits, openSharedStore } from '../../src/postgres/shared-store.ts'
import { postgresLocks } from '../../src/postgres/locks.ts'
import { postgresLogins } from '../../src/postgres/logins.ts'
import { migrate, storeMigrations } from '../../src/postgres/migrations.ts'
import { openReplica } from '../../src/postgres/replica.ts'
import type { StoreMachine } from '../../../server/test/storage/idempotency-store-contract.ts'
import type { LockProcesses } from '../../../server/test/storage/locks-contract.ts'
import type { PeopleProcesses } from '../people-contract.ts'
import type { RecordProcesses } from '../../../server/test/storage/records-contract.ts'
import { newSchema, testDatabase } from './server.ts'

/** A test clock that replaces the database's clock, so that no time passes on its own. */
function databaseClock() {
  const clock = new ManualClock()
  return { clock, now: () => momentOf(clock.monotonic()) }
}

const momentOf = (ms: number) => `(timestamptz '2026-01-01 00:00Z' + ${ms} * interval '1 ms')`

/** A machine whose processes keep their records in PostgreSQL. Restarting it does not affect the database's clock. */
export function postgresMachine(url: string): Promise<StoreMachine> {
  const schema = newSchema()
  let clock = new ManualClock()
  let passedMs = 0
  const now = () => momentOf(passedMs + clock.monotonic())
  const kills = new Set<() => Promise<void>>()
  const killAll = async () => {
    for (const kill of kills) await kill()
  }
  onTestFinished(killAll)
  return Promise.resolve({
    usesHeartbeats: true,
    get clock() {
      return clock
    },
    async start() {
      const database = openDatabase({ url, schema, maxConnections: 4, now })
      await migrate(database, storeMigrations)
      const replica = await openReplica(database)
      const store = postgresIdempotency({ database, replica, clock })
      const kill = async () => {
        if (!kills.delete(kill)) return
        await replica.close()
        await database.close()
      }
      kills.add(kill)
      return { store, kill }
    },
    async reboot(ms) {
      await killAll()
      passedMs += clock.monotonic() + Math.max(0, ms)
      clock = new ManualClock({ start: clock.now() + ms })
    },
  })
}

/** Processes whose locks are in PostgreSQL. Killing one breaks its connections. */
export function postgresLockProcesses(url: string): Promise<LockProcesses> {
  const schema = newSchema()
  return Promise.resolve({
    start() {
      const database = testDatabase({ url, schema })
      const held = new Set<PoolClient>()
      const reserve = async (isOfCall?: boolean) => {
        const client = await database.reserve(isOfCall)
        held.add(client)
        return client
      }
      const kill = async () => {
        await Promise.all([...held].map((client) => client.end()))
      }
      return Promise.resolve({ locks: postgresLocks({ location: database.location, schema, reserve }), kill })
    },
  })
}

/** Processes whose expiring records are in PostgreSQL. */
export function postgresRecordProcesses(url: string): Promise<RecordProcesses> {
  const schema = newSchema()
  const { clock, now } = databaseClock()
  return Promise.resolve({
    clock,
    async start() {
      const database = testDatabase({ url, schema, now })
      await migrate(database, storeMigrations)
      const replica = await openReplica(database)
      return { records: postgresRecords({ database, replica, clock }), kill: replica.close }
    },
  })
}

/** An account's limits, in PostgreSQL. */
export async function openPostgresLimits(url: string): Promise<OpenLimits> {
  const { clock, now } = databaseClock()
  const database = testDatabase({ url, now })
  await migrate(database, storeMigrations)
  return { clock, limits: await openSharedLimits({ storage: postgresLimits(database), account: () => Promise.resolve('ada'), clock }) }
}

/** Two processes whose logins are in PostgreSQL. */
export async function postgresTokenStores(url: string): Promise<readonly [TokenStore, TokenStore]> {
  const schema = newSchema()
  const open = () => {
    const database = testDatabase({ url, schema })
    return { database, store: sharedTokenStore(postgresLogins(database), postgresLocks(database)) }
  }
  const [first, second] = [open(), open()]
  await migrate(first.database, storeMigrations)
  return [first.store, second.store]
}

/** Processes that act for people in PostgreSQL. */
export function postgresPeopleProcesses(url: string): Promise<PeopleProcesses> {
  const schema = newSchema()
  return Promise.resolve({
    async pass() {
      await testDatabase({ url, schema }).run('select pg_sleep(0.002)')
    },
    async start(keys) {
      const state = await openSharedStore({ url, schema, keys, clock: systemClock })
      onTestFinished(state.close)
      return { state, operations: state.operations, sealedRows: state.sealedRows([]) }
    },
  })
}
