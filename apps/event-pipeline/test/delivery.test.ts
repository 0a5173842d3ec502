import { ManualClock, manualScope } from '@mcp-toolkits/core/testing'
import { Secret } from '@mcp-toolkits/core/upstream'
import { expect, test } from 'vitest'
import { connect } from '@mcp-toolkits/testing'
import { decideDelivery } from '../src/outbox/delivery-policy.ts'
import { pipelinesClient } from '../src/pipelines/client.ts'
import { eventPipeline } from '../src/server.ts'
import { acceptingKeys, elapse, execution, goodBodies, pipeline, until } from './pipeline.ts'

const track = 'EventPipelineApi.TrackUserEvent'

test('retries with the same bytes after lost responses and errors, and one event is stored', async () => {
  await using server = await pipeline()
  server.emulator.faults.add({ action: { kind: 'drop_after' } })
  server.emulator.faults.add({ action: { kind: 'status', status: 503, retry_after: 0 } })
  server.emulator.faults.add({ action: { kind: 'drop_before' } })
  expect(await server.call(track, execution(goodBodies.track))).toMatchObject({ outcome: 'delivered' })
  const requests = server.emulator.store.requests()
  expect(requests.length).toBe(4)
  expect(new Set(requests.map(({ body }) => body)).size).toBeLessThanOrEqual(2)
  expect(server.emulator.store.events().map(({ outcome }) => outcome)).toEqual(['accepted', 'duplicate'])
  expect(new Set(server.emulator.store.events().map((event) => event.body)).size).toBe(1)
})

test('queues an event that cannot be delivered in time, and delivers it once in the background', async () => {
  await using server = await pipeline()
  server.emulator.faults.add({ times: 5, action: { kind: 'drop_after' } })
  const queued = await server.call(track, execution(goodBodies.track, { enable_strict_validation: 'True' }))
  expect(queued).toMatchObject({ outcome: 'queued', strict: true, validated: false, outbox: { entries: [1] } })
  expect(queued).not.toHaveProperty('http_status')
  expect(server.emulator.store.requests().length).toBe(5)
  await server.clock.advance(5_000)
  await until(() => server.emulator.store.requests().length === 6)
  const stored = server.emulator.store.events()
  expect(stored.map(({ message_id: id }) => [id])).toEqual(stored.map(() => queued['message_ids']))
  expect(new Set(stored.map(({ body }) => body)).size).toBe(1)
  expect(stored.filter(({ outcome }) => outcome === 'accepted').length).toBe(1)
})

test('queues at once when Retry-After is beyond the budget, and waits at least that long', async () => {
  await using server = await pipeline()
  server.emulator.faults.add({ action: { kind: 'status', status: 429, retry_after: 600 } })
  const result = await server.call(track, execution(goodBodies.track))
  const { next_attempt_at: next } = Object.assign({ next_attempt_at: '' }, result['outbox'])
  expect(result['outcome']).toBe('queued')
  expect(Date.parse(next) - server.clock.now()).toBeGreaterThan(590_000)
  expect(server.emulator.store.requests().length).toBe(1)
})

test('keeps an event without a messageId open when there was no time to send it', async () => {
  let sent = 0
  const fetch = () => {
    sent += 1
    return Promise.resolve(Response.json({}))
  }
  const clock = new ManualClock()
  const client = pipelinesClient({ fetch, baseUrl: 'https://cdp.customer.io/v1', key: new Secret('k'), clock })
  const scope = manualScope({ clock, ms: 0 })
  const request = { name: 'track', body: '{}', strict: false, isRepeatable: false, holds: 'refuse', scope } as const
  const error: unknown = await client.post(request).catch((thrown: unknown) => thrown)
  expect(error).toHaveProperty('code', 'unavailable')
  const entry = { isIdentified: false, isAnswered: true, attempts: 1 }
  expect(decideDelivery(error, entry, undefined)).toMatchObject({ state: 'open' })
  expect(sent).toBe(0)
})

