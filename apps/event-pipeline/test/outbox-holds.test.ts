import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { pipelinesEmulator } from '@mcp-toolkits/pipelines-emulator'
import { connect } from '@mcp-toolkits/testing'
import { expect, onTestFinished, test } from 'vitest'
import { openConnection as connectVendor } from '../src/connect.ts'
import { outboxCommand } from '../src/outbox/command.ts'
import { eventPipeline } from '../src/server.ts'
import { acceptingKeys, elapse, execution, pipeline, until } from './pipeline.ts'

const track = 'EventPipelineApi.TrackUserEvent'
const of = (userId: string, rest: Record<string, unknown> = {}) => execution({ userId, event: 'Paid', messageId: userId }, rest)
const strict = { enable_strict_validation: 'True' }

/** A vendor, and processes that share one data directory and one clock. */
async function sharedOutbox(clock = new ManualClock()) {
  const dataDirectory = await mkdtemp(path.join(tmpdir(), 'outbox-'))
  onTestFinished(() => rm(dataDirectory, { recursive: true, force: true }))
  const emulator = pipelinesEmulator({ seed: 'empty', apiKey: 'test-key' })
  const settings = (key = 'test-key') =>
    ({ embedded: false, dataDirectory, readOnly: false, toolNames: 'safe', environment: { EVENT_PIPELINE_API_KEY: key } }) as const
  return {
    emulator,
    clock,
    open: (key?: string) => connect(eventPipeline, { ...settings(key), fetch: acceptingKeys(emulator.fetch), clock }),
    command: async (...words: string[]) => {
      const { context, close } = await connectVendor(settings(), { fetch: acceptingKeys(emulator.fetch), clock })
      const report = await outboxCommand(context, words, false)
      await close()
      return report
    },
  }
}

test('no process sends anything to an account that asked to slow down until the time is over', async () => {
  const { emulator, clock, open } = await sharedOutbox()
  emulator.faults.add({ action: { kind: 'status', status: 429, retry_after: 120 } })
  {
    await using server = await open()
    await using other = await open()
    const first = await server.call(track, of('ada'))
    const second = await server.call(track, of('bob', strict))
    expect([first, second, await other.call(track, of('cy'))]).toMatchObject(Array(3).fill({ outcome: 'queued' }))
    const { next_attempt_at: next } = Object.assign({ next_attempt_at: '' }, first['outbox'])
    expect(second['outbox']).toMatchObject({ next_attempt_at: next })
    expect(JSON.stringify(second['notices'])).toContain('Customer.io asked us to slow down (HTTP 429)')
  }
  await using restarted = await open()
  expect(await restarted.call(track, of('dan'))).toMatchObject({ outcome: 'queued' })
  await clock.advance(119_000)
  expect(emulator.store.requests().length).toBe(1)
  await clock.advance(2_000)
  await until(() => emulator.store.events().length === 4)
  expect(emulator.store.events().map(({ outcome }) => outcome)).toEqual(Array(4).fill('accepted'))
  expect(emulator.store.requests().length).toBe(5)
})

test('says until when a held event waits, and how to send it earlier', async () => {
  const { emulator, open, command, clock } = await sharedOutbox()
  emulator.faults.add({ times: 2, action: { kind: 'status', status: 429, retry_after: 120 } })
  {
    await using server = await open()
    await server.call(track, of('ada'))
  }
  const until = new Date(clock.now() + 120_000).toISOString().slice(0, 16)
  expect((await command('list')).text).toContain(`next attempt ${until}`)
  const retried = await command('retry')
  expect(retried.code).toBe(1)
  expect(retried.text).toMatch(/^1 {2}waiting(?: \(.*\))? until \S+Z; outbox retry 1 sends it now$/m)
  expect(await command('retry', '1')).toEqual({ code: 0, text: '1  delivered' })
})

test('does not hold back events for another account', async () => {
  const { emulator, open } = await sharedOutbox()
  emulator.faults.add({ action: { kind: 'status', status: 429, retry_after: 120 } })
  await using server = await open()
  await using other = await open('another-key')
  expect(await server.call(track, of('ada'))).toMatchObject({ outcome: 'queued' })
  expect(await other.call(track, of('bob'))).toMatchObject({ outcome: 'delivered' })
})

test('`outbox retry ID` sends one event although the vendor asked to slow down, and no other', async () => {
  const { emulator, open, command } = await sharedOutbox()
  emulator.faults.add({ action: { kind: 'status', status: 429, retry_after: 120 } })
  await using server = await open()
  for (const person of ['ada', 'bob', 'cy']) expect(await server.call(track, of(person))).toMatchObject({ outcome: 'queued' })
  expect(await command('retry', '2')).toEqual({ code: 0, text: '2  delivered' })
  expect(emulator.store.events().map(({ message_id: id }) => id)).toEqual(['bob'])
  expect(await server.call(track, of('dan'))).toMatchObject({ outcome: 'queued' })
})

test('waits in the call, along with all other calls, for a short time that the vendor asks for', async () => {
  await using server = await pipeline({ clock: new ManualClock({ skipSleeps: false }) })
  server.emulator.faults.add({ action: { kind: 'status', status: 429, retry_after: 3 } })
  const first = server.call(track, of('ada'))
  await until(() => server.emulator.store.requests().length === 1)
  await server.clock.advance(0)
  const others = ['bob', 'cy'].map((person) => server.call(track, of(person, strict)))
  const results = await elapse(server.clock, Promise.all([first, ...others]))
  expect(results.map(({ outcome }) => outcome)).toEqual(['delivered', 'delivered', 'delivered'])
  expect(server.emulator.store.requests().length).toBe(4)
})

test('sends one event to find out whether the vendor accepts requests again', async () => {
  const { emulator, clock, open, command } = await sharedOutbox()
  emulator.faults.add({ times: 3, action: { kind: 'status', status: 429, retry_after: 60 } })
  await using server = await open()
  const people = Array.from({ length: 10 }, (_, index) => `person-${index}`)
  for (const person of people) expect(await server.call(track, of(person))).toMatchObject({ outcome: 'queued' })
  for (const requests of [1, 2, 3]) {
    await until(() => emulator.store.requests().length === requests)
    const heldUntil = new Date(clock.now() + 60_000).toISOString().slice(0, 16)
    await until(async () => (await command('list')).text.includes(`next attempt ${heldUntil}`))
    await clock.advance(58_000)
    expect(emulator.store.requests().length).toBe(requests)
    await clock.advance(3_000)
  }
  await until(() => emulator.store.events().length === people.length)
  expect(emulator.store.requests().length).toBe(people.length + 3)
})

test('50 calls to a vendor that refuses everything with 429, without Retry-After, cause at most 75 requests', async () => {
  await using server = await pipeline({ clock: new ManualClock({ skipSleeps: false }) })
  server.emulator.faults.add({ times: 1_000, action: { kind: 'status', status: 429 } })
  const calls = Array.from({ length: 50 }, (_, index) => server.call(track, of(`person-${index}`)))
  const results = await elapse(server.clock, Promise.all(calls), 2_000)
  expect(results.map(({ outcome }) => outcome)).toEqual(calls.map(() => 'queued'))
  expect(server.emulator.store.requests().length).toBeLessThanOrEqual(75)
})
