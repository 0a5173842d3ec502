import { expect, test } from 'vitest'
import { elapse } from '../pipeline.ts'
import { keyOf, localOffice, startCompany } from './company.ts'
import { cancel, csvOf, get, list, mapping, send } from './rows.ts'

const rows = 3
const file = { text: csvOf(rows), call: 'track', mapping }
const minute = 60_000

/** Two people, of whom Anna has handed over a file while Customer.io is away. */
async function waiting() {
  const company = await startCompany(['anna', 'ben'], await localOffice())
  const { vendor, start } = company
  const server = await start()
  vendor.before = () => {
    throw new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) })
  }
  const { backfill } = await server.call('anna', send, file)
  const back = () => (vendor.before = () => undefined)
  return { ...company, server, backfill, back }
}

test('only its own person can see, repeat or cancel a backfill', async () => {
  const { server, backfill, back, sent } = await waiting()
  const { call, ended } = server
  expect(await call('ben', list)).toMatchObject({ backfills: [] })
  expect(await call('ben', get)).not.toHaveProperty('backfill')
  for (const tool of [get, cancel]) expect(await call('ben', tool, { backfill })).toMatchObject({ error: { code: 'not_found' } })
  expect(await call('ben', cancel)).toMatchObject({ changed: false })
  back()
  expect(await call('ben', send, file)).toMatchObject({ outcome: 'delivered' })
  expect(await call('anna', get)).toMatchObject({ backfill, rows: { read: rows } })
  await ended('anna')
  expect([sent('anna').length, sent('ben').length]).toEqual([rows, rows])
})

test('the next process sends what a person has handed over, without a call', async () => {
  const { server, start, back, sent } = await waiting()
  await server.close()
  back()
  const next = await start()
  expect(await next.ended('anna')).toMatchObject({ outcome: 'delivered', rows: { accepted: rows } })
  expect(sent('anna')).toEqual(['u-0', 'u-1', 'u-2'])
})

test('a file waits while the key of its person is another, and goes on with that key once it is entered again', async () => {
  const { server, backfill, back, sent } = await waiting()
  const { clock, enter, ended } = server
  expect(await enter('anna', keyOf('ben'))).toContain('on hold')
  back()
  await elapse(clock, clock.sleep(10 * minute), minute)
  expect([sent('anna'), sent('ben')]).toEqual([[], []])
  await enter('anna')
  expect(await ended('anna')).toMatchObject({ backfill, outcome: 'delivered', rows: { accepted: rows } })
  expect([sent('anna').length, sent('ben').length]).toEqual([rows, 0])
})
