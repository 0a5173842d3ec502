import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Forbidden, type ErrorBody, NotFound, RateLimited, ToolError, Unavailable } from '../../errors/errors.ts'
import { ManualClock, manualScope } from '../../../test/manual-clock.ts'
import { retryAfterMs } from '../attempts.ts'
import { type CallScope, withCallScope } from '../../tool/call/call-deadline.ts'
import type { CompleteResponse, Fetch } from './response.ts'
import { createTransport, type SendOptions, transientStatuses } from './transport.ts'
import { memoryLimits } from './limits/upstream-limits.ts'

const second = 1_000
const never = () => new Promise<never>(() => undefined)

type Respond = (attempt: number) => Promise<Response>

const answer = (status: number, headers: Readonly<Record<string, string>> = {}) => Promise.resolve(new Response('x', { status, headers }))
const drop = () => Promise.reject(new TypeError('fetch failed'))

/** A vendor that answers with `respond`, and the calls that share its limits. */
function vendor(respond: Respond, { clock = new ManualClock(), random }: { clock?: ManualClock; random?: () => number } = {}) {
  const times: number[] = []
  const fetch: Fetch = async (_, init) => {
    init?.signal?.throwIfAborted()
    times.push(clock.monotonic())
    return respond(times.length)
  }
  const transport = createTransport({ fetch, vendor: 'Acme', limits: memoryLimits(clock), random })
  const read = (response: CompleteResponse): string => {
    const { status, text } = response
    const waitMs = retryAfterMs(response, clock)
    const hint = waitMs === undefined ? {} : { retryAfterSeconds: Math.ceil(waitMs / 1000) }
    if (status === 429) throw new RateLimited('Slow down.', hint)
    if (transientStatuses.includes(status)) throw new Unavailable(`HTTP ${status}.`, hint)
    if (status === 403) throw new Forbidden('No.')
    if (status === 404) throw new NotFound('Nothing.')
    return text
  }
  const send = (options: Partial<SendOptions> = {}, scope: CallScope = manualScope({ clock })) =>
    transport.send({ url: 'http://acme.example/', method: 'POST', ...options }, read, scope)
  const outcome = async (options?: Partial<SendOptions>, scope?: CallScope): Promise<string | ErrorBody> =>
    send(options, scope).catch((error: unknown) => {
      if (error instanceof ToolError) return error.toJSON()
      throw error
    })
  return { clock, times, transport, send, outcome }
}

/** Advances a clock in steps, so that a timer can set the next one. */
async function pass(clock: ManualClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 100) await clock.advance(100)
}

describe('a request', () => {
  it.each(transientStatuses)('is sent again after HTTP %i', async (status) => {
    const { send, times } = vendor((attempt) => answer(attempt === 1 ? status : 200))
    expect(await send()).toBe('x')
    expect(times).toHaveLength(2)
  })

  it.each([403, 404])('is sent once when HTTP %i answers it', async (status) => {
    const { outcome, times } = vendor(() => answer(status))
    expect(await outcome()).toMatchObject({ retryable: false })
    expect(times).toHaveLength(1)
  })

  it('that may not be repeated is sent once, whatever happens', async () => {
    for (const respond of [() => answer(503), () => answer(429), drop]) {
      const { outcome, times } = vendor(respond)
      expect(await outcome({ repeat: 'never' })).toMatchObject({ retryable: true })
      expect(times).toHaveLength(1)
    }
  })

  it('that may be repeated after a refusal is sent again after nothing else', async () => {
    const refused = vendor((attempt) => answer(attempt === 1 ? 429 : 200, { 'retry-after': '1' }))
    expect(await refused.outcome({ repeat: 'refused' })).toBe('x')
    for (const respond of [() => answer(503), drop]) {
      const { outcome, times } = vendor(respond)
      expect(await outcome({ repeat: 'refused' })).toMatchObject({ code: 'unavailable' })
      expect(times).toHaveLength(1)
    }
  })

  it('is not sent again if no token could be obtained for it', async () => {
    const { outcome, times } = vendor(() => Promise.reject(new Unavailable('The login could not be refreshed.')))
    expect(await outcome()).toMatchObject({ message: 'The login could not be refreshed.' })
    expect(times).toHaveLength(1)
  })

  it('does not hide defects in the code that reads its response', async () => {
    const { transport, clock } = vendor(() => answer(200))
    const defect = new TypeError('undefined is not a function')
    const read = () => {
      throw defect
    }
    const request = { url: 'http://acme.example/', method: 'GET' }
    await expect(transport.send(request, read, manualScope({ clock }))).rejects.toBe(defect)
  })

  it('leaves time for another attempt when the first one hangs, however little there is', async () => {
    for (const ms of [28 * second, 8 * second, 2 * second]) {
      const { clock, times, outcome } = vendor((attempt) => (attempt === 1 ? never() : answer(200)))
      const result = outcome({}, manualScope({ clock, ms }))
      await pass(clock, ms)
      expect(await result).toBe('x')
      expect(times).toHaveLength(2)
    }
  })
})

