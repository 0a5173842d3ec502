import { readFileSync, statSync } from 'node:fs'
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
import { outboxFile } from '../src/upstream.ts'
import { acceptingKeys, execution, goodBodies, pipeline, until } from './pipeline.ts'

const track = 'EventPipelineApi.TrackUserEvent'
const batchTool = 'EventPipelineApi.SendBatchRequests'
const strict = { enable_strict_validation: 'True' }
const event = { userId: 'u1', event: 'Paid', messageId: 'm-1', timestamp: '2026-01-31T12:00:00Z' }

async function dataDirectory(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'outbox-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}

/** The settings of a server with an account, for code below the protocol. */
function settingsOf(directory: string, key = 'test-key') {
  const environment = { EVENT_PIPELINE_API_KEY: key }
  return { embedded: false, dataDirectory: directory, readOnly: false, toolNames: 'safe', environment } as const
}

test('returns the stored result for a messageId that was delivered with the same body', async () => {
  await using server = await pipeline()
  const first = await server.call(track, execution(event))
  const reordered = `{ "timestamp": "2026-01-31T12:00:00Z", "messageId":"m-1", "event":"Paid", "userId":"u1" }`
  for (const body of [event, reordered]) {
    const again = await server.call(track, execution(body))
    expect(again).toMatchObject({ outcome: 'delivered', http_status: 200, message_ids: first['message_ids'] })
    expect(JSON.stringify(again['notices'])).toContain('was not sent again')
  }
  expect(server.emulator.store.requests().length).toBe(1)
})

test('does not claim that an event sent in permissive mode was validated when it is repeated in strict mode', async () => {
  await using server = await pipeline()
  await server.call(track, execution(event))
  expect(await server.call(track, execution(event, strict))).toMatchObject({ outcome: 'delivered', strict: false })
})

test('recognizes a repeat with and without the timestamp that was added', async () => {
  await using server = await pipeline()
  const given = '{"userId":"u1","event":"Paid","messageId":"m-2"}'
  await server.call(track, execution(given))
  const sent = server.emulator.store.requests()[0]?.body ?? ''
  expect(sent).not.toBe(given)
  for (const body of [given, sent])
    expect(JSON.stringify((await server.call(track, execution(body)))['notices'])).toContain('not sent again')
  expect(server.emulator.store.requests().length).toBe(1)
})

test.for([
  { ...event, event: 'Refunded' },
  { ...event, properties: { extra: 1 } },
])('rejects a messageId that was used for a different body: %j', async (other) => {
  await using server = await pipeline()
  await server.call(track, execution(event))
  const error = await server.fails(track, execution(other))
  expect(error).toMatchObject({ code: 'conflict', retryable: false })
  expect(error.message).toContain('"m-1" was already used for a different body')
  expect(server.emulator.store.requests().length).toBe(1)
})

test('tells bodies with different numbers beyond 2^53 apart', async () => {
  await using server = await pipeline()
  const body = (digits: string) => `{"userId":"u","event":"E","messageId":"big","properties":{"n":${digits}}}`
  await server.call(track, execution(body('9007199254740993')))
  expect(await server.fails(track, execution(body('9007199254740992')))).toMatchObject({ code: 'conflict' })
})

test('sends two equal events without a messageId, and names the first in the result of the second', async () => {
  await using server = await pipeline()
  const first = await server.call(track, execution(goodBodies.track))
  const second = await server.call(track, execution(goodBodies.track))
  expect(second['message_ids']).not.toEqual(first['message_ids'])
  const ids: unknown[] = Array.isArray(first['message_ids']) ? first['message_ids'] : []
  expect(JSON.stringify(second['notices'])).toContain(String(ids[0]))
  expect(server.emulator.store.events().map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted'])
})

test('sends only the new calls of a repeated batch', async () => {
  await using server = await pipeline()
  const call = (messageId: string) => ({ type: 'track', userId: 'u', event: 'E', messageId })
  await server.call(batchTool, execution({ batch: [call('a'), call('b')] }))
  const result = await server.call(batchTool, execution({ batch: [call('a'), call('c'), call('b')] }))
  expect(JSON.stringify(result['notices'])).toContain(
    'Already submitted under the same messageId, and not sent again: 2 calls in the batch.',
  )
  expect(server.emulator.store.events().map(({ message_id: id, outcome }) => [id, outcome])).toEqual([
    ['a', 'accepted'],
    ['b', 'accepted'],
    ['c', 'accepted'],
  ])
})

test('keeps a refused body, and sends the corrected one under the same messageId', async () => {
  await using server = await pipeline()
  const error = await server.fails(track, execution({ ...event, userId: undefined }, strict))
  expect(error.message).toContain('Fix the body and call again')
  expect(await server.call(track, execution(event, strict))).toMatchObject({ outcome: 'delivered', message_ids: ['m-1'] })
  expect(server.emulator.store.events().map(({ outcome }) => outcome)).toEqual(['refused', 'accepted'])
})

test('does not send a cancelled event automatically; a repeat keeps its ids', async () => {
  await using server = await pipeline()
  server.emulator.faults.add({ action: { kind: 'hang' } })
  const giveUp = new AbortController()
  const args = execution(goodBodies.track)
  const call = server.client.callTool({ name: track, arguments: args }, { signal: giveUp.signal })
  await until(() => server.emulator.store.requests().length === 1)
  const unanswered = server.emulator.store.requests()[0]?.body
  giveUp.abort()
  await expect(call).rejects.toThrow()
  await until(() => server.logLines.join('').includes('cancelled'))
  const again = await server.call(track, args)
  expect(JSON.stringify(again['notices'])).toContain('An identical earlier call got no result. This one continues it')
  expect(server.emulator.store.requests().map(({ body }) => body)).toEqual([unanswered, unanswered])
})

test('holds back newer events about a person while an older one waits, and no others', async () => {
  await using server = await pipeline()
  server.emulator.faults.add({ action: { kind: 'status', status: 503, retry_after: 120 } })
  const of = (userId: string, name: string) => execution({ userId, event: name })
  expect(await server.call(track, of('ada', 'first'))).toMatchObject({ outcome: 'queued' })
  expect(await server.call(track, of('ada', 'second'))).toMatchObject({ outcome: 'queued' })
  expect(await server.call(track, of('bob', 'other'))).toMatchObject({ outcome: 'delivered' })
  expect(server.emulator.store.events().map((stored) => stored.event)).toEqual(['other'])
})

test('without ids, repeats nothing and reports an unknown outcome', async () => {
  await using server = await pipeline({ environment: { EVENT_PIPELINE_API_KEY: 'test-key', EVENT_PIPELINE_ADD_IDS: '0' } })
  server.emulator.faults.add({ action: { kind: 'drop_after' } })
  const error = await server.fails(track, execution(goodBodies.track))
  expect(error.code).toBe('unavailable')
  expect(error.message).toContain('Customer.io may have accepted it; without a messageId a repeat may count twice.')
  expect(error.message).not.toContain('nothing is created twice')
  expect(server.emulator.store.requests().length).toBe(1)
})

test('sends waiting events at the next start, only to the same origin with the same key', async () => {
  const directory = await dataDirectory()
  const clock = new ManualClock()
  const down = () => Promise.reject(new TypeError('fetch failed'))
  const waits = async (environment: Record<string, string>) => {
    await using server = await connect(eventPipeline, { dataDirectory: directory, environment, fetch: acceptingKeys(down), clock })
    expect(await server.call(track, execution(goodBodies.track))).toMatchObject({ outcome: 'queued' })
  }
  await waits({})
  await waits({ EVENT_PIPELINE_API_KEY: 'old-key' })
  await waits({ EVENT_PIPELINE_API_KEY: 'test-key', EVENT_PIPELINE_REGION: 'eu' })
  await waits({ EVENT_PIPELINE_API_KEY: 'test-key' })
  const emulator = pipelinesEmulator({ seed: 'empty', apiKey: 'test-key' })
  const connection = await connectVendor(settingsOf(directory), { fetch: acceptingKeys(emulator.fetch), clock })
  connection.resume()
  await clock.advance(1)
  await clock.advance(5_000)
  await until(async () => (await connection.context.store.undelivered()).length === 3)
  expect(emulator.store.events().length).toBe(1)
  expect(await connection.status()).toMatchObject({ outbox: { waiting: 0, of_another_account: 3 } })
  const retried = await outboxCommand(connection.context, ['retry'], false)
  expect(retried.code).toBe(1)
  expect(retried.text.match(/under another key or address/g)?.length).toBe(3)
  expect(emulator.store.requests().length).toBe(1)
  await connection.close()
})

test('parks an event whose key was refused; retry sends it and drop deletes it', async () => {
  const directory = await dataDirectory()
  const emulator = pipelinesEmulator({ seed: 'empty', apiKey: 'the-right-key' })
  await using server = await connect(eventPipeline, { ...settingsOf(directory), fetch: acceptingKeys(emulator.fetch) })
  expect(await server.fails(track, execution(event, strict))).toMatchObject({ code: 'unauthenticated', http_status: 401 })
  expect(await server.fails(track, execution({ ...event, messageId: 'm-2' }, strict))).toMatchObject({ code: 'unauthenticated' })
  const now = pipelinesEmulator({ seed: 'empty', apiKey: 'test-key' })
  const connection = await connectVendor(settingsOf(directory), { fetch: acceptingKeys(now.fetch) })
  const listed = await outboxCommand(connection.context, ['list'], false)
  expect(listed.text.match(/parked \(unauthenticated\)/g)?.length).toBe(2)
  expect(now.store.requests()).toEqual([])
  expect(await outboxCommand(connection.context, ['drop', '2'], false)).toMatchObject({ code: 0 })
  expect(await outboxCommand(connection.context, ['retry'], false)).toEqual({ code: 0, text: '1  delivered' })
  expect(now.store.events().map(({ message_id: id }) => id)).toEqual(['m-1'])
  expect(await outboxCommand(connection.context, ['list'], false)).toEqual({
    code: 0,
    text: 'No events are waiting in the outbox.',
  })
  for (const words of [[], ['lost'], ['drop'], ['drop', 'x'], ['list', '1']])
    expect((await outboxCommand(connection.context, words, false)).code).toBe(2)
  await connection.close()
})

test('creates a private file, deletes delivered bodies and never stores the key', async () => {
  const directory = await dataDirectory()
  const canary = 'canary-0123456789abcdef'
  const emulator = pipelinesEmulator({ seed: 'empty', apiKey: canary })
  const settings = settingsOf(directory, canary)
  {
    await using server = await connect(eventPipeline, { ...settings, fetch: acceptingKeys(emulator.fetch) })
    await server.call(track, execution({ userId: 'u1', event: 'a-very-particular-event' }))
    await server.fails(track, execution({ event: 'X' }, strict))
  }
  const file = outboxFile(settings)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(path.dirname(file)).mode & 0o777).toBe(0o700)
  const connection = await connectVendor(settings, { fetch: acceptingKeys(emulator.fetch) })
  expect((await connection.context.store.undelivered()).map(({ state }) => state)).toEqual(['refused'])
  await connection.close()
  const bytes = readFileSync(file)
  expect(bytes.includes('a-very-particular-event')).toBe(false)
  expect(bytes.includes(canary)).toBe(false)
  expect(bytes.includes(btoa(`${canary}:`))).toBe(false)
})
