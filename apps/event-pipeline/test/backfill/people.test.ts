import { expect, test } from 'vitest'
import { elapse, until } from '../pipeline.ts'
import { keyOf, localOffice, startCompany } from './company.ts'
import { cancel, csvOf, get, list, mapping, send } from './rows.ts'

const rows = 3
const file = { text: csvOf(rows), call: 'track', mapping }
const minute = 60_000

/** Two people, of whom Anna has submitted a file while Customer.io is down. */
async function waiting(options: Parameters<typeof startCompany>[2] = {}) {
  const company = await startCompany(['anna', 'ben'], await localOffice(), options)
  const { vendor, start } = company
  const server = await start()
  vendor.before = () => {
    throw new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) })
  }
  const { backfill } = await server.call('anna', send, file)
  const back = () => (vendor.before = () => undefined)
  return { ...company, server, backfill, back }
}

test('only the person who started a backfill can see, repeat or cancel it', async () => {
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

test('people who share a key see, repeat, cancel and leave behind only their own files', async () => {
  const { server, backfill, back, sent } = await waiting({ sharedBy: 'team' })
  const { call, ended, forget } = server
  const untimed = { text: 'userId,event\nu-1,Paid', call: 'track' }
  expect(await call('ben', list)).toMatchObject({ backfills: [] })
  expect(await call('ben', get)).not.toHaveProperty('backfill')
  for (const tool of [get, cancel]) expect(await call('ben', tool, { backfill })).toMatchObject({ error: { code: 'not_found' } })
  expect(await call('ben', cancel)).toMatchObject({ changed: false })
  back()
  expect(await ended('anna')).toMatchObject({ backfill, outcome: 'delivered' })
  for (const subject of ['anna', 'ben']) expect(await call(subject, send, untimed)).toMatchObject({ outcome: 'delivered' })
  // Without a time, equal rows from two people are two events.
  expect(sent('team')).toEqual(['u-0', 'u-1', 'u-2', 'u-1', 'u-1'])
  await forget('anna')
  expect(await call('anna', list)).toMatchObject({ backfills: [] })
  expect(await call('ben', list)).toMatchObject({ backfills: [{ rows: { accepted: 1 } }] })
})

test('counts the request that was in flight when its file was cancelled', async () => {
  const { start, vendor } = await startCompany(['anna'], await localOffice())
  const { call, clock } = await start()
  const { promise: answered, resolve: answer } = Promise.withResolvers<undefined>()
  let isSent = false
  vendor.after = () => {
    isSent = true
    return answered
  }
  const sending = call('anna', send, file)
  await elapse(
    clock,
    until(() => isSent),
  )
  const cancelled = await call('anna', cancel)
  expect(cancelled).toMatchObject({ outcome: 'cancelled', changed: true, rows: { accepted: 0 } })
  expect(cancelled['notices']).toEqual(['A request that was on its way may still be accepted. EventPipelineApi_GetBackfill counts it.'])
  answer(undefined)
  await sending
  await elapse(clock, clock.sleep(1_000))
  expect(await call('anna', get)).toMatchObject({ outcome: 'cancelled', rows: { accepted: rows } })
})

test('the next process sends the file that a person has submitted, without a call', async () => {
  const { server, start, back, sent } = await waiting()
  await server.close()
  back()
  const next = await start()
  expect(await next.ended('anna')).toMatchObject({ outcome: 'delivered', rows: { accepted: rows } })
  expect(sent('anna')).toEqual(['u-0', 'u-1', 'u-2'])
})

test('a file waits while its person uses a different key, and continues once its own key is entered again', async () => {
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