describe('the deadline', () => {
  it('ends a request that is never answered, with several attempts before', async () => {
    const { clock, times, outcome } = vendor(never, { random: () => 0 })
    const result = outcome()
    await pass(clock, 28 * second)
    expect(await result).toEqual({ code: 'unavailable', message: 'Acme did not answer within 28 seconds.', retryable: true })
    expect(times.length).toBeGreaterThan(2)
  })

  it('leaves no time for a wait that the vendor asks for: the answer says how long it is', async () => {
    const { clock, times, outcome } = vendor(() => answer(429, { 'retry-after': '40' }))
    expect(await outcome()).toEqual({ code: 'rate_limited', message: 'Slow down.', retryable: true, retry_after_seconds: 40 })
    expect(times).toHaveLength(1)
    expect(clock.sleeps).toEqual([])
    const busy = vendor(() => answer(503, { 'retry-after': '40' }))
    expect(await busy.outcome()).toMatchObject({ code: 'unavailable', retry_after_seconds: 40 })
    expect(busy.clock.sleeps).toEqual([])
  })

  it('is kept, whatever the vendor answers and the jitter is; what asks to slow down is rate_limited with a time', async () => {
    const statuses = fc.constantFrom(200, 429, 429, 503, 500, 404)
    const step = fc.record({ status: statuses, retryAfter: fc.option(fc.nat(40), { nil: undefined }), delayMs: fc.nat(400) })
    const scenario = fc.tuple(fc.array(step, { minLength: 1, maxLength: 12 }), fc.double({ min: 0, max: 0.999, noNaN: true }))
    await fc.assert(
      fc.asyncProperty(scenario, async ([steps, random]) => {
        const clock = new ManualClock()
        const statusOf = (attempt: number) => steps[(attempt - 1) % steps.length]
        const { outcome, times } = vendor(
          async (attempt) => {
            const { status = 200, retryAfter, delayMs = 0 } = statusOf(attempt) ?? {}
            await clock.advance(delayMs)
            return answer(status, retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) })
          },
          { clock, random: () => random },
        )
        const result = await outcome({ maxAttempts: 100 })
        expect(clock.monotonic()).toBeLessThanOrEqual(28 * second)
        expect(times.at(-1)).toBeLessThan(28 * second)
        if (statusOf(times.length)?.status === 429) expect(result).toMatchObject({ code: 'rate_limited', retryable: true })
      }),
      { numRuns: 200 },
    )
  })

  it('follows a Retry-After of 0 at once', async () => {
    const { send, clock } = vendor((attempt) => answer(attempt < 4 ? 429 : 200, { 'retry-after': '0' }))
    expect(await send()).toBe('x')
    expect(clock.monotonic()).toBeLessThan(400)
  })
})

describe('the end of a call', () => {
  it('ends the requests that the call has started, and starts no other', async () => {
    const { send, times, clock } = vendor((attempt) => (attempt === 1 ? answer(404) : attempt === 2 ? never() : answer(503)))
    const call = withCallScope({ clock }, async (scope) => Promise.all([send({}, scope), send({}, scope), send({}, scope)]))
    await expect(call).rejects.toBeInstanceOf(NotFound)
    const sent = times.length
    await pass(clock, 60 * second)
    expect(times).toHaveLength(sent)
  })

  it('does not end what the caller shares with others', async () => {
    const { outcome, clock } = vendor((attempt) => (attempt === 1 ? never() : answer(200)))
    const controller = new AbortController()
    const call = outcome({}, manualScope({ clock, signal: controller.signal })).catch(String)
    await clock.advance(0)
    controller.abort(new Error('gone'))
    expect(await call).toContain('gone')
    expect(await outcome()).toBe('x')
  })
})

