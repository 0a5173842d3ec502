import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { migrate, storeMigrations } from '../../src/postgres/migrations.ts'
import { postgresIdempotency } from '../../src/postgres/idempotency-records.ts'
import { postgresLocks } from '../../src/postgres/locks.ts'
import { openReplica } from '../../src/postgres/replica.ts'
import { integer } from '../../../sqlite/src/store.ts'
import { startChild } from '../../../sqlite/test/child.ts'
import { newSchema, routes, testDatabase, usePostgres } from './server.ts'

const postgres = usePostgres()
const lifetimeMs = 1_000

const startReplica = (url: string, schema: string) =>
  startChild(path.join(import.meta.dirname, 'process.ts'), [url, schema, `${lifetimeMs}`])

describe.each(routes)('replicas on PostgreSQL, %s', (route) => {
  it('that start at the same time migrate once', async () => {
    const [url, schema] = [postgres.url(route), newSchema()]
    const replicas = Array.from({ length: 4 }, () => startReplica(url, schema))
    expect(await Promise.all(replicas.map(({ next }) => next()))).toEqual(replicas.map(() => 'ready'))
    const database = testDatabase({ url, schema })
    expect(await database.rows({ version: integer }, 'select version from schema.versions')).toEqual([
      { version: storeMigrations.scripts.length },
    ])
  })

  it('take over the operation of one that is killed, once it no longer counts as alive', async () => {
    const [url, schema] = [postgres.url(route), newSchema()]
    const dying = startReplica(url, schema)
    await dying.next()
    const database = testDatabase({ url, schema })
    const store = postgresIdempotency({ database, replica: await openReplica(database) })
    const request = { account: 'ada', tool: 'CreateIssue', argumentsHash: 'key-1', key: 'key-1' }
    expect(await dying.ask('begin key-1')).toMatchObject({ kind: 'begun', isRepeat: false })
    expect(await store.find(request)).toEqual({ kind: 'running' })
    await dying.end('SIGKILL')
    await expect.poll(() => store.find(request)).toBeUndefined()
    expect(await store.claim(request, 'other')).toMatchObject({ kind: 'begun', isRepeat: true })
  })

  it('work under more locks than they have connections for, one after the other', async () => {
    const locks = postgresLocks(testDatabase({ url: postgres.url(route) }))
    const names = Array.from({ length: 20 }, (_, number) => `name ${number}`)
    // Together, this takes longer than a statement waits for a connection.
    const held = names.map((name) => locks.withLock(name, () => setTimeout(2_000, name)))
    expect(await Promise.all(held)).toEqual(names)
  })

  it('get the lock of one that is killed at once', async () => {
    const [url, schema] = [postgres.url(route), newSchema()]
    const dying = startReplica(url, schema)
    await dying.next()
    expect(await dying.ask('hold name')).toBe('held')
    const next = postgresLocks(testDatabase({ url, schema })).withLock('name', () => Promise.resolve(performance.now()))
    await setTimeout(100)
    const killedAt = performance.now()
    await dying.end('SIGKILL')
    expect((await next) - killedAt).toBeLessThan(1_000)
  })

  it('that die, on a server that crashes meanwhile, run each key once and all have its result', { timeout: 120_000 }, async () => {
    const [url, schema] = [postgres.url(route), newSchema()]
    const [dying, ...others] = [1, 2, 3].map(() => startReplica(url, schema))
    for (const replica of [dying, ...others]) await replica?.next()
    const names = Array.from({ length: 200 }, (_, number) => `key-${number}`)
    const command = `call ${names.join(' ')}`
    const answers = Promise.all(others.map(({ ask }) => ask(command)))
    dying?.ask(command).catch(() => undefined)
    await setTimeout(150)
    await dying?.end('SIGKILL')
    await postgres.server.crash()
    await setTimeout(500)
    await postgres.server.restart()
    const [first, second] = await answers
    expect(first).toHaveLength(names.length)
    expect(second).toEqual(first)
  })
})

describe('a database that cannot be used', () => {
  it('is named without its password, and said to be away or to refuse', async () => {
    const problemOf = async (url: string) => {
      const database = testDatabase({ url })
      return migrate(database, storeMigrations).catch((error: unknown) => error)
    }
    const away = await problemOf('postgres://ada:secret@127.0.0.1:1/tracker')
    expect(away).toMatchObject({ problem: 'unreachable', file: 'postgres://127.0.0.1:1/tracker' })
    expect(String(away)).not.toContain('secret')
    const unknown = postgres.server.directUrl.replace(/\/postgres$/, '/unknown')
    expect(await problemOf(unknown)).toMatchObject({ problem: 'denied' })
  })

  it('loses no lock in silence', async () => {
    const database = testDatabase({ url: postgres.server.directUrl })
    const work = postgresLocks(database).withLock('name', async (signal) => {
      await postgres.server.crash()
      await expect.poll(() => signal.aborted).toBe(true)
      await postgres.server.restart()
    })
    await work
  })
})

describe('the tables of a later release', () => {
  it('are used as they are, and lose nothing', async () => {
    const database = testDatabase({ url: postgres.server.directUrl })
    const later = { ...storeMigrations, scripts: [...storeMigrations.scripts, 'alter table schema.operations add column later text'] }
    await migrate(database, later)
    await migrate(database, storeMigrations)
    await migrate(database, later)
    const store = postgresIdempotency({ database, replica: await openReplica(database) })
    const request = { account: 'ada', tool: 'CreateIssue', argumentsHash: 'hash' }
    expect(await store.claim(request, 'identity')).toMatchObject({ kind: 'begun', isRepeat: false })
  })
})
