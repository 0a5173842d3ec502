import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { ManualClock } from '@mcp-toolkits/core/testing'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { readBody } from '../src/pipelines/body/body-reader.ts'
import { prepareBody } from '../src/pipelines/calls.ts'
import { splitIntoRequests } from '../src/pipelines/body/limits.ts'
import { execution, goodBodies, pipeline } from './pipeline.ts'
import { runs } from '@mcp-toolkits/testing'

const track = 'EventPipelineApi.TrackUserEvent'
const batchTool = 'EventPipelineApi.SendBatchRequests'
const identity = { messageId: 'm', timestamp: '2026-01-01T00:00:00.000Z' }

test('adds messageId and timestamp if they are absent, reports them, and keeps all other bytes', async () => {
  await using server = await pipeline()
  const body = '{ "userId" : "u1",\n  "event": "Paid", "properties": {"id": 12345678901234567890, "rate": 1.0, "name": "\\u00e9é"}  }  '
  const { added, message_ids: ids } = await server.call(track, execution(body))
  const [request] = server.emulator.store.requests()
  const sent = request?.body ?? ''
  const { messageId } = (await readBody(sent)).json
  expect(added).toEqual([{ at: 'request_body', fields: ['messageId', 'timestamp'] }])
  expect(ids).toEqual([messageId])
  const inserted = sent.slice(body.trimEnd().length - 1, sent.length - (body.length - body.trimEnd().length) - 1)
  expect(sent.replace(inserted, '')).toBe(body)
  expect(inserted).toMatch(/^,"messageId":"[0-9a-f-]{36}","timestamp":"20[^"]+Z"$/)
})

test('sends a body that has both byte for byte', async () => {
  await using server = await pipeline()
  const body = '{"event":"Paid" ,"userId":"u1","properties":{"n":9007199254740993},"messageId":"m-1","timestamp":"2026-01-31T12:00:00Z"}'
  expect(await server.call(track, execution(body))).toMatchObject({ added: [], message_ids: ['m-1'] })
  expect(server.emulator.store.requests()[0]?.body).toBe(body)
})

test('adds nothing with EVENT_PIPELINE_ADD_IDS=0', async () => {
  await using server = await pipeline({ environment: { EVENT_PIPELINE_API_KEY: 'test-key', EVENT_PIPELINE_ADD_IDS: '0' } })
  const body = '{"userId":"u1","event":"Paid"}'
  expect(await server.call(track, execution(body))).toMatchObject({ added: [], message_ids: [] })
  expect(server.emulator.store.requests()[0]?.body).toBe(body)
})

