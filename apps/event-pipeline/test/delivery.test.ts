import { expect, test } from 'vitest'
import { connect } from '@mcp-toolkits/testing'
import { eventPipeline } from '../src/server.ts'
import { execution, goodBodies, pipeline } from './pipeline.ts'

const track = 'EventPipelineApi.TrackUserEvent'

test('after lost answers and errors the same bytes go out again, and one event is stored', async () => {
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

test('what cannot be delivered in time is queued, named, and delivered once by itself', async () => {
  await using server = await pipeline()
  server.emulator.faults.add({ times: 5, action: { kind: 'drop_after' } })
  const queued = await server.call(track, execution(goodBodies.track, { enable_strict_validation: 'True' }))
  expect(queued).toMatchObject({ outcome: 'queued', strict: true, validated: false, outbox: { entries: [1] } })
  expect(queued).not.toHaveProperty('http_status')
  await expect.poll(() => server.emulator.store.requests().length, { timeout: 15_000 }).toBe(6)
  const stored = server.emulator.store.events()
  expect(stored.map(({ message_id: id }) => [id])).toEqual(stored.map(() => queued['message_ids']))
  expect(new Set(stored.map(({ body }) => body)).size).toBe(1)
  expect(stored.filter(({ outcome }) => outcome === 'accepted').length).toBe(1)
})

test('a Retry-After beyond the budget queues at once, until then at least', async () => {
  await using server = await pipeline()
  server.emulator.faults.add({ action: { kind: 'status', status: 429, retry_after: 600 } })
  const result = await server.call(track, execution(goodBodies.track))
  const { next_attempt_at: next } = Object.assign({ next_attempt_at: '' }, result['outbox'])
  expect(result['outcome']).toBe('queued')
  expect(Date.parse(next) - Date.now()).toBeGreaterThan(590_000)
  expect(server.emulator.store.requests().length).toBe(1)
})

test('a redirect is not followed, and says where it pointed', async () => {
  await using server = await pipeline()
  server.emulator.faults.add({ action: { kind: 'redirect', status: 307, location: 'https://elsewhere.example/v1/track' } })
  const error = await server.fails(track, execution(goodBodies.track))
  expect(error).toMatchObject({ code: 'unavailable', http_status: 307, retryable: false })
  expect(error.message).toContain('elsewhere.example')
  expect(error.message).toContain('Set EVENT_PIPELINE_REGION (or EVENT_PIPELINE_API_URL), restart the server and send the event again')
  expect(error).not.toHaveProperty('next')
  expect(server.emulator.store.requests().length).toBe(1)
})

test('a page that answers 200 in the vendor’s place is not taken for the vendor', async () => {
  await using server = await pipeline()
  const portal = { kind: 'status', status: 200, body: '<html>Sign in</html>', headers: { 'content-type': 'text/html' } } as const
  server.emulator.faults.add({ action: portal })
  const result = await server.call(track, execution(goodBodies.track))
  expect(result).toMatchObject({ outcome: 'queued' })
  expect(JSON.stringify(result['notices'])).toContain('HTTP 200 came with something other than JSON')
})

test('requests go to the vendor’s region with Basic authentication, the strict header only when enabled, and nowhere else', async () => {
  const seen: Request[] = []
  const fetch = (input: string | URL | Request, init?: RequestInit) => {
    seen.push(new Request(input, init))
    return Promise.resolve(Response.json({}))
  }
  const environment = { EVENT_PIPELINE_API_KEY: 'k', EVENT_PIPELINE_REGION: 'eu' }
  await using server = await connect(eventPipeline, { fetch, environment })
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
] as const)('%s is unauthenticated and never the embedded default', async ([, environment, told]) => {
  const fetch = () => Promise.reject(new Error('A request was sent.'))
  await using server = await connect(eventPipeline, { fetch, environment })
  const error = await server.fails(track, execution(goodBodies.track))
  expect(error.code).toBe('unauthenticated')
  expect(error.message).toContain(told)
  expect(server.client.getInstructions()).toContain('Not connected')
})

test('with --read-only the tools stay listed, schemas are given, and execute is forbidden', async () => {
  await using server = await pipeline({ readOnly: true })
  expect((await server.client.listTools()).tools.length).toBe(7)
  expect(await server.call(track, { mode: 'get_request_schema' })).toHaveProperty('openapi')
  expect(await server.fails(track, execution(goodBodies.track))).toMatchObject({ code: 'forbidden' })
  expect(server.emulator.store.requests()).toEqual([])
})

test('an account’s results are not marked as embedded; the embedded default’s are, writes in words', async () => {
  await using account = await pipeline()
  expect(await account.call(track, execution(goodBodies.track))).not.toHaveProperty('upstream')
  await using embedded = await pipeline({ embedded: true })
  const result = await embedded.result(track, execution(goodBodies.track))
  expect(result._meta).toMatchObject({ 'mcp-toolkits/upstream': 'embedded' })
  expect(result.structuredContent).toMatchObject({ upstream: 'embedded: nothing left this machine' })
  expect(await embedded.call(track, { mode: 'get_request_schema' })).not.toHaveProperty('upstream')
  expect(embedded.client.getInstructions()).toContain('embedded default')
})

test('a caller that gives up stops the work upstream', async () => {
  await using server = await pipeline()
  server.emulator.faults.add({ action: { kind: 'hang' } })
  const giveUp = new AbortController()
  const call = server.client.callTool({ name: track, arguments: execution(goodBodies.track) }, { signal: giveUp.signal })
  await expect.poll(() => server.emulator.store.requests().length).toBe(1)
  giveUp.abort()
  await expect(call).rejects.toThrow()
  await expect.poll(() => server.logged.join('')).toContain('"outcome":"cancelled"')
  expect(server.emulator.store.requests().length).toBe(1)
})

test('the key stands in no result, error or log line', async () => {
  const canary = 'canary-0123456789abcdef'
  await using server = await pipeline({ environment: { EVENT_PIPELINE_API_KEY: canary } })
  const results = [
    await server.result(track, execution(goodBodies.track)),
    await server.result(track, execution(goodBodies.track, { enable_strict_validation: 'True' })),
  ]
  server.emulator.faults.add({ times: 9, action: { kind: 'drop_before' } })
  results.push(await server.result(track, execution(goodBodies.track)))
  expect(JSON.stringify(results) + server.logged.join('')).not.toContain(canary)
  expect(JSON.stringify(results) + server.logged.join('')).not.toContain(btoa(`${canary}:`))
})
