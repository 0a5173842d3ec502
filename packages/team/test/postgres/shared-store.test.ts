import { randomBytes } from 'node:crypto'
import { systemClock } from '@mcp-toolkits/core/base'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { type LimitsStorage, openSharedLimits } from '@mcp-toolkits/core/upstream'
import { text } from '@mcp-toolkits/sqlite'
import { runsPostgres } from '../../../testing/src/postgres/postgres.ts'
import { describe, expect, it, onTestFinished } from 'vitest'
import { inspectSharedStore, openSharedStore } from '../../src/postgres/index.ts'
import type { VaultKey } from '../../src/vault/sealer.ts'
import { newSchema, testDatabase, usePostgres } from './server.ts'

const day = 24 * 60 * 60_000
const login = { server: 'acme', profile: 'default' }
const newKey = (id: string): VaultKey => ({ id, bytes: randomBytes(32) })

describe.runIf(runsPostgres())('the shared store', () => {
  const postgres = usePostgres()
  const open = async (schema: string, keys: readonly VaultKey[]) => {
    const store = await openSharedStore({ url: postgres.server.pooledUrl, schema, keys, clock: systemClock })
    onTestFinished(() => store.close())
    return store
  }

  it('has one state key and one way to make digests on all replicas, whatever their keys', async () => {
    const [schema, former, present] = [newSchema(), newKey('former'), newKey('present')]
    const first = await Promise.all([1, 2, 3].map(() => open(schema, [former])))
    const rotating = await open(schema, [present, former])
    const rotated = await open(schema, [present])
    const all = [...first, rotating, rotated]
    expect(new Set(all.map(({ stateKey }) => Buffer.from(stateKey).toString('hex'))).size).toBe(1)
    expect(new Set(all.map(({ sealer }) => sealer.digest('ada'))).size).toBe(1)
    expect(rotated.stateKey).toHaveLength(32)
    expect((await open(newSchema(), [former])).stateKey).not.toEqual(rotated.stateKey)
  })

  it('takes a keyword of SQL as the name of its schema', async () => {
    const store = await open('authorization', [newKey('key')])
    await store.logins.write(login, '{}')
    expect(await store.logins.read(login)).toBe('{}')
  })

  it('seals logins again for a new key, after which the former one is not needed', async () => {
    const [schema, former, present] = [newSchema(), newKey('former'), newKey('present')]
    const store = await open(schema, [former])
    await store.logins.write(login, '{"token":"t"}')
    await expect(open(schema, [present])).rejects.toMatchObject({ code: 'ERR_STORE', problem: 'sealed' })
    await open(schema, [present, former])
    expect(await (await open(schema, [present])).logins.read(login)).toBe('{"token":"t"}')
    expect(await inspectSharedStore({ url: postgres.server.directUrl, schema, keys: [present] }).then(closed)).toMatchObject({
      sealedRows: { present: 3 },
    })
  })

  it('says that data under an unknown key cannot be read, instead of saying that there is none', async () => {
    const [schema, key, other] = [newSchema(), newKey('key'), newKey('other')]
    const store = await open(schema, [key])
    const others = await open(schema, [other, key])
    await others.logins.write(login, '{}')
    await expect(store.logins.read(login)).rejects.toMatchObject({ problem: 'sealed' })
    await expect(store.logins.read(login)).rejects.toThrow('sealed with the key other')
    const request = { account: 'ada', tool: 'Send', argumentsHash: 'hash', key: 'key' }
    const begun = await others.operations.claim(request, 'identity')
    if (begun.kind === 'begun') await others.operations.complete(begun.id, 'result')
    await expect(store.operations.claim(request, 'again')).rejects.toMatchObject({ problem: 'sealed' })
  })

  it('is inspected without being changed', async () => {
    const [schema, key] = [newSchema(), newKey('key')]
    const inspect = async (keys = [key]) => closed(await inspectSharedStore({ url: postgres.server.directUrl, schema, keys }))
    expect(await inspect()).toMatchObject({ version: 0, replicas: 0, sealedRows: {} })
    const database = testDatabase({ url: postgres.server.directUrl, schema })
    expect(await database.run(`select 1 from pg_namespace where nspname = :schema`, { schema })).toBe(0)
    await open(schema, [key])
    expect(await inspect()).toMatchObject({ version: 3, ownVersion: 3, replicas: 1, sealedRows: { key: 2 } })
    await database.run(`update schema.versions set version = 4`)
    expect(await inspect()).toMatchObject({ version: 4, ownVersion: 3 })
    await expect(inspect([newKey('key')])).rejects.toMatchObject({ problem: 'sealed' })
  })

  it('deletes all records that have expired, however many they are', async () => {
    const schema = newSchema()
    const store = await open(schema, [newKey('key')])
    const database = testDatabase({ url: postgres.server.directUrl, schema })
    await database.run(`insert into schema.expiring_records (owner, kind, name, value, expires_at)
      select 'ada', 'kind', number::text, '', now() from generate_series(1, 2500) as number`)
    await store.records.set({ owner: 'ada', kind: 'kind', name: 'name' }, 'text', 60_000)
    await expect.poll(() => database.run('select 1 from schema.expiring_records')).toBe(1)
  })

  it('deletes the limits of accounts to which nothing has happened for a day, and those that cannot be read', async () => {
    const [schema, clock] = [newSchema(), new ManualClock()]
    const store = await openSharedStore({ url: postgres.server.pooledUrl, schema, keys: [newKey('key')], clock })
    onTestFinished(() => store.close())
    const database = testDatabase({ url: postgres.server.directUrl, schema })
    const report = async (account: string, ago = 0) => {
      const storage: LimitsStorage = {
        ...store.limits,
        change: (name, change) => store.limits.change(name, ({ state, now }) => change({ state, now: now - ago })),
      }
      const limits = await openSharedLimits({ storage, account: () => Promise.resolve(account), clock: systemClock })
      await limits.report({}, { outcome: 'refused', holds: [{ covers: 'account' }] })
    }
    const accounts = async () => {
      const rows = await database.rows({ account: text }, 'select account from schema.upstream_limits order by account')
      return rows.map(({ account }) => account)
    }
    await database.run(`insert into schema.upstream_limits values ('unreadable', 'no JSON')`)
    await report('present')
    await expect.poll(accounts).toEqual(['present'])
    await report('former', 2 * day)
    expect(await accounts()).toEqual(['former', 'present'])
    await clock.advance(60_000)
    await report('present')
    await expect.poll(accounts).toEqual(['present'])
  })

  it('shows that a replica is alive although slow statements use all its connections', async () => {
    const [schema, clock] = [newSchema(), new ManualClock()]
    const store = await openSharedStore({ url: postgres.server.pooledUrl, schema, keys: [newKey('key')], clock })
    onTestFinished(() => store.close())
    const { promise: ended, resolve: end } = Promise.withResolvers<undefined>()
    let begun = 0
    const slow = Array.from({ length: 10 }, () => store.database.transaction(() => ((begun += 1), ended)))
    await expect.poll(() => begun).toBe(10)
    const database = testDatabase({ url: postgres.server.directUrl, schema })
    const lifetime = async () => (await database.rows({ alive: text }, 'select alive_until::text as alive from schema.replicas'))[0]?.alive
    const before = await lifetime()
    await clock.advance(1_000)
    await expect.poll(lifetime).not.toBe(before)
    end(undefined)
    await Promise.all(slow)
  })

  it('is ready with all tables, and a later release leaves it so', async () => {
    const schema = newSchema()
    const store = await open(schema, [newKey('key')])
    const database = testDatabase({ url: postgres.server.directUrl, schema })
    await expect(store.checkReady()).resolves.toBeUndefined()
    await database.run('update schema.versions set version = 4')
    await expect(store.checkReady()).resolves.toBeUndefined()
    await database.run('update schema.versions set version = 2')
    await expect(store.checkReady()).rejects.toThrow('lacks tables of this server')
  })
})

async function closed<Inspection extends { readonly close: () => Promise<void> }>(inspection: Inspection): Promise<Inspection> {
  await inspection.close()
  return inspection
}