test('adds an id to every call of a batch', async () => {
  await using server = await pipeline()
  const { added, message_ids: ids } = await server.call(batchTool, execution(goodBodies.batch))
  expect(added).toEqual([{ at: 'batch[0-1]', fields: ['messageId', 'timestamp'] }])
  const stored = server.emulator.store.events()
  expect(stored.map((event) => event.message_id)).toEqual(ids)
  expect(stored.map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted'])
})

test('accepts an object instead of a string, with a notice if a number may have been rounded', async () => {
  await using server = await pipeline()
  const plain = await server.call(track, { mode: 'execute', request_body: goodBodies.track })
  expect(plain['outcome']).toBe('delivered')
  const rounded = await server.call(track, { mode: 'execute', request_body: { ...goodBodies.track, properties: { id: 2 ** 60 } } })
  expect(JSON.stringify(rounded['notices'])).toContain('may have been rounded')
})

const json = fc.json({ maxDepth: 4 }).filter((text) => text.startsWith('{'))

test('changes nothing else when it adds an identity to any object', async () => {
  await fc.assert(
    fc.asyncProperty(json, async (text) => {
      const body = await readBody(text)
      const { sent, calls } = await prepareBody('track', body, { create: () => identity, clock: new ManualClock() })
      expect((await readBody(sent.text)).json).toEqual({ ...identity, ...body.json })
      if (calls[0]?.added.messageId === undefined && calls[0]?.added.timestamp === undefined) expect(sent.text).toBe(text)
    }),
    { numRuns: runs(500) },
  )
})

test('splits a batch into parts within the limit, with the same calls in order and the other members in each', async () => {
  const call = fc.record({
    type: fc.constant('track'),
    userId: fc.string(),
    event: fc.string(),
    filler: fc.integer({ min: 0, max: 30_000 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 20, maxLength: 120 }), async (calls) => {
      const batch = calls.map(({ filler, ...each }) => ({ ...each, properties: { text: 'é'.repeat(filler / 2) } }))
      const body = await readBody(JSON.stringify({ context: { ip: '1.2.3.4' }, batch, sentAt: 'x' }))
      const read = await Promise.all(splitIntoRequests('batch', body).map(({ text }) => readBody(text())))
      const parts = read.map((part) => part.json)
      expect(parts.flatMap((part) => part['batch'])).toEqual(batch)
      for (const part of parts) expect({ ...part, batch: [] }).toEqual({ context: { ip: '1.2.3.4' }, batch: [], sentAt: 'x' })
      for (const { text } of splitIntoRequests('batch', body)) expect(Buffer.byteLength(text())).toBeLessThanOrEqual(500_000)
      if (Buffer.byteLength(body.text) <= 500_000) expect(parts.length).toBe(1)
    }),
    { numRuns: runs(30) },
  )
})

test('splits batches at the size given in the README', async () => {
  const calls = Array.from({ length: 17 }, () => ({ type: 'track', userId: 'u', event: 'E', properties: { text: 'x'.repeat(28_000) } }))
  const without = JSON.stringify({ batch: calls, note: '' })
  const sizes = async (bytes: number) => {
    const text = without.replace('"note":""', `"note":"${'n'.repeat(bytes - without.length)}"`)
    return splitIntoRequests('batch', await readBody(text)).map((part) => Buffer.byteLength(part.text()))
  }
  expect(await sizes(500_000)).toEqual([500_000])
  expect(Math.max(...(await sizes(500_001)))).toBeLessThanOrEqual(491_520)
  const readme = await readFile(path.join(import.meta.dirname, '..', 'README.md'), 'utf8')
  expect(readme).toMatch(/batch over 500,000 bytes .*at most 491,520/)
  expect(readme).not.toContain('480 KB')
})

test('sends a batch over 500 KB in several requests, in order', async () => {
  await using server = await pipeline()
  const batch = Array.from({ length: 60 }, (_, index) => ({
    type: 'track',
    userId: `u${index}`,
    event: 'E',
    properties: { text: 'x'.repeat(20_000) },
  }))
  const result = await server.call(batchTool, execution({ batch }))
  const requests = server.emulator.store.requests()
  expect(requests.length).toBe(3)
  expect(JSON.stringify(result['notices'])).toContain('is sent in 3 requests')
  expect(server.emulator.store.events().map((event) => event.user_id)).toEqual(batch.map(({ userId }) => userId))
  expect(server.emulator.store.events().every(({ outcome }) => outcome === 'accepted')).toBe(true)
})

test.for([
  ['a 60 KB event', track, { userId: 'u', event: 'E', properties: { text: 'x'.repeat(60_000) } }, 'the limit is 32768'],
  [
    'a 60 KB call in a batch',
    batchTool,
    {
      batch: [
        { type: 'page', userId: 'u' },
        { type: 'track', userId: 'u', event: 'E', properties: { p: 'x'.repeat(60_000) } },
      ],
    },
    'batch[1]',
  ],
] as const)('rejects %s in both modes and sends nothing', async ([, tool, body, text]) => {
  await using server = await pipeline()
  const strictness = tool === track ? 'enable_strict_validation' : 'enable_strict_mode'
  for (const args of [execution(body), execution(body, { [strictness]: 'True' })]) {
    const error = await server.fails(tool, args)
    expect(error.code).toBe('too_large')
    expect(error.message).toContain('Nothing was sent')
    expect(error.message).toContain(text)
  }
  expect(server.emulator.store.requests()).toEqual([])
})

test('counts the size in bytes, added fields included', async () => {
  await using server = await pipeline()
  const fits =
    32 * 1024 -
    Buffer.byteLength(JSON.stringify({ userId: 'u', event: 'E', messageId: 'm', timestamp: '2026-01-01T00:00:00Z', properties: { t: '' } }))
  const body = (messageId: string, t: string) =>
    execution({ userId: 'u', event: 'E', messageId, timestamp: '2026-01-01T00:00:00Z', properties: { t } })
  const result = await server.call(track, body('a', 'x'.repeat(fits)))
  expect(JSON.stringify(result['notices'])).toContain('over 32,000 bytes')
  expect((await server.fails(track, body('b', 'x'.repeat(fits + 1)))).code).toBe('too_large')
  expect((await server.fails(track, body('c', 'é'.repeat(fits / 2 + 1)))).code).toBe('too_large')
})

test.for([
  ['not JSON', '{"a": 1,}', 'not JSON: property name expected at line 1, column 9'],
  ['an array', '[]', 'it is an array'],
  ['text in text', JSON.stringify('{"a":1}'), 'stringify it only once'],
  ['a number', '5', 'it is a number'],
  ['nothing', '', '"request_body" is required'],
  ['half a surrogate', '{"a":"\ud800"}', 'surrogate'],
  ['1,000 levels of arrays', `{"a":${'['.repeat(1_000)}${']'.repeat(1_000)}}`, 'more than 100 deep'],
  ['1,000 open braces', '{"a":'.repeat(1_000), 'more than 100 deep'],
  ['a million open brackets', '['.repeat(1_000_000), 'more than 100 deep'],
  [
    '10,001 members',
    JSON.stringify(Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [index, 0]))),
    'more than 10000 members',
  ],
] as const)('rejects %s and says what is wrong', async ([, body, text]) => {
  await using server = await pipeline()
  const error = await server.fails(track, { mode: 'execute', request_body: body })
  expect(error.code).toBe('invalid_input')
  expect(error.message).toContain(text)
  expect(server.emulator.store.requests()).toEqual([])
})

test('rejects a batch with more calls than are reported in one result', async () => {
  await using server = await pipeline()
  const error = await server.fails(batchTool, execution(`{"batch":[${'{},'.repeat(10_000)}{}]}`))
  expect(error).toMatchObject({ code: 'too_large' })
  expect(error.message).toContain('may have 10000 calls; this one has 10001')
  expect(server.emulator.store.requests()).toEqual([])
})

test.for([
  ['no mode', {}, '"mode" is required'],
  ['an unknown mode', { mode: 'excute' }, '"mode" must be "get_request_schema" or "execute", not "excute"'],
  ['execute without a body', { mode: 'execute' }, '"request_body" is required'],
  ['execute with a null body', { mode: 'execute', request_body: null }, '"request_body" is required'],
  ['an unknown argument', { mode: 'execute', request_bod: '{}' }, 'Unknown argument "request_bod"'],
] as const)('rejects %s and says what to change', async ([, args, text]) => {
  await using server = await pipeline()
  const error = await server.fails(track, args)
  expect(error.code).toBe('invalid_input')
  expect(error.message).toContain(text)
})