test('does not follow a redirect, and names its host', async () => {
  await using server = await pipeline()
  server.emulator.faults.add({ action: { kind: 'redirect', status: 307, location: 'https://elsewhere.example/v1/track' } })
  const error = await server.fails(track, execution(goodBodies.track))
  expect(error).toMatchObject({ code: 'unavailable', http_status: 307, retryable: false })
  expect(error.message).toContain('elsewhere.example')
  expect(error.message).toContain('Set EVENT_PIPELINE_REGION (or EVENT_PIPELINE_API_URL), restart the server and send the event again')
  expect(error).not.toHaveProperty('next')
  expect(server.emulator.store.requests().length).toBe(1)
})

const portal = { kind: 'status', status: 200, body: '<html>Sign in</html>', headers: { 'content-type': 'text/html' } } as const

test('does not mistake a page with status 200 for a response from the vendor', async () => {
  await using server = await pipeline()
  server.emulator.faults.add({ times: 9, action: portal })
  const result = await server.call(track, execution(goodBodies.track))
  expect(result).toMatchObject({ outcome: 'queued' })
  expect(JSON.stringify(result['notices'])).toContain('HTTP 200 came without valid JSON')
})

test('sends an event again when a page came instead of a response', async () => {
  await using server = await pipeline()
  server.emulator.faults.add({ action: portal })
  expect(await server.call(track, execution(goodBodies.track))).toMatchObject({ outcome: 'delivered' })
  expect(server.emulator.store.events().map(({ outcome }) => outcome)).toEqual(['accepted'])
})

test('50 calls to a vendor that fails cause at most 75 requests', async () => {
  await using server = await pipeline({ clock: new ManualClock({ skipSleeps: false }) })
  server.emulator.faults.add({ times: 1_000, action: { kind: 'status', status: 503 } })
  const calls = Array.from({ length: 50 }, (_, index) => server.call(track, execution({ userId: `u${index}`, event: 'E' })))
  const results = await elapse(server.clock, Promise.all(calls))
  expect(results.map(({ outcome }) => outcome)).toEqual(calls.map(() => 'queued'))
  expect(server.emulator.store.requests().length).toBeLessThanOrEqual(75)
})

test('50 queued events do not flood a failing vendor, and are all delivered once it works', async () => {
  await using server = await pipeline({ clock: new ManualClock({ skipSleeps: false }) })
  server.emulator.faults.add({ times: 1_000, action: { kind: 'status', status: 503 } })
  const calls = Array.from({ length: 50 }, (_, index) => server.call(track, execution({ userId: `u${index}`, event: 'E' })))
  await elapse(server.clock, Promise.all(calls))
  const before = server.emulator.store.requests().length
  await elapse(server.clock, server.clock.sleep(20_000))
  // Attempts are made after 1, 3 and 7 seconds, and then when the circuit breaker allows.
  expect(server.emulator.store.requests().length - before).toBeLessThanOrEqual(6)
  server.emulator.faults.clear()
  const stored = () => server.emulator.store.events()
  await elapse(
    server.clock,
    until(() => stored().length === 50),
    1_000,
  )
  expect(stored().map(({ outcome }) => outcome)).toEqual(calls.map(() => 'accepted'))
})

test('reads no more of a response than the vendor ever sends', async () => {
  await using server = await pipeline()
  server.emulator.faults.add({ times: 9, action: { kind: 'status', status: 200, body: { padding: 'x'.repeat(2 * 1024 ** 2) } } })
  const result = await server.call(track, execution(goodBodies.track))
  expect(result).toMatchObject({ outcome: 'queued' })
  expect(JSON.stringify(result['notices'])).toContain('The response was larger than 1 MiB')
})

test('sends requests to the region of the account with Basic authentication, and the strict header only when enabled', async () => {
  const seen: Request[] = []
  const fetch = (input: string | URL | Request, init?: RequestInit) => {
    seen.push(new Request(input, init))
    return Promise.resolve(Response.json({}))
  }
  const environment = { EVENT_PIPELINE_API_KEY: 'k', EVENT_PIPELINE_REGION: 'eu' }
  await using server = await connect(eventPipeline, { fetch: acceptingKeys(fetch), environment })
  await server.call(track, execution(goodBodies.track))
  await server.call(track, execution(goodBodies.track, { enable_strict_validation: 'True' }))
  expect(seen.map(({ method, url, headers }) => [method, url, headers.get('authorization'), headers.get('x-strict-mode')])).toEqual([
    ['POST', 'https://cdp-eu.customer.io/v1/track', `Basic ${btoa('k:')}`, null],
    ['POST', 'https://cdp-eu.customer.io/v1/track', `Basic ${btoa('k:')}`, '1'],
  ])
  expect(seen[0]?.headers.get('content-type')).toBe('application/json')
})