describe('50 calls to a vendor that refuses everything', () => {
  const faults: readonly [string, Respond][] = [
    ['HTTP 503', () => answer(503)],
    ['dropped connections', drop],
    ['HTTP 429 without a time', () => answer(429)],
    ['HTTP 429 with a time', () => answer(429, { 'retry-after': '5' })],
    ['HTTP 429 at once', () => answer(429, { 'retry-after': '0' })],
  ]
  it.each(faults)('make at most 75 requests in parallel: %s', async (_, respond) => {
    const { outcome, times } = vendor(respond)
    const results = await Promise.all(Array.from({ length: 50 }, () => outcome()))
    expect(results.every((result) => typeof result === 'object' && result.retryable)).toBe(true)
    expect(times.length).toBeLessThanOrEqual(75)
  })

  it.each(faults)('make at most 75 requests one after the other: %s', async (_, respond) => {
    for (const pauseMs of [0, second, 30 * second]) {
      const { outcome, times, clock } = vendor(respond)
      for (let call = 0; call < 50; call += 1) {
        expect(await outcome()).toMatchObject({ retryable: true })
        await clock.advance(pauseMs)
      }
      expect(times.length).toBeLessThanOrEqual(75)
    }
  })
})

describe('a quota that is used up', () => {
  it('costs no request until it resets', async () => {
    const resetAt = 100 * second
    const clock = new ManualClock()
    const { outcome, times } = vendor(
      () => (clock.monotonic() < resetAt ? answer(429, { 'retry-after': String((resetAt - clock.monotonic()) / second) }) : answer(200)),
      { clock },
    )
    expect(await outcome()).toMatchObject({ code: 'rate_limited', retry_after_seconds: 100 })
    for (let call = 0; call < 50; call += 1) {
      const result = await outcome()
      if (clock.monotonic() < resetAt) expect(result).toMatchObject({ code: 'rate_limited', retry_after_seconds: 100 - 2 * call })
      await clock.advance(2 * second)
    }
    expect(times.filter((time) => time > 0 && time < resetAt)).toEqual([])
    expect(times.length).toBeGreaterThan(1)
  })

  it('delays calls that have the time, which then do not come all at once', async () => {
    const clock = new ManualClock({ skipSleeps: false })
    const resetAt = 10 * second
    const { outcome, times } = vendor(() => answer(clock.monotonic() < resetAt ? 429 : 200, { 'retry-after': '10' }), { clock })
    const first = outcome()
    await clock.advance(0)
    const results = Promise.all(Array.from({ length: 40 }, () => outcome()))
    for (let passed = 0; passed < 15 * second; passed += 50) await clock.advance(50)
    expect(await first).toBe('x')
    expect(new Set(await results)).toEqual(new Set(['x']))
    const later = times.slice(1)
    expect(later).toHaveLength(41)
    expect(Math.min(...later)).toBeGreaterThanOrEqual(resetAt)
    expect(new Set(later).size).toBe(41)
  })

  it('is left alone for the hours that the vendor asks for', async () => {
    const { outcome, times, clock } = vendor((attempt) => answer(attempt === 1 ? 429 : 200, { 'retry-after': String(6 * 3_600) }))
    for (let hour = 0; hour < 6; hour += 1) {
      expect(await outcome()).toMatchObject({ code: 'rate_limited', retry_after_seconds: (6 - hour) * 3_600 })
      await clock.advance(3_600 * second)
    }
    expect(times).toHaveLength(1)
    expect(await outcome()).toBe('x')
  })

  it('delays calls even if many calls that waited for it have given up', async () => {
    const clock = new ManualClock({ skipSleeps: false })
    const { outcome, times } = vendor((attempt) => answer(attempt === 1 ? 429 : 200, { 'retry-after': '20' }), { clock })
    expect(await outcome({ holds: 'refuse' })).toMatchObject({ code: 'rate_limited' })
    const controller = new AbortController()
    const waiting = Array.from({ length: 151 }, () => outcome({}, manualScope({ clock, signal: controller.signal })).catch(String))
    await clock.advance(0)
    controller.abort(new Error('gone'))
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['Error: gone']))
    const next = outcome()
    await clock.advance(20 * second)
    expect(await next).toBe('x')
    expect(times).toEqual([0, 20 * second])
  })

  it('is an error at once for a caller that does its own waiting, and ignored for an operator who wants a request sent now', async () => {
    const { outcome, times, clock } = vendor((attempt) => answer(attempt === 3 ? 200 : 429, { 'retry-after': '5' }))
    expect(await outcome({ holds: 'refuse' })).toMatchObject({ code: 'rate_limited', retry_after_seconds: 5 })
    expect(await outcome({ holds: 'refuse' })).toMatchObject({ code: 'rate_limited', retry_after_seconds: 5 })
    expect(times).toHaveLength(1)
    expect(await outcome({ holds: 'ignore' })).toMatchObject({ code: 'rate_limited' })
    expect(await outcome({ holds: 'ignore' })).toBe('x')
    expect([times.length, clock.sleeps]).toEqual([3, []])
  })
})

