import { startPostgres, type PostgresServer } from '@mcp-toolkits/testing/postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { outboxStoreContract } from './contract.ts'
import { deliveryWorkerContract } from './worker-contract.ts'
import { postgresOutbox } from './machine.ts'
import { destination, eventOf, idOf, submit } from './submit.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

describe('an outbox in PostgreSQL', () => {
  outboxStoreContract(() => postgresOutbox(server.directUrl))
  deliveryWorkerContract(() => postgresOutbox(server.directUrl))
})

describe('an outbox in PostgreSQL behind PgBouncer', () => {
  outboxStoreContract(() => postgresOutbox(server.pooledUrl))
  deliveryWorkerContract(() => postgresOutbox(server.pooledUrl))
})

it('a repeat is recognized by any messageId that JSON can hold', async () => {
  const { start } = await postgresOutbox(server.pooledUrl)
  const [first, second] = [(await start()).store, (await start()).store]
  const odd = { ...eventOf('ada'), messageId: 'a\u0000b\ud800' }
  const id = idOf(await submit(first, odd))
  expect(idOf(await submit(second, odd))).toBe(id)
  expect(idOf(await submit(second, { ...odd, messageId: 'a\u0000b\ud801' }))).not.toBe(id)
})

it('a store that closes leaves its entries and its lease to others, but not those of another store of its replica', async () => {
  const { start, startTwoOnOne } = await postgresOutbox(server.pooledUrl)
  const [[closing, staying], { store: other }] = [await startTwoOnOne(), await start()]
  const elsewhere = { ...destination, keyHash: 'of another person' }
  const left = idOf(await submit(closing, eventOf('ada')))
  const sent = [idOf(await submit(staying, eventOf('ben'))), idOf(await submit(staying, eventOf('carl'), { destination: elsewhere }))]
  expect([await closing.acquireLease(destination), await staying.acquireLease(elsewhere)]).toEqual([true, true])
  await closing.close()
  expect([await other.acquireLease(destination), await other.acquireLease(elsewhere)]).toEqual([true, false])
  const claimed = [await other.claimNext(destination), await other.claimNext(destination), await other.claimNext(elsewhere)]
  expect(claimed.map((entry) => entry?.id)).toEqual([left, undefined, undefined])
  for (const id of sent) await staying.recordDelivered(id, 200)
  expect((await other.entries(sent)).map(({ state, attempts }) => [state, attempts])).toEqual([
    ['delivered', 1],
    ['delivered', 1],
  ])
  await staying.releaseLease()
  expect(await other.acquireLease(elsewhere)).toBe(true)
})
