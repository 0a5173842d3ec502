import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { pipelinesEmulator } from '@mcp-toolkits/pipelines-emulator'
import { integer, openStore, text } from '@mcp-toolkits/sqlite'
import { connect } from '@mcp-toolkits/testing'
import { expect, onTestFinished, test } from 'vitest'
import { eventPipeline } from '../src/server.ts'
import { outboxFile } from '../src/upstream.ts'
import { acceptingKeys, execution, killedCopy, until } from './pipeline.ts'

const track = 'EventPipelineApi.TrackUserEvent'
const dayMs = 24 * 60 * 60 * 1000
const of = (userId: string) => execution({ userId, event: 'Paid', messageId: userId })

/** A vendor whose responses `gate` holds back, and processes that share one data directory. */
async function sharedOutbox(gate: Promise<unknown> = Promise.resolve()) {
  const dataDirectory = await mkdtemp(path.join(tmpdir(), 'outbox-'))
  onTestFinished(() => rm(dataDirectory, { recursive: true, force: true }))
  const emulator = pipelinesEmulator({ seed: 'empty', apiKey: 'test-key' })
  const environment = { EVENT_PIPELINE_API_KEY: 'test-key' }
  const fetch: typeof emulator.fetch = async (input, init) => {
    const response = await emulator.fetch(input, init)
    await gate
    return response
  }
  const open = (clock: ManualClock, directory = dataDirectory) =>
    connect(eventPipeline, { dataDirectory: directory, environment, fetch: acceptingKeys(fetch), clock })
  return { emulator, open, dataDirectory }
}

test.for([
  ['set back a day', -dayMs],
  ['set forward a day', dayMs],
] as const)('sends a queued event in time, once, when the clock is %s', async ([, jump]) => {
  const { emulator, open } = await sharedOutbox()
  const clock = new ManualClock()
  emulator.faults.add({ times: 5, action: { kind: 'status', status: 503 } })
  await using server = await open(clock)
  expect(await server.call(track, of('ada'))).toMatchObject({ outcome: 'queued' })
  clock.jump(jump)
  await clock.advance(5_000)
  await until(() => emulator.store.events().length === 1)
  expect(emulator.store.requests().length).toBe(6)
})

test('sends the events that an earlier process left before the clock was set back, and holds back no others', async () => {
  const { emulator, open } = await sharedOutbox()
  const clock = new ManualClock()
  emulator.faults.add({ action: { kind: 'status', status: 429, retry_after: 600 } })
  {
    await using earlier = await open(clock)
    expect(await earlier.call(track, of('ada'))).toMatchObject({ outcome: 'queued' })
  }
  clock.jump(-dayMs)
  await using server = await open(clock)
  expect(await server.call(track, of('bob'))).toMatchObject({ outcome: 'delivered' })
  await clock.advance(1_000)
  await until(() => emulator.store.events().length === 2)
})

test.for([
  ['back', -dayMs],
  ['forward', dayMs],
] as const)('leaves an event to the process that is sending it when the clock is set %s', async ([, jump]) => {
  const gate = Promise.withResolvers<undefined>()
  const { emulator, open } = await sharedOutbox(gate.promise)
  const clock = new ManualClock()
  await using server = await open(clock)
  await using other = await open(clock)
  const call = server.call(track, of('ada'))
  await until(() => emulator.store.requests().length === 1)
  const waiting = other.call(track, of('ada'))
  await clock.advance(100)
  clock.jump(jump)
  for (let seconds = 0; seconds < 5; seconds += 1) await clock.advance(1_000)
  gate.resolve(undefined)
  await clock.advance(1_000)
  expect(await Promise.all([call, waiting])).toMatchObject([{ outcome: 'delivered' }, { outcome: 'delivered' }])
  expect(emulator.store.requests().length).toBe(1)
})

test('takes over from a process that died before the clock was set back', async () => {
  const { emulator, open, dataDirectory } = await sharedOutbox()
  emulator.faults.add({ action: { kind: 'hang' } })
  await using running = await open(new ManualClock())
  const lost = running.call(track, of('ada')).catch(() => undefined)
  await until(() => emulator.store.requests().length === 1)
  const clock = new ManualClock()
  clock.jump(-dayMs)
  await using server = await open(clock, await killedCopy(dataDirectory))
  await server.call(track, of('bob'))
  await clock.advance(1_000)
  await until(() => emulator.store.events().length === 2)
  expect(emulator.store.events().map(({ message_id: id }) => id)).toEqual(['bob', 'ada'])
  await running.client.close()
  await lost
})

test('recognizes a repeat after the clock was set forward by a month', async () => {
  const { emulator, open } = await sharedOutbox()
  const clock = new ManualClock()
  await using server = await open(clock)
  await server.call(track, of('ada'))
  clock.jump(30 * dayMs)
  await clock.advance(120_000)
  await server.call(track, of('bob'))
  const { notices } = await server.call(track, of('ada'))
  expect(JSON.stringify(notices)).toContain('was not sent again')
  expect(emulator.store.requests().length).toBe(2)
})

test('leaves an event to the process that is sending it while a third process locks the outbox', async () => {
  const gate = Promise.withResolvers<undefined>()
  const { emulator, open, dataDirectory } = await sharedOutbox(gate.promise)
  const clock = new ManualClock({ skipSleeps: false })
  await using server = await open(clock)
  await using other = await open(clock)
  const call = server.call(track, of('ada'))
  await until(() => emulator.store.requests().length === 1)
  const waiting = other.call(track, of('ada'))
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 20) await clock.advance(20)
  }
  await pass(1_200)
  const third = openStore({ file: outboxFile({ dataDirectory }) })
  third.script('begin immediate')
  // Longer than a worker lives without a heartbeat, and shorter than an attempt may take.
  await pass(6_000)
  third.script('commit')
  await third.close()
  await pass(500)
  gate.resolve(undefined)
  await pass(3_000)
  await Promise.all([call, waiting])
  expect(emulator.store.requests().length).toBe(1)
})

test('forgets events delivered a week ago while it runs, however many there are', async () => {
  const { open, dataDirectory } = await sharedOutbox()
  const clock = new ManualClock()
  await using server = await open(clock)
  expect(await server.call(track, of('ada'))).toMatchObject({ outcome: 'delivered' })
  const other = openStore({ file: outboxFile({ dataDirectory }) })
  const names = other.rows({ name: text }, `select name from pragma_table_info('entries') where name != 'id'`)
  const columns = names.map(({ name }) => name)
  const selected = columns.map((name) => (name === 'settled_at' ? `settled_at - ${8 * dayMs}` : name)).join(', ')
  const numbers = `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 1200) select`
  other.run(`insert into entries (${columns.join(', ')}) ${numbers} ${selected} from entries, numbers`)
  const count = () => other.rows({ count: integer }, 'select count(*) as count from entries')[0]?.count
  expect(count()).toBe(1_201)
  await clock.advance(60_000)
  await until(async () => {
    await clock.advance(2_000)
    return count() === 1
  })
  await other.close()
})
