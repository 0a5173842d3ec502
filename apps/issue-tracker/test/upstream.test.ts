import { ManualClock } from '@mcp-toolkits/core/testing'
import { describe, expect, test } from 'vitest'
import { workspace, type Workspace } from './workspace.ts'

const list = 'IssueTracker.ListTeams'
const start = Date.UTC(2026, 0, 1)
const rateLimited = { errors: [{ message: 'Rate limit exceeded', extensions: { code: 'RATELIMITED', type: 'ratelimited' } }] }

/** The errors of several calls; undefined for a call that succeeds. */
async function errorsOf(server: Workspace, calls: number, tool = list) {
  return Promise.all(
    Array.from({ length: calls }, async () => {
      const { isError } = await server.result(tool)
      return isError === true
    }),
  )
}

async function pass(clock: ManualClock, seconds: number): Promise<void> {
  for (let tenths = 0; tenths < seconds * 10; tenths += 1) await clock.advance(100)
}

describe('50 calls while every request to Linear fails', () => {
  test.for([
    ['HTTP 503', { kind: 'status', status: 503 }],
    ['lost connections', { kind: 'drop_before' }],
    ['a rate limit without a hint', { kind: 'status', status: 400, body: rateLimited }],
    ['a rate limit of some seconds', { kind: 'status', status: 400, body: rateLimited, retry_after: 6 }],
  ] as const)('make at most 75 requests, in parallel or in a row: %s', async ([, action]) => {
    for (const parallel of [50, 1]) {
      await using server = await workspace({ clock: new ManualClock() })
      server.emulator.faults.add({ times: 1_000, action })
      for (let round = 0; round < 50 / parallel; round += 1) expect(await errorsOf(server, parallel)).not.toContain(false)
      expect(server.requests()).toBeLessThanOrEqual(75)
    }
  })
})

describe('an exhausted quota', () => {
  const headers = (kind: string, reset: number, remaining = 0) => ({
    [`x-ratelimit-${kind}-limit`]: '2500',
    [`x-ratelimit-${kind}-remaining`]: String(remaining),
    [`x-ratelimit-${kind}-reset`]: String(reset),
  })

  test.for(['requests', 'complexity'])('causes no further request until it resets: %s', async (kind) => {
    const clock = new ManualClock({ start })
    await using server = await workspace({ clock })
    const action = { kind: 'status', status: 400, body: rateLimited, headers: headers(kind, start + 600_000) } as const
    server.emulator.faults.add({ times: 1_000, action })
    expect(await server.fails(list)).toMatchObject({ code: 'rate_limited', retryable: true, retry_after_seconds: 600 })
    for (let minute = 1; minute < 10; minute += 1) {
      await clock.advance(60_000)
      expect(await server.fails(list)).toMatchObject({ code: 'rate_limited', retry_after_seconds: 600 - minute * 60 })
    }
    expect(server.requests()).toBe(1)
    server.emulator.faults.clear()
    await clock.advance(60_000)
    expect(await server.call(list)).toHaveProperty('teams')
    expect(server.requests()).toBe(2)
  })

  test('holds requests for an hour at most, however wrong a clock is', async () => {
    const clock = new ManualClock({ start })
    await using server = await workspace({ clock })
    const action = { kind: 'status', status: 400, body: rateLimited, headers: headers('requests', start + 10 * 3_600_000) } as const
    server.emulator.faults.add({ action })
    expect(await server.fails(list)).toMatchObject({ code: 'rate_limited', retry_after_seconds: 3_600 })
    await clock.advance(3_600_000)
    expect(await server.call(list)).toHaveProperty('teams')
  })

  test('holds requests right after the response that exhausts it', async () => {
    const clock = new ManualClock({ start })
    await using server = await workspace({ clock, emulated: { limits: { requests: 1 } } })
    expect(await server.call(list)).toHaveProperty('teams')
    expect(await server.fails(list)).toMatchObject({ code: 'rate_limited' })
    expect(server.requests()).toBe(1)
  })

  test('of one endpoint does not hold other requests', async () => {
    const clock = new ManualClock({ start })
    await using server = await workspace({ clock })
    const action = { kind: 'status', status: 400, body: rateLimited, headers: headers('endpoint-requests', start + 50_000) } as const
    server.emulator.faults.add({ action })
    expect(await server.fails(list)).toMatchObject({ code: 'rate_limited', retry_after_seconds: 50 })
    expect(await server.fails(list)).toMatchObject({ code: 'rate_limited', retry_after_seconds: 50 })
    expect(await server.call('IssueTracker.ListIssues')).toHaveProperty('issues')
    expect(server.requests()).toBe(2)
  })

  test('of one server does not affect another server with another account', async () => {
    await using one = await workspace({ clock: new ManualClock() })
    await using other = await workspace({ clock: new ManualClock() })
    one.emulator.faults.add({ action: { kind: 'status', status: 429, retry_after: 600 } })
    expect(await one.fails(list)).toMatchObject({ code: 'rate_limited' })
    expect(await other.call(list)).toHaveProperty('teams')
  })
})

