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
import { acceptingKeys, elapse, execution, goodBodies, pipeline, type Pipeline, until } from './pipeline.ts'

const track = 'EventPipelineApi.TrackUserEvent'
const batchTool = 'EventPipelineApi.SendBatchRequests'
const strict = { enable_strict_validation: 'True' }
const noIds = { environment: { EVENT_PIPELINE_API_KEY: 'test-key', EVENT_PIPELINE_ADD_IDS: '0' } }
const outcomes = ({ emulator }: Pipeline) => emulator.store.events().map(({ outcome }) => outcome)

/** A server, and the `outbox` command on its data directory, run as if in another process. `gate` holds back responses. */
async function withOutbox(gate: Promise<unknown> = Promise.resolve()) {
  const dataDirectory = await mkdtemp(path.join(tmpdir(), 'outbox-'))
  onTestFinished(() => rm(dataDirectory, { recursive: true, force: true }))
  const emulator = pipelinesEmulator({ seed: 'empty', apiKey: 'test-key' })
  const settings = {
    embedded: false,
    dataDirectory,
    readOnly: false,
    toolNames: 'safe',
    environment: { EVENT_PIPELINE_API_KEY: 'test-key' },
  } as const
  const clock = new ManualClock()
  const fetch: typeof emulator.fetch = async (input, init) => {
    const response = await emulator.fetch(input, init)
    await gate
    return response
  }
  const server = await connect(eventPipeline, { ...settings, fetch: acceptingKeys(fetch), clock })
  const other = await connectVendor(settings, { fetch: acceptingKeys(fetch), clock })
  onTestFinished(async () => {
    await other.close()
    await server[Symbol.asyncDispose]()
  })
  return { server, emulator, command: (...words: string[]) => outboxCommand(other.context, words, false) }
}

/** Starts a call that gets no response, cancels it, and waits until the server has noticed. */
async function giveUp(server: Pipeline, name: string, args: Record<string, unknown>): Promise<void> {
  server.emulator.faults.add({ action: { kind: 'hang' } })
  const before = server.emulator.store.requests().length
  const abort = new AbortController()
  const call = server.client.callTool({ name, arguments: args }, { signal: abort.signal })
  await until(() => server.emulator.store.requests().length === before + 1)
  abort.abort()
  await expect(call).rejects.toThrow()
  await until(() => server.logLines.some((line) => line.includes('"outcome":"cancelled"')))
}

test('reports the vendor’s refusal of an event that waited for an older one', async () => {
  await using server = await pipeline({ clock: new ManualClock({ skipSleeps: false }) })
  server.emulator.faults.add({ action: { kind: 'status', status: 429, retry_after: 2 } })
  const older = server.call(track, execution({ userId: 'ada', event: 'first' }))
  await until(() => server.emulator.store.requests().length === 1)
  const newer = server.fails(track, execution({ userId: 'ada', event: 'second', timestamp: 5 }, strict))
  const [first, second] = await elapse(server.clock, Promise.all([older, newer]))
  expect(first).toMatchObject({ outcome: 'delivered' })
  expect(second).toMatchObject({ code: 'invalid_input', http_status: 400 })
})

test.for([
  [
    'a batch in which one call has no id',
    batchTool,
    {
      batch: [
        { type: 'track', userId: 'u', event: 'A', messageId: 'a' },
        { type: 'track', userId: 'u', event: 'B' },
      ],
    },
  ],
  ['an id that is empty', track, { userId: 'u', event: 'A', messageId: '' }],
] as const)('sends %s once, because a repeat would count twice', async ([, tool, body]) => {
  await using server = await pipeline(noIds)
  server.emulator.faults.add({ action: { kind: 'drop_after' } })
  expect(await server.fails(tool, execution(body))).toMatchObject({ code: 'unavailable', retryable: false })
  expect(server.emulator.store.requests().length).toBe(1)
})

test('keeps all ids of a cancelled batch when it is repeated', async () => {
  await using server = await pipeline()
  const args = execution({
    batch: [
      { type: 'track', userId: 'u', event: 'A', messageId: 'a' },
      { type: 'track', userId: 'u', event: 'B' },
    ],
  })
  await giveUp(server, batchTool, args)
  await server.call(batchTool, args)
  expect(new Set(server.emulator.store.requests().map(({ body }) => body)).size).toBe(1)
  expect(outcomes(server)).toEqual(['accepted', 'accepted'])
})

