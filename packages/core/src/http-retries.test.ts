import { describe, expect, it } from 'vitest'
import { createHttpFetch, type HttpClientOptions } from './http.ts'
import type { Fetch } from './transport/response.ts'
import { ManualClock } from './manual-clock.ts'

const second = 1000
const start = Date.parse('2026-03-01T12:00:00Z')

/** Posts through `http` on a clock that skips waits; `times` are the moments at which requests were sent. */
function post(respond: (attempt: number) => Promise<Response>, options: Partial<HttpClientOptions> = {}, signal?: AbortSignal) {
  const clock = new ManualClock({ start, skipSleeps: signal === undefined })
  const times: number[] = []
  const fetch: Fetch = () => {
    times.push(clock.now() - start)
    return respond(times.length)
  }
  const send = createHttpFetch({ fetch, vendor: 'Acme', retryMethods: ['POST'], clock, ...options })
  return { clock, times, response: send('http://acme.example/', { method: 'POST', body: '{}', signal: signal ?? null }) }
}

/** Responds once with a failure and then with 200. */
const failOnce = (status: number, headers: Readonly<Record<string, string>>) => (attempt: number) =>
  Promise.resolve(attempt === 1 ? new Response('wait', { status, headers }) : new Response('done'))

describe('Retry-After', () => {
  it.each([
    ['seconds', '7', 7],
    ['an HTTP date', 'Sun, 01 Mar 2026 12:00:09 GMT', 9],
  ])('in %s is honoured exactly', async (_, value, seconds) => {
    const { times, response } = post(failOnce(429, { 'retry-after': value }))
    expect(await (await response).text()).toBe('done')
    expect(times).toEqual([0, seconds * second])
  })

  it.each([500, 502, 503])('is honoured for HTTP %i too', async (status) => {
    const { times, response } = post(failOnce(status, { 'retry-after': '6' }))
    expect((await response).status).toBe(200)
    expect(times).toEqual([0, 6 * second])
  })

  it.each(['60', 'Sun, 01 Mar 2026 13:00:00 GMT'])('beyond the budget (%s) returns that response at once', async (value) => {
    const sent = post(failOnce(429, { 'retry-after': value }))
    const response = await sent.response
    expect([response.status, response.headers.get('retry-after'), await response.text()]).toEqual([429, value, 'wait'])
    expect([sent.times, sent.clock.sleeps]).toEqual([[0], []])
  })

  it.each(['soon', '', '-5', 'Sun, 01 Mar 2026 11:00:00 GMT'])('with an unusable value (%j) leaves the wait to us', async (value) => {
    const { clock, response } = post(failOnce(429, { 'retry-after': value }))
    expect((await response).status).toBe(200)
    expect(clock.sleeps).toHaveLength(1)
    expect(clock.sleeps[0]).toBeLessThanOrEqual(300)
  })

  it.each([{ 'x-ratelimit-reset': '3600' }, { 'ratelimit-reset': '3600' }, { 'x-rate-limit-reset': '1772370000' }])(
    'is the only header that sets a wait: %j is the end of a quota',
    async (headers) => {
      const { clock, response } = post(failOnce(503, headers))
      expect((await response).status).toBe(200)
      expect(clock.sleeps[0]).toBeLessThanOrEqual(300)
    },
  )
})

describe('backoff', () => {
  const busy = () => Promise.resolve(new Response('busy', { status: 503 }))

  it('is at most 0.3 seconds, doubles with each retry, and ends with the last response', async () => {
    const { clock, times, response } = post(busy)
    expect((await response).status).toBe(503)
    expect(times).toHaveLength(5)
    for (const [index, wait] of clock.sleeps.entries()) expect(wait).toBeLessThanOrEqual(300 * 2 ** index)
  })

  it('ends with the last response when the budget has no room for another wait', async () => {
    const { clock, response } = post(busy, { budgetMs: 10 * second, maxAttempts: 1000 })
    expect((await response).status).toBe(503)
    expect(clock.now() - start).toBeLessThan(10 * second)
  })

  it('ends at once when the caller gives up', async () => {
    const controller = new AbortController()
    const reason = new Error('The user went away.')
    const { clock, times, response } = post(failOnce(503, { 'retry-after': '20' }), {}, controller.signal)
    const failure = response.catch((error: unknown) => error)
    await clock.advance(second)
    controller.abort(reason)
    expect(await failure).toBe(reason)
    await clock.advance(30 * second)
    expect([times, clock.sleeps]).toEqual([[0], [20 * second]])
  })
})

describe('retryUnanswered: false', () => {
  const options = { retryStatuses: [429], retryUnanswered: false }

  it('retries what the vendor did not begin', async () => {
    const { times, response } = post(failOnce(429, { 'retry-after': '1' }), options)
    expect((await response).status).toBe(200)
    expect(times).toEqual([0, second])
  })

  it.each([
    ['was lost', () => Promise.reject(new TypeError('fetch failed')), 'could not be reached'],
    ['hangs', () => Promise.withResolvers<Response>().promise, 'did not answer'],
  ] as const)('never repeats a request that %s', async (_, respond, message) => {
    const { clock, times, response } = post(respond, options)
    const failure = response.catch(String)
    await clock.advance(60 * second)
    expect(await failure).toContain(message)
    expect(times).toEqual([0])
  })
})

it('ends within its budget when no attempt is answered', async () => {
  const { clock, times, response } = post(() => Promise.withResolvers<Response>().promise)
  let endedAt = Infinity
  const failure = response.catch((error: unknown) => {
    endedAt = clock.now() - start
    return String(error)
  })
  for (let tenths = 0; tenths < 300; tenths += 1) await clock.advance(100)
  expect(await failure).toBe('Unavailable: Acme did not answer within 25 seconds.')
  expect(endedAt).toBeLessThanOrEqual(25.1 * second)
  expect(times.length).toBeGreaterThan(2)
})
