import { isFull } from '@mcp-toolkits/testing'
import { startPostgres, type PostgresServer } from '@mcp-toolkits/testing/postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backlogContract } from './backlog-contract.ts'
import { outboxStoreContract } from './contract.ts'
import { failingContract } from './failing-contract.ts'
import { keyContract } from './key-contract.ts'
import { parkingContract } from './parking-contract.ts'
import { deliveryWorkerContract } from './worker-contract.ts'
import { postgresOutbox } from './machine.ts'
import { destination, eventOf, idOf, submit } from './submit.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

describe('an outbox in PostgreSQL', () => {
  // In CI, these tests use PgBouncer, which supports less.
  if (isFull) {
    outboxStoreContract(() => postgresOutbox(server.directUrl))
    deliveryWorkerContract(() => postgresOutbox(server.directUrl))
    parkingContract(() => postgresOutbox(server.directUrl))
  }
  backlogContract(() => postgresOutbox(server.directUrl))
  keyContract(() => postgresOutbox(server.directUrl))
  failingContract(() => postgresOutbox(server.directUrl))
})

describe('an outbox in PostgreSQL behind PgBouncer', () => {
  outboxStoreContract(() => postgresOutbox(server.pooledUrl))
  deliveryWorkerContract(() => postgresOutbox(server.pooledUrl))
  parkingContract(() => postgresOutbox(server.pooledUrl))
})

it('a repeat is recognized by any messageId that JSON can represent', async () => {
  const { start } = await postgresOutbox(server.pooledUrl)
  const [first, second] = [(await start()).store, (await start()).store]
  const odd = { ...eventOf('ada'), messageId: 'a\u0000b\ud800' }
  const id = idOf(await submit(first, odd))
  expect(idOf(await submit(second, odd))).toBe(id)
  expect(idOf(await submit(second, { ...odd, messageId: 'a\u0000b\ud801' }))).not.toBe(id)
})

it('a replica that closes leaves its entries and its leases to others, for every destination', async () => {
  const { start } = await postgresOutbox(server.pooledUrl)
  const [closing, { store: other }] = [await start(), await start()]
  const elsewhere = { ...destination, account: { owner: 'other', profile: 'default' } }
  const left = [
    idOf(await submit(closing.store, eventOf('ada'))),
    idOf(await submit(closing.store, eventOf('carl'), { destination: elsewhere })),
  ]
  expect([await closing.store.acquireLease(destination), await other.acquireLease(elsewhere)]).toEqual([true, true])
  await closing.store.releaseLease(elsewhere)
  expect(await other.acquireLease(destination)).toBe(false)
  await closing.store.close()
  expect(await other.acquireLease(destination)).toBe(true)
  expect([await other.claimNext(destination), await other.claimNext(elsewhere)].map((entry) => entry?.id)).toEqual(left)
})