describe('a vendor that has failed again and again', () => {
  it('is held for at least a second, so that no caller repeats it at once', async () => {
    const { outcome, clock } = vendor(() => answer(429, { 'retry-after': '5' }))
    await outcome({ holds: 'refuse' })
    await clock.advance(4_999.7)
    expect(await outcome({ holds: 'refuse' })).toMatchObject({ code: 'rate_limited', retry_after_seconds: 1 })
  })

  it('is asked again by one call after a while, and by all when it answers that one', async () => {
    let isBroken = true
    const { outcome, times, clock } = vendor(() => answer(isBroken ? 500 : 200))
    for (let call = 0; call < 5; call += 1) {
      await outcome()
      await clock.advance(second)
    }
    const before = times.length
    expect(await outcome()).toMatchObject({
      code: 'unavailable',
      message: 'Acme has failed several times in a row, so nothing was sent this time.',
      retryable: true,
    })
    expect(times).toHaveLength(before)
    isBroken = false
    await clock.advance(5 * second)
    expect(await outcome()).toBe('x')
    expect(await Promise.all([outcome(), outcome()])).toEqual(['x', 'x'])
  })

  it('may fail every second request as long as it answers the repeats', async () => {
    const { outcome, times } = vendor((attempt) => answer(attempt % 2 === 1 ? 500 : 200))
    for (let call = 0; call < 200; call += 1) expect(await outcome()).toBe('x')
    expect(times).toHaveLength(400)
  })
})

describe('a streamed response', () => {
  const request = { url: 'http://acme.example/', method: 'GET', isRetry: false, silenceMs: 10 * second }

  it('is given up when nothing arrives for a while, and its connection is closed', async () => {
    const clock = new ManualClock()
    let isCancelled = false
    const source = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new Uint8Array(1))
      },
      cancel() {
        isCancelled = true
      },
    })
    const { transport } = vendor(() => Promise.resolve(new Response(source)), { clock })
    const read = async ({ body }: Response, onData: () => void) => {
      const chunks: AsyncIterable<Uint8Array> = body ?? new ReadableStream<Uint8Array>()
      for await (const chunk of chunks) if (chunk.byteLength > 0) onData()
      return 'complete'
    }
    const outcome = expect(transport.stream(request, read, manualScope({ clock }))).rejects.toThrow('Acme sent nothing for 10 seconds.')
    await pass(clock, 11 * second)
    await outcome
    expect(isCancelled).toBe(false)
  })

  it('obeys the limits that all calls share', async () => {
    const { transport, outcome, clock, times } = vendor(() => answer(429, { 'retry-after': '60' }))
    await outcome()
    const read = () => Promise.resolve('never read')
    await expect(transport.stream(request, read, manualScope({ clock }))).rejects.toMatchObject({ code: 'rate_limited' })
    expect(times).toHaveLength(1)
  })

  it('that is not read is cancelled', async () => {
    let isCancelled = false
    const body = new ReadableStream<Uint8Array>({
      cancel() {
        isCancelled = true
      },
    })
    const { transport, clock } = vendor(() => Promise.resolve(new Response(body)))
    expect(await transport.stream(request, (response) => Promise.resolve(response.status), manualScope({ clock }))).toBe(200)
    expect(isCancelled).toBe(true)
  })
})