test('sends two equal events that wait for an older one', async () => {
  await using server = await pipeline({ clock: new ManualClock({ skipSleeps: false }) })
  server.emulator.faults.add({ action: { kind: 'status', status: 429, retry_after: 1 } })
  const click = execution({ userId: 'ada', event: 'Click' })
  const older = server.call(track, execution({ userId: 'ada', event: 'Older' }))
  await until(() => server.emulator.store.requests().length === 1)
  const results = await elapse(server.clock, Promise.all([older, server.call(track, click), server.call(track, click)]))
  expect(results.map(({ outcome }) => outcome)).toEqual(['delivered', 'delivered', 'delivered'])
  expect(server.emulator.store.events().filter(({ event }) => event === 'Click').length).toBe(2)
})

test('does not retry or drop an entry that another process is sending', async () => {
  const gate = Promise.withResolvers<undefined>()
  const { server, emulator, command } = await withOutbox(gate.promise)
  const call = server.call(track, execution(goodBodies.track))
  await until(() => emulator.store.requests().length === 1)
  expect(await command('drop', '1')).toMatchObject({ code: 1, text: 'Entry 1 is being sent right now. Try again.' })
  await command('retry', '1')
  gate.resolve(undefined)
  expect(await call).toMatchObject({ outcome: 'delivered' })
  expect(emulator.store.requests().length).toBe(1)
  expect(await command('drop', '1')).toMatchObject({ code: 1, text: 'Entry 1 is already delivered.' })
})

test('without a number, retries only entries that are safe to send', async () => {
  const { server, emulator, command } = await withOutbox()
  await server.fails(track, execution({ event: 'nobody' }, strict))
  emulator.faults.add({ action: { kind: 'redirect', status: 307, location: 'https://elsewhere.example/' } })
  await server.fails(track, execution(goodBodies.track))
  expect(await command('retry')).toEqual({ code: 0, text: '2  delivered' })
  expect(await command('retry', '1')).toEqual({ code: 1, text: '1  refused\n   Customer.io refused the request (HTTP 400).' })
})

test('keeps a queued event open when a caller that repeated it gives up', async () => {
  await using server = await pipeline()
  server.emulator.faults.add({ action: { kind: 'status', status: 429, retry_after: 30 } })
  const args = execution({ ...goodBodies.track, messageId: 'promised' })
  expect(await server.call(track, args)).toMatchObject({ outcome: 'queued' })
  const again = await server.call(track, args)
  expect(again).toMatchObject({ outcome: 'queued', message_ids: ['promised'] })
  const abort = new AbortController()
  const call = server.client.callTool({ name: track, arguments: args }, { signal: abort.signal })
  abort.abort()
  await expect(call).rejects.toThrow()
  expect(await server.call(track, args)).toMatchObject({ outcome: 'queued' })
})

test('lets a batch hold back later events about the people in it, and no others', async () => {
  await using server = await pipeline()
  server.emulator.faults.add({ match: { path: '/v1/batch' }, action: { kind: 'status', status: 503, retry_after: 120 } })
  expect(await server.call(batchTool, execution(goodBodies.batch))).toMatchObject({ outcome: 'queued' })
  expect(await server.call(track, execution({ userId: 'stranger', event: 'E' }))).toMatchObject({ outcome: 'delivered' })
  expect(await server.call(track, execution({ userId: 'u1', event: 'E' }))).toMatchObject({ outcome: 'queued' })
})

/** Sixty calls of 20 KB, which need three requests; the one at `bad` has no person. */
const large = (bad?: number) => ({
  batch: Array.from({ length: 60 }, (_, index) => ({
    type: 'track',
    ...(index !== bad && { userId: `u${index}` }),
    event: 'E',
    messageId: `m${index}`,
    properties: { text: 'x'.repeat(20_000) },
  })),
})

