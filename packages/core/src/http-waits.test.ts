import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { http, waitOf, type Fetch } from './http.ts'

const second = 1000
const now = new Date('2026-03-01T12:00:00Z')

beforeEach(() => {
  vi.useFakeTimers({ now })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A vendor that answers once as given and then with 200, and how often it was asked. */
function vendor(status: number, headers: Readonly<Record<string, string>>) {
  const asked: number[] = []
  const fetch: Fetch = () => {
    asked.push(Date.now() - now.getTime())
    return Promise.resolve(asked.length === 1 ? new Response('wait', { status, headers }) : new Response('done'))
  }
  const send = http({ fetch, vendor: 'Acme', repeatable: ['POST'] })
  return { asked, answer: send('http://acme.example/', { method: 'POST', body: '{}' }) }
}

describe('Retry-After', () => {
  it.each([
    ['seconds', '7', 7],
    ['an HTTP date', 'Sun, 01 Mar 2026 12:00:09 GMT', 9],
  ])('in %s is honoured to the second', async (_, value, seconds) => {
    const { asked, answer } = vendor(429, { 'retry-after': value })
    await vi.advanceTimersByTimeAsync(seconds * second - 1)
    expect(asked).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(asked).toEqual([0, seconds * second])
    expect(await (await answer).text()).toBe('done')
  })

  it.each([500, 502, 503])('is honoured with HTTP %i too', async (status) => {
    const { asked, answer } = vendor(status, { 'retry-after': '6' })
    await vi.advanceTimersByTimeAsync(6 * second)
    expect(asked).toEqual([0, 6 * second])
    expect((await answer).status).toBe(200)
  })

  it.each(['60', 'Sun, 01 Mar 2026 13:00:00 GMT'])('beyond the budget (%s) returns that response at once', async (value) => {
    const { asked, answer } = vendor(429, { 'retry-after': value })
    await vi.advanceTimersByTimeAsync(0)
    const response = await answer
    expect([response.status, response.headers.get('retry-after'), await response.text()]).toEqual([429, value, 'wait'])
    expect(asked).toEqual([0])
  })

  it.each(['soon', '', '-5', 'Sun, 01 Mar 2026 11:00:00 GMT'])('that says nothing usable (%j) leaves the wait to us', async (value) => {
    const { asked, answer } = vendor(429, { 'retry-after': value })
    await vi.advanceTimersByTimeAsync(5 * second)
    expect(asked).toHaveLength(2)
    expect((await answer).status).toBe(200)
  })

  it.each([{ 'x-ratelimit-reset': '3600' }, { 'ratelimit-reset': '3600' }, { 'x-rate-limit-reset': '1772370000' }])(
    'is the only header that asks to wait: %j is the end of a quota',
    async (headers) => {
      const { asked, answer } = vendor(503, headers)
      await vi.advanceTimersByTimeAsync(5 * second)
      expect(asked).toHaveLength(2)
      expect((await answer).status).toBe(200)
    },
  )
})

describe('waits of our own', () => {
  it('are at most 0.3 seconds, twice that with each repeat, and end with the last response', async () => {
    const asked: number[] = []
    const fetch: Fetch = () => {
      asked.push(Date.now() - now.getTime())
      return Promise.resolve(new Response('busy', { status: 503 }))
    }
    const answer = http({ fetch, vendor: 'Acme', repeatable: ['POST'] })('http://acme.example/', { method: 'POST', body: '{}' })
    await vi.advanceTimersByTimeAsync(25 * second)
    expect((await answer).status).toBe(503)
    expect(asked).toHaveLength(5)
    const waits = asked.slice(1).map((at, index) => at - (asked[index] ?? 0))
    for (const [index, wait] of waits.entries()) expect(wait).toBeLessThanOrEqual(300 * 2 ** index)
  })

  it('end at once when the caller gives up', async () => {
    const controller = new AbortController()
    const reason = new Error('The user went away.')
    let asked = 0
    const fetch: Fetch = () => {
      asked += 1
      return Promise.resolve(new Response('busy', { status: 503, headers: { 'retry-after': '20' } }))
    }
    const send = http({ fetch, vendor: 'Acme', repeatable: ['POST'] })
    const answer = send('http://acme.example/', { method: 'POST', body: '{}', signal: controller.signal }).catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(second)
    controller.abort(reason)
    expect(await answer).toBe(reason)
    await vi.advanceTimersByTimeAsync(30 * second)
    expect(asked).toBe(1)
  })
})

describe('repeatUnanswered: false', () => {
  const send = (fetch: Fetch) =>
    http({ fetch, vendor: 'Acme', repeatable: ['POST'], retryStatuses: [429], repeatUnanswered: false })('http://acme.example/', {
      method: 'POST',
      body: '{}',
    }).catch((error: unknown) => error)

  it('repeats what was not begun', async () => {
    const answers = [new Response('wait', { status: 429, headers: { 'retry-after': '1' } }), new Response('done')]
    const answer = send(() => Promise.resolve(answers.shift() ?? Response.error()))
    await vi.advanceTimersByTimeAsync(second)
    expect(await answer).toMatchObject({ status: 200 })
  })

  it.each([
    ['that is lost', () => Promise.reject(new TypeError('fetch failed')), 'could not be reached'],
    ['that hangs', () => Promise.withResolvers<Response>().promise, 'did not answer'],
  ] as const)('never repeats a request %s', async (_, fetch, told) => {
    let asked = 0
    const answer = send(() => {
      asked += 1
      return fetch()
    })
    await vi.advanceTimersByTimeAsync(60 * second)
    expect(String(await answer)).toContain(told)
    expect(asked).toBe(1)
  })
})

describe('waitOf', () => {
  it.each([
    ['3', 3000],
    ['1.5', 1500],
    ['Sun, 01 Mar 2026 12:00:30 GMT', 30_000],
    ['Sun, 01 Mar 2026 11:00:00 GMT', 0],
    ['-3', 0],
    ['soon', 0],
    ['', 0],
    ['Infinity', 0],
  ])('reads %j as %i ms', (value, wait) => {
    expect(waitOf(new Response(null, { headers: { 'retry-after': value } }))).toBe(wait)
  })

  it('is 0 when nothing is said', () => {
    expect(waitOf(new Response(null))).toBe(0)
  })
})