test('a rate limit that lasts is reported as such before the call times out', async () => {
  const clock = new ManualClock({ start })
  await using server = await workspace({ clock })
  server.emulator.faults.add({ times: 100, action: { kind: 'status', status: 400, body: rateLimited, retry_after: 6 } })
  expect(await server.fails(list)).toMatchObject({ code: 'rate_limited', retryable: true, retry_after_seconds: 6 })
  expect(clock.now() - start).toBeLessThanOrEqual(28_000)
  expect(server.requests()).toBeGreaterThan(2)
})

describe('a response that is not from Linear', () => {
  const page = '<!doctype html><title>Sign in to Hotel</title>'
  const html = { 'content-type': 'text/html' }
  const json = { 'content-type': 'application/json' }
  const answers = [
    ['a page', { body: page, headers: html }],
    ['a page that claims to be JSON', { body: page, headers: json }],
    ['nothing', { body: '', headers: json }],
    ['half of the JSON', { body: '{"data":{"teams":{"nodes":[', headers: json }],
    ['JSON without data', { body: {} }],
    ['text', { body: 'OK', headers: { 'content-type': 'text/plain' } }],
  ] as const

  test.for(answers)('is retried: %s', async ([, answer]) => {
    await using server = await workspace({ clock: new ManualClock() })
    server.emulator.faults.add({ action: { kind: 'status', status: 200, ...answer } })
    expect(await server.call(list)).toHaveProperty('teams')
    expect(server.requests()).toBe(2)
  })

  test.for(answers)('is reported without its text if no other arrives: %s', async ([, answer]) => {
    await using server = await workspace({ clock: new ManualClock() })
    server.emulator.faults.add({ times: 100, action: { kind: 'status', status: 200, ...answer } })
    const error = await server.fails(list)
    expect(error).toMatchObject({ code: 'unavailable', retryable: true })
    expect(error.message).toMatch(/proxy or a sign-in page/)
    expect(error.message).not.toMatch(/[<>]|Hotel/)
  })

  test('causes no duplicate when it replaces the response to a create', async () => {
    await using server = await workspace({ clock: new ManualClock() })
    server.emulator.faults.add({ times: 2, action: { kind: 'status_after_commit', status: 200, body: page, headers: html } })
    expect(await server.call('IssueTracker.CreateIssue', { team: 'ENG', title: 'Once only' })).toHaveProperty('issue')
    expect(server.emulator.store.issues().filter((issue) => issue['title'] === 'Once only')).toHaveLength(1)
  })
})

test('an endless response is read up to 16 MiB', async () => {
  let sent = 0
  const chunk = new Uint8Array(1024 ** 2).fill(32)
  const endless = () => {
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += chunk.byteLength
        controller.enqueue(chunk)
      },
    })
    return Promise.resolve(new Response(body, { headers: { 'content-type': 'application/json' } }))
  }
  await using server = await workspace({ clock: new ManualClock(), vendor: endless })
  expect(await server.fails(list)).toMatchObject({ code: 'too_large', retryable: false })
  // Two attempts, plus the bytes that a stream has buffered.
  expect(sent).toBeLessThan(2 * 20 * 1024 ** 2)
})

describe('a Linear that does not answer', () => {
  test('costs a call 28 seconds, and nothing is sent after the call has failed', async () => {
    const clock = new ManualClock({ start })
    await using server = await workspace({ clock })
    server.emulator.faults.add({ times: 1_000, action: { kind: 'hang' } })
    let endedAt = Infinity
    const call = server.fails('IssueTracker.CreateIssue', { team: 'ENG', title: 'Late' }).finally(() => {
      endedAt = clock.now()
    })
    await expect.poll(server.requests).toBe(1)
    await pass(clock, 30)
    expect(await call).toMatchObject({ code: 'unavailable', retryable: true })
    expect(endedAt - start).toBeLessThanOrEqual(29_500)
    const sent = server.requests()
    expect(sent).toBeGreaterThan(2)
    await pass(clock, 30)
    expect(server.requests()).toBe(sent)
  })

  test('is asked again in time if only one request hangs', async () => {
    const clock = new ManualClock({ start })
    await using server = await workspace({ clock })
    server.emulator.faults.add({ action: { kind: 'hang' } })
    const call = server.call(list)
    await expect.poll(server.requests).toBe(1)
    await pass(clock, 10)
    expect(await call).toHaveProperty('teams')
    expect(server.requests()).toBe(2)
  })
})

test('a list that Linear never ends is an error, not an endless list', async () => {
  await using server = await workspace({ clock: new ManualClock() })
  const pageInfo = { hasNextPage: true, endCursor: 'same' }
  server.emulator.faults.add({ times: 100, action: { kind: 'status', status: 200, body: { data: { teams: { nodes: [], pageInfo } } } } })
  const { pagination } = await server.call(list, { limit: 1 })
  const { end_cursor: cursor } = Object.assign({ end_cursor: '' }, pagination)
  expect(cursor).not.toBe('')
  expect(await server.fails(list, { limit: 1, end_cursor: cursor })).toMatchObject({
    code: 'unavailable',
    message: 'Linear sent the same page again instead of the next one, so the list could not be completed. Try again later.',
  })
})