test('holds back later parts after a refused one, and sends the rest of the corrected batch once', async () => {
  await using server = await pipeline()
  const args = (body: object) => execution(body, { enable_strict_mode: 'True' })
  const error = await server.fails(batchTool, args(large(30)))
  expect(error.message).toContain('is sent in 3 requests; 1 of them was accepted')
  expect(server.emulator.store.requests().length).toBe(2)
  expect(await server.call(batchTool, args(large()))).toMatchObject({ outcome: 'delivered' })
  const accepted = server.emulator.store.events().filter(({ outcome }) => outcome === 'accepted')
  expect(new Set(accepted.map(({ message_id: id }) => id)).size).toBe(60)
  expect(outcomes(server)).not.toContain('duplicate')
})

test('describes the calls of a partly repeated batch by their original positions', async () => {
  await using server = await pipeline()
  const known = { type: 'track', userId: 'u', event: 'A', messageId: 'a' }
  await server.call(batchTool, execution({ batch: [known, { ...known, messageId: 'b' }] }))
  const { added, message_ids: ids } = await server.call(
    batchTool,
    execution({ batch: [known, { type: 'track', userId: 'u', event: 'C' }] }),
  )
  const minted = server.emulator.store.events().at(-1)?.message_id
  expect(added).toEqual([{ at: 'batch[1]', fields: ['messageId', 'timestamp'] }])
  expect(ids).toEqual(['a', minted])
})

test('validates an event parked in permissive mode when it is repeated in strict mode', async () => {
  await using server = await pipeline()
  server.emulator.faults.add({ action: { kind: 'redirect', status: 307, location: 'https://elsewhere.example/' } })
  const body = { event: 'nobody', messageId: 'm-1' }
  await server.fails(track, execution(body))
  expect(await server.fails(track, execution(body, strict))).toMatchObject({ code: 'invalid_input', http_status: 400 })
})

test('delivers all calls that wait for one older event after it', async () => {
  await using server = await pipeline({ clock: new ManualClock({ skipSleeps: false }) })
  server.emulator.faults.add({ action: { kind: 'status', status: 429, retry_after: 1 } })
  const names = ['older', 'a', 'b', 'c', 'd', 'e', 'f']
  const calls = names.map((event) => server.call(track, execution({ userId: 'ada', event })))
  const results = await elapse(server.clock, Promise.all(calls))
  expect(results.map(({ outcome }) => outcome)).toEqual(names.map(() => 'delivered'))
})

test('delivers an event although one of two calls that wait for it gives up', async () => {
  await using server = await pipeline()
  const args = execution({ ...goodBodies.track, messageId: 'shared' })
  server.emulator.faults.add({ action: { kind: 'hang' } })
  const abort = new AbortController()
  const first = server.client.callTool({ name: track, arguments: args }, { signal: abort.signal })
  await until(() => server.emulator.store.requests().length === 1)
  const second = server.call(track, args)
  await server.call(track, execution({ userId: 'another person', event: 'E' }))
  abort.abort()
  await expect(first).rejects.toThrow()
  expect(await second).toMatchObject({ outcome: 'delivered', message_ids: ['shared'] })
})

test('also retries the parts that were held back', async () => {
  const { server, emulator, command } = await withOutbox()
  emulator.faults.add({ action: { kind: 'status', status: 401, body: { meta: { error: 'no' } } } })
  await server.fails(batchTool, execution(large()))
  expect(await command('retry')).toMatchObject({ code: 0 })
  expect(await command('list')).toEqual({ code: 0, text: 'No events are waiting in the outbox.' })
  expect(emulator.store.events().length).toBe(60)
})

test('ignores a member called batch in other calls', async () => {
  await using server = await pipeline()
  const { added, message_ids: ids } = await server.call(
    track,
    execution({ userId: 'u', event: 'E', properties: { batch: 1 }, batch: [{ a: 1 }] }),
  )
  const stored = server.emulator.store.events()[0]?.message_id
  expect([added, ids]).toEqual([[{ at: 'request_body', fields: ['messageId', 'timestamp'] }], [stored]])
})

test('rejects one messageId for two different calls of a batch', async () => {
  await using server = await pipeline()
  const call = (event: string) => ({ type: 'track', userId: 'u', event, messageId: 'same' })
  expect(await server.fails(batchTool, execution({ batch: [call('A'), call('B')] }))).toMatchObject({ code: 'conflict' })
  expect(server.emulator.store.requests()).toEqual([])
})
