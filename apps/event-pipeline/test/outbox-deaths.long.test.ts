import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { Secret } from '@mcp-toolkits/core/upstream'
import { pipelinesEmulator } from '@mcp-toolkits/pipelines-emulator'
import { openAsyncStore, openProcessLock, openStore } from '@mcp-toolkits/sqlite'
import { connect, shareOf, startProgram } from '@mcp-toolkits/testing'
import { expect, onTestFinished, test } from 'vitest'
import { DeliveryWorker } from '../src/outbox/delivery-worker.ts'
import { migrations } from '../src/outbox/sqlite/migrations.ts'
import { OutboxWatcher } from '../src/outbox/outbox-watcher.ts'
import { SqliteOutboxStore } from '../src/outbox/sqlite/store.ts'
import { WorkerRegistration } from '../src/outbox/workers.ts'
import { pipelinesClient } from '../src/pipelines/client.ts'
import { eventPipeline } from '../src/server.ts'
import { outboxFile } from '../src/upstream.ts'
import { acceptingKeys, execution, goodBodies, until } from './pipeline.ts'

const track = 'EventPipelineApi_TrackUserEvent'
const args = execution(goodBodies.track)
const main = path.join(import.meta.dirname, '..', 'src', 'main.ts')

async function newDataDirectory(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'outbox-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}

/** A vendor that accepts the first request but never responds to it, and a function that kills a process waiting for the response. */
async function withVendor() {
  const dataDirectory = await newDataDirectory()
  const emulator = pipelinesEmulator({ seed: 'empty', apiKey: 'k' })
  const listening = await emulator.listen()
  onTestFinished(async () => {
    await listening.close()
    await emulator.close()
  })
  const environment = { EVENT_PIPELINE_API_KEY: 'k', EVENT_PIPELINE_API_URL: `${listening.url}/v1` }
  // Excludes the key checks, which are strict.
  const outcomes = () => emulator.store.events().flatMap(({ outcome }) => (outcome === 'refused' ? [] : [outcome]))
  emulator.faults.add({ match: { path: '/v1/track' }, action: { kind: 'slow', milliseconds: 60_000 } })
  const kill = async () => {
    const command = [main, '--data-dir', dataDirectory, 'call', 'TrackUserEvent', JSON.stringify(args)]
    const running = startProgram(command, { ...environment, PATH: process.env['PATH'] })
    await until(() => outcomes().length === 1)
    running.kill('SIGKILL')
    await running.result
  }
  const open = async (clock: ManualClock) => {
    const server = await connect(eventPipeline, { dataDirectory, environment, clock })
    onTestFinished(() => server[Symbol.asyncDispose]())
    return server
  }
  return { emulator, kill, open, outcomes }
}

test.for(shareOf([0, 2_000, 4_000, 6_500], 3, 0))(
  'a repeat %i ms after a kill is the same event, and the call after it is a different one',
  async (ms) => {
    const { emulator, kill, open, outcomes } = await withVendor()
    await kill()
    const server = await open(new ManualClock({ start: Date.now() + ms }))
    const lost = emulator.store.events().find(({ outcome }) => outcome === 'accepted')
    expect(await server.call(track, args)).toMatchObject({ outcome: 'delivered', message_ids: [lost?.message_id] })
    expect(outcomes()).toEqual(['accepted', 'duplicate'])
    await server.call(track, args)
    expect(outcomes()).toEqual(['accepted', 'duplicate', 'accepted'])
  },
)

test('an idle server sends the events that a killed process has left, without being called', async () => {
  const { emulator, kill, open, outcomes } = await withVendor()
  const clock = new ManualClock({ start: Date.now() })
  const server = await open(clock)
  emulator.faults.clear()
  await server.call(track, execution({ userId: 'another', event: 'E' }))
  emulator.reset()
  emulator.faults.add({ match: { path: '/v1/track' }, action: { kind: 'slow', milliseconds: 60_000 } })
  await kill()
  await until(async () => {
    await clock.advance(100)
    return emulator.store.requests().length === 2
  })
  expect(outcomes()).toEqual(['accepted', 'duplicate'])
})

/** Counts an idle worker's queries. */
class CountingStore extends SqliteOutboxStore {
  readonly queries: string[] = []

  override changes() {
    this.queries.push('changes')
    return super.changes()
  }

  override untilNextDue(...destination: Parameters<SqliteOutboxStore['untilNextDue']>) {
    this.queries.push('untilNextDue')
    return super.untilNextDue(...destination)
  }

  override waiting() {
    this.queries.push('waiting')
    return super.waiting()
  }

  override acquireLease(...destination: Parameters<SqliteOutboxStore['acquireLease']>) {
    this.queries.push('acquireLease')
    return super.acquireLease(...destination)
  }
}

test('an idle worker asks the file every two seconds whether anything has changed, and nothing else', async () => {
  const file = outboxFile({ dataDirectory: await newDataDirectory() })
  const clock = new ManualClock()
  const lock = openProcessLock(path.join(path.dirname(file), 'locks'))
  const store = new CountingStore(await openAsyncStore({ file, migrations, clock }), new WorkerRegistration(lock), clock)
  const destination = { origin: 'https://vendor.example/v1', keyHash: 'k' }
  const client = pipelinesClient({ fetch: () => expect.unreachable(), baseUrl: destination.origin, key: new Secret('k'), clock })
  const worker = new DeliveryWorker({
    store,
    client,
    destination,
    clock,
    watcher: new OutboxWatcher({ store, clock, onProblem: () => expect.unreachable() }),
    onFailure: () => expect.unreachable(),
  })
  worker.wake()
  await clock.advance(4_000)
  store.queries.length = 0
  for (let seconds = 0; seconds < 60; seconds += 2) await clock.advance(2_000)
  expect(store.queries).toEqual(Array(30).fill('changes'))
  const other = openStore({ file })
  other.script(`insert into leases values ('another', 'program')`)
  await other.close()
  store.queries.length = 0
  for (let seconds = 0; seconds < 4; seconds += 2) await clock.advance(2_000)
  await until(() => store.queries.length >= 3)
  expect(store.queries).toEqual(['changes', 'waiting', 'changes'])
  await worker.close()
  await store.close()
})

test('leaves an entry to a process of the first version while that sends heartbeats, and continues its call', async () => {
  const dataDirectory = await newDataDirectory()
  const emulator = pipelinesEmulator({ seed: 'empty', apiKey: 'k' })
  const clock = new ManualClock({ skipSleeps: false })
  const settings = { dataDirectory, environment: { EVENT_PIPELINE_API_KEY: 'k' }, fetch: acceptingKeys(emulator.fetch), clock }
  emulator.faults.add({ action: { kind: 'hang' } })
  const earlier = await connect(eventPipeline, settings)
  const lost = earlier.call(track, args).catch(() => undefined)
  await until(() => emulator.store.requests().length === 1)
  const rows = openStore({ file: outboxFile({ dataDirectory }) })
  rows.run(`update entries set sender = 'first', awaited_by = 'first'`)
  rows.run(`insert into senders values ('first', :until)`, { until: clock.now() + 4_000 })
  await rows.close()
  await using server = await connect(eventPipeline, settings)
  const repeat = server.call(track, args)
  for (let ms = 0; ms < 3_000; ms += 100) await clock.advance(100)
  expect(emulator.store.requests().length).toBe(1)
  for (let ms = 0; ms < 3_000; ms += 100) await clock.advance(100)
  expect(await repeat).toMatchObject({ outcome: 'delivered' })
  expect(new Set(emulator.store.requests().map(({ body }) => body)).size).toBe(1)
  await earlier.client.close()
  await lost
  await earlier[Symbol.asyncDispose]()
})
