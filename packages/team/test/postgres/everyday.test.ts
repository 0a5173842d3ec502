import { runsPostgres } from '../../../testing/src/postgres/postgres.ts'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { StoreError } from '@mcp-toolkits/sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { locksContract } from '../../../server/test/storage/locks-contract.ts'
import { peopleContract } from '../people-contract.ts'
import type { Database } from '../../src/postgres/database.ts'
import { postgresLocks } from '../../src/postgres/locks.ts'
import { migrate, storeMigrations } from '../../src/postgres/migrations.ts'
import { postgresIdempotency } from '../../src/postgres/idempotency-records.ts'
import { openReplica } from '../../src/postgres/replica.ts'
import { postgresLockProcesses, postgresMachine, postgresPeopleProcesses } from './machine.ts'
import { newSchema, testDatabase, usePostgres } from './server.ts'

// The part of the tests on PostgreSQL that runs every day; the rest is in the long files beside this one.
describe.runIf(runsPostgres())('PostgreSQL behind PgBouncer', () => {
  const postgres = usePostgres()

  locksContract(() => postgresLockProcesses(postgres.server.pooledUrl))

  it('call locks, however long they are held, leave room for other locks', async () => {
    const database = testDatabase({ url: postgres.server.pooledUrl, schema: newSchema() })
    const locks = postgresLocks(database)
    const { promise: released, resolve: release } = Promise.withResolvers<undefined>()
    let held = 0
    const keep = () => ((held += 1), released)
    const uploads = Array.from({ length: 5 }, (_, index) => locks.withLock(`content ${index}`, keep, { isOfCall: true }))
    await expect.poll(() => held).toBe(4)
    expect(await locks.withLock('login', () => Promise.resolve('refreshed'))).toBe('refreshed')
    expect(database.pools()).toContainEqual({ pool: 'locks', busy: 4, idle: 1, waiting: 1 })
    release(undefined)
    await Promise.all(uploads)
  })

  describe('people', () => {
    peopleContract(() => postgresPeopleProcesses(postgres.server.pooledUrl))
  })

  it('keeps the result of an operation, and leaves one of a dead process to the next call', async () => {
    const { start } = await postgresMachine(postgres.server.pooledUrl)
    const [first, second] = [await start(), await start()]
    const request = { account: 'ada', tool: 'CreateIssue', argumentsHash: 'hash' }
    const keyed = await first.store.claim({ ...request, key: 'key' }, 'identity')
    if (keyed.kind === 'begun') await first.store.complete(keyed.id, 'result')
    expect(await second.store.claim({ ...request, key: 'key' }, 'identity')).toEqual({ kind: 'done', result: 'result' })
    await first.store.claim(request, 'identity')
    await first.kill()
    expect(await second.store.claim(request, 'identity')).toMatchObject({ kind: 'begun', identity: 'identity', isRepeat: true })
  })

  /** Two stores of records; `faults` disturb the first one. */
  const twoStores = async (faults: { onTakeOver?: () => Promise<unknown>; onRun?: (sql: string) => void }) => {
    const options = { url: postgres.server.pooledUrl, schema: newSchema() }
    const [database, other] = [testDatabase(options), testDatabase(options)]
    await migrate(database, storeMigrations)
    const open = async (on: Database) => {
      const replica = await openReplica(on)
      onTestFinished(replica.close)
      return postgresIdempotency({ database: on, replica, clock: new ManualClock() })
    }
    const transaction: Database['transaction'] = (work, ...rest) =>
      database.transaction(
        (real) => {
          const rows: typeof real.rows = async (columns, sql, values) => {
            if (sql.startsWith('update')) await faults.onTakeOver?.()
            return real.rows(columns, sql, values)
          }
          return work({ ...real, rows })
        },
        ...rest,
      )
    const run: Database['run'] = async (sql, values) => {
      faults.onRun?.(sql)
      return database.run(sql, values)
    }
    const { location, schema, reading } = database
    const unused = { reserve: () => database.reserve(), pools: () => database.pools(), close: () => database.close() }
    const faulty = {
      ...unused,
      location,
      schema,
      reading,
      transaction,
      run,
      rows: database.rows.bind(database),
      script: database.script.bind(database),
    }
    return { faulty: await open(faulty), store: await open(other) }
  }
  const request = { account: 'ada', tool: 'CreateIssue', argumentsHash: 'hash' }

  it('looks again for an operation that another call takes over first', async () => {
    let isFirst = true
    const onTakeOver = async () => {
      if (isFirst) expect(await store.claim(request, 'second')).toMatchObject({ kind: 'begun', isRepeat: true })
      isFirst = false
    }
    const { faulty, store } = await twoStores({ onTakeOver })
    const abandoned = await store.claim(request, 'first')
    if (abandoned.kind === 'begun') await store.abandon(abandoned.id)
    expect(await faulty.claim({ ...request, key: 'late', isLateKey: true }, 'third')).toEqual({ kind: 'running' })
  })

  it('an end that cannot be written blocks only repeats of that operation, until it is', async () => {
    let fails = false
    const onRun = (sql: string) => {
      if (fails && sql.includes('schema.operations')) throw new StoreError('full', 'PostgreSQL', 'There is no space left.')
    }
    const { faulty } = await twoStores({ onRun })
    const keyed = { ...request, key: 'key' }
    const begun = await faulty.claim(keyed, 'identity')
    fails = true
    if (begun.kind === 'begun') await expect(faulty.complete(begun.id, 'result')).rejects.toThrow('no space')
    expect(await faulty.claim({ ...request, key: 'other' }, 'identity')).toMatchObject({ kind: 'begun', isRepeat: false })
    await expect(faulty.begin(keyed)).rejects.toThrow('no space')
    fails = false
    expect(await faulty.begin(keyed)).toEqual({ kind: 'done', result: 'result' })
  })
})
