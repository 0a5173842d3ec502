import { type PostgresServer, startPostgres } from '@mcp-toolkits/testing/postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { elapse, until } from '../pipeline.ts'
import { replicatedOffice, startCompany } from './company.ts'
import { cancel, get, list, longRows, send } from './rows.ts'

/** Enough rows for three requests. With LONG=full, many replicas die. */
const rows = 600
const deaths = process.env['LONG'] === 'full' ? 50 : 2
const file = longRows(rows)

let database: PostgresServer
beforeAll(async () => {
  database = await startPostgres()
})
afterAll(() => database.stop())

const replicated = (options: Parameters<typeof startCompany>[2] = {}) =>
  startCompany(['anna', 'ben'], replicatedOffice(database.directUrl), options)

test('replicas that die during any request lose or duplicate no row, and the file keeps its owner', { timeout: 1_200_000 }, async () => {
  const { vendor, start, sent } = await replicated()
  for (let death = 0; death < deaths; death += 1) {
    const before = sent('anna').length
    const [dying, other] = [await start(), await start()]
    const { promise: never } = Promise.withResolvers<undefined>()
    let requests = 0
    const isStuck = () => requests > death % 3
    // The request takes effect, but its response never arrives.
    vendor.after = () => ((requests += 1) > death % 3 ? never : undefined)
    void dying.call('anna', send, { ...file, mapping: { ...file.mapping, 'properties.death': `=${death}` } })
    await elapse(other.clock, until(isStuck))
    expect(await other.call('ben', list)).toMatchObject({ backfills: [] })
    expect(await other.call('ben', cancel)).toMatchObject({ changed: false })
    vendor.after = () => undefined
    await dying.die()
    expect(await other.ended('anna')).toMatchObject({ outcome: 'delivered', rows: { read: rows, accepted: rows, refused: 0 } })
    expect(new Set(sent('anna').slice(before)).size).toBe(rows)
    expect(sent('anna')).toHaveLength(before + rows)
    await other.close()
  }
  expect(sent('ben')).toEqual([])
})

test('people who share a key see and leave behind only their own files', async () => {
  const { start } = await replicated({ sharedBy: 'team' })
  const [sending, other] = [await start(), await start()]
  const { backfill } = await sending.call('anna', send, file)
  expect(await other.call('ben', get, { backfill })).toMatchObject({ error: { code: 'not_found' } })
  expect(await other.call('ben', cancel)).toMatchObject({ changed: false })
  expect(await other.ended('anna')).toMatchObject({ backfill, outcome: 'delivered' })
  await other.forget('anna')
  expect(await sending.call('anna', list)).toMatchObject({ backfills: [] })
})

test('a replica that was taken for dead leaves its file to the one that took it over', async () => {
  const { vendor, start, sent } = await replicated()
  const [cut, other] = [await start(), await start()]
  const gates = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()]
  let requests = 0
  // The first request from one replica, and the second from the other.
  vendor.after = () => {
    requests += 1
    return requests === 1 ? gates[0]?.promise : requests === 3 ? gates[1]?.promise : undefined
  }
  const call = cut.call('anna', send, file)
  await elapse(
    other.clock,
    until(() => requests === 1),
  )
  await cut.die()
  await elapse(
    other.clock,
    until(() => requests === 3),
    1_000,
  )
  gates[0]?.resolve(undefined)
  await call
  gates[1]?.resolve(undefined)
  expect(await other.ended('anna')).toMatchObject({ outcome: 'delivered', rows: { accepted: rows } })
  expect(sent('anna')).toHaveLength(rows)
})

test('a replica cancels a file that another one is sending', async () => {
  const { vendor, start, sent } = await replicated()
  const [sending, other] = [await start(), await start()]
  const { promise: answered, resolve: answer } = Promise.withResolvers<undefined>()
  let isSent = false
  vendor.after = () => {
    isSent = true
    return answered
  }
  const call = sending.call('anna', send, file)
  await elapse(
    other.clock,
    until(() => isSent),
  )
  expect(await other.call('anna', cancel)).toMatchObject({ outcome: 'cancelled', changed: true })
  answer(undefined)
  await call
  expect(await sending.call('anna', get)).toMatchObject({ outcome: 'cancelled' })
  expect(sent('anna').length).toBeLessThan(rows)
})