test.for([
  ['an empty key', { EVENT_PIPELINE_API_KEY: '' }, 'set but empty'],
  ['a placeholder', { EVENT_PIPELINE_API_KEY: '${KEY}' }, 'placeholder'],
  ['a URL without a key', { EVENT_PIPELINE_API_URL: 'https://example.com/v1' }, 'without EVENT_PIPELINE_API_KEY'],
  ['a URL that is not https', { EVENT_PIPELINE_API_KEY: 'k', EVENT_PIPELINE_API_URL: 'http://example.com/v1' }, 'https://'],
  ['an unknown region', { EVENT_PIPELINE_API_KEY: 'k', EVENT_PIPELINE_REGION: 'mars' }, 'us or eu'],
] as const)('reports %s as unauthenticated and never uses the embedded default', async ([, environment, text]) => {
  const fetch = () => Promise.reject(new Error('A request was sent.'))
  await using server = await connect(eventPipeline, { fetch: acceptingKeys(fetch), environment })
  const error = await server.fails(track, execution(goodBodies.track))
  expect(error.code).toBe('unauthenticated')
  expect(error.message).toContain(text)
  expect(server.client.getInstructions()).toContain('Not connected')
})

test('with --read-only, lists the tools, returns schemas and forbids execute', async () => {
  await using server = await pipeline({ readOnly: true })
  expect((await server.client.listTools()).tools.length).toBe(7)
  expect(await server.call(track, { mode: 'get_request_schema' })).toHaveProperty('openapi')
  expect(await server.fails(track, execution(goodBodies.track))).toMatchObject({ code: 'forbidden' })
  expect(server.emulator.store.requests()).toEqual([])
})

test('marks the results of the embedded default, and not those of an account', async () => {
  await using account = await pipeline()
  expect(await account.call(track, execution(goodBodies.track))).not.toHaveProperty('upstream')
  await using embedded = await pipeline({ embedded: true })
  const result = await embedded.result(track, execution(goodBodies.track))
  expect(result._meta).toMatchObject({ 'mcp-toolkits/upstream': 'embedded' })
  expect(result.structuredContent).toMatchObject({ upstream: 'embedded: nothing left this machine' })
  expect(await embedded.call(track, { mode: 'get_request_schema' })).not.toHaveProperty('upstream')
  expect(embedded.client.getInstructions()).toContain('embedded default')
})

test('stops the request when the caller gives up', async () => {
  await using server = await pipeline()
  server.emulator.faults.add({ action: { kind: 'hang' } })
  const giveUp = new AbortController()
  const call = server.client.callTool({ name: track, arguments: execution(goodBodies.track) }, { signal: giveUp.signal })
  await until(() => server.emulator.store.requests().length === 1)
  giveUp.abort()
  await expect(call).rejects.toThrow()
  await until(() => server.logLines.join('').includes('"outcome":"cancelled"'))
  expect(server.emulator.store.requests().length).toBe(1)
})

test('never shows the key in a result, error or log line', async () => {
  const canary = 'canary-0123456789abcdef'
  await using server = await pipeline({ environment: { EVENT_PIPELINE_API_KEY: canary } })
  const results = [
    await server.result(track, execution(goodBodies.track)),
    await server.result(track, execution(goodBodies.track, { enable_strict_validation: 'True' })),
  ]
  server.emulator.faults.add({ times: 9, action: { kind: 'drop_before' } })
  results.push(await server.result(track, execution(goodBodies.track)))
  expect(JSON.stringify(results) + server.logLines.join('')).not.toContain(canary)
  expect(JSON.stringify(results) + server.logLines.join('')).not.toContain(btoa(`${canary}:`))
})
