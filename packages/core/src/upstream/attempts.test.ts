import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InvalidInput, RateLimited, Unavailable } from '../errors/errors.ts'
import { ManualClock } from '../../test/manual-clock.ts'
import { backoffMs, retryAfterMs, Attempts, withRetry } from './attempts.ts'

const policy = { maxAttempts: 4, budgetMs: 10_000, baseDelayMs: 400, maxDelayMs: 5_000 }

const asking = (retryAfterSeconds: number) => new RateLimited('slow', { retryAfterSeconds })

/** Fails with each error in turn, then succeeds; counts the attempts. */
function failing(...errors: Error[]) {
  const work = { attempts: 0, run: () => Promise.resolve('done') }
  work.run = () => {
    const error = errors[work.attempts]
    work.attempts += 1
    return error ? Promise.reject(error) : Promise.resolve('done')
  }
  return work
}

describe('withRetry', () => {
  it('repeats after transient errors and waits longer after each', async () => {
    const clock = new ManualClock()
    const work = failing(new Unavailable('1'), new Unavailable('2'), new Unavailable('3'))
    expect(await withRetry(new Attempts(policy, { clock, random: () => 0.5 }), work.run)).toBe('done')
    expect(clock.sleeps).toEqual([200, 400, 800])
  })

  it('does not repeat a permanent error', async () => {
    const clock = new ManualClock()
    for (const error of [new InvalidInput('no'), new Unavailable('no', { retryable: false }), new TypeError('no')])
      await expect(withRetry(new Attempts(policy, { clock }), failing(error).run)).rejects.toBe(error)
    expect(clock.sleeps).toEqual([])
  })

  it('ends after the last attempt with its error', async () => {
    const errors = ['1', '2', '3', '4', '5'].map((text) => new Unavailable(text))
    const work = failing(...errors)
    await expect(withRetry(new Attempts(policy, { clock: new ManualClock() }), work.run)).rejects.toBe(errors[3])
    expect(work.attempts).toBe(4)
  })

  it('waits as long as the vendor asks, but never beyond the budget', async () => {
    const clock = new ManualClock()
    const short = failing(new RateLimited('slow', { retryAfterSeconds: 7 }))
    expect(await withRetry(new Attempts(policy, { clock }), short.run)).toBe('done')
    expect(clock.sleeps).toEqual([7_000])
    const long = failing(new RateLimited('slow', { retryAfterSeconds: 11 }))
    await expect(withRetry(new Attempts(policy, { clock }), long.run)).rejects.toThrow('slow')
    expect(clock.sleeps).toEqual([7_000])
  })

  it('continues as long as there is progress', async () => {
    const clock = new ManualClock()
    const attempts = new Attempts(policy, { clock, random: () => 0.99 })
    let steps = 0
    const work = () => {
      steps += 1
      if (steps < 20) {
        attempts.progress()
        return Promise.reject(new Unavailable('again'))
      }
      return Promise.resolve('done')
    }
    expect(await withRetry(attempts, work)).toBe('done')
    expect(steps).toBe(20)
  })

  it("stops with the caller's reason when the caller gives up", async () => {
    const controller = new AbortController()
    const clock = new ManualClock({ skipSleeps: false })
    const done = withRetry(new Attempts(policy, { clock, signal: controller.signal }), failing(new Unavailable('1')).run)
    await clock.advance(0)
    controller.abort(new DOMException('enough', 'AbortError'))
    await expect(done).rejects.toThrow('enough')
  })
})

describe('a caller who gave up', () => {
  it("gets the reason instead of the attempt's error", async () => {
    const controller = new AbortController()
    const attempts = new Attempts(policy, { clock: new ManualClock(), signal: controller.signal })
    const attempt = () => {
      controller.abort(new Error('left'))
      return Promise.reject(new InvalidInput('no'))
    }
    await expect(withRetry(attempts, attempt)).rejects.toThrow('left')
    await expect(attempts.waitForNext()).rejects.toThrow('left')
  })
})

describe('a refusal', () => {
  it('still says that an earlier attempt may have been carried out', async () => {
    const work = failing(new Unavailable('lost', { sent: 'maybe' }), new InvalidInput('no'))
    const attempts = new Attempts(policy, { clock: new ManualClock() })
    await expect(withRetry(attempts, work.run)).rejects.toMatchObject({ code: 'invalid_input', details: { sent: 'maybe' } })
  })
})

describe('an attempt that was not allowed to send anything', () => {
  const unsent = new Unavailable('Nothing was sent.', { sent: 'no', retryAfterSeconds: 1 })

  it("ends the work at once, with the previous attempt's error", async () => {
    const lost = new Unavailable('lost')
    const [clock, work] = [new ManualClock(), failing(lost, unsent)]
    const attempts = new Attempts(policy, { clock, random: () => 0.5 })
    await expect(withRetry(attempts, work.run)).rejects.toBe(lost)
    expect([work.attempts, clock.sleeps]).toEqual([2, [200]])
    await expect(withRetry(attempts, failing(unsent).run)).rejects.toBe(lost)
    attempts.progress()
    await expect(withRetry(attempts, failing(unsent).run)).rejects.toBe(unsent)
  })

  it('ends the work at once when it is the first', async () => {
    const [clock, work] = [new ManualClock(), failing(unsent)]
    await expect(withRetry(new Attempts(policy, { clock }), work.run)).rejects.toBe(unsent)
    expect([work.attempts, clock.sleeps]).toEqual([1, []])
  })
})

describe('attempts', () => {
  it('get their full time again after a wait for something else, unless one has failed', async () => {
    const clock = new ManualClock()
    const attempts = new Attempts({}, { clock })
    await clock.advance(30_000)
    expect(attempts.remainingMs).toBe(0)
    attempts.restart()
    expect(attempts.remainingMs).toBe(25_000)
    await attempts.waitForNext()
    await clock.advance(30_000)
    attempts.restart()
    expect(attempts.remainingMs).toBe(0)
  })

  it('counts time from the last touch, and failures from the last progress', async () => {
    const clock = new ManualClock()
    const attempts = new Attempts(policy, { clock, random: () => 0 })
    await clock.advance(9_000)
    expect(attempts.remainingMs).toBe(1_000)
    attempts.touch()
    expect(attempts.remainingMs).toBe(10_000)
    expect(attempts.hasFailed).toBe(false)
    for (const allowed of [true, true, true, false]) expect(await attempts.waitForNext()).toBe(allowed)
    expect(attempts.hasFailed).toBe(true)
    attempts.progress()
    expect([attempts.hasFailed, attempts.remainingMs]).toEqual([false, 10_000])
    expect(await attempts.waitForNext()).toBe(true)
  })

  it('leaves every attempt at least a second', async () => {
    const clock = new ManualClock()
    const attempts = new Attempts(policy, { clock })
    expect(attempts.attemptMs).toBe(10_000)
    await clock.advance(9_500)
    expect(attempts.attemptMs).toBe(1_000)
    await clock.advance(5_000)
    expect([attempts.remainingMs, attempts.attemptMs]).toEqual([0, 1_000])
  })

  it('allows five attempts in 25 seconds by default', async () => {
    const clock = new ManualClock()
    const attempts = new Attempts({}, { clock, random: () => 1 })
    expect(attempts.remainingMs).toBe(25_000)
    while (await attempts.waitForNext());
    expect(clock.sleeps).toEqual([400, 800, 1_600, 3_200])
    const waits = [new Attempts({}, { clock }), new Attempts({}, { clock })].map(async (other) => other.waitForNext(asking(24.999)))
    expect(await Promise.all(waits)).toEqual([true, true])
    expect(await new Attempts({}, { clock }).waitForNext(asking(25))).toBe(false)
  })

  it('is never exceeded by a wait, whatever the jitter', async () => {
    await fc.assert(
      fc.asyncProperty(fc.double({ min: 0, max: 0.999, noNaN: true }), fc.integer({ min: 0, max: 20_000 }), async (random, asked) => {
        const clock = new ManualClock()
        const start = clock.now()
        const attempts = new Attempts({ ...policy, maxAttempts: 50 }, { clock, random: () => random })
        for (let round = 0; round < 60 && (await attempts.waitForNext(asking(asked / 1000))); round += 1);
        expect(clock.now() - start).toBeLessThanOrEqual(policy.budgetMs)
      }),
    )
  })
})

it('backs off between 0 and a bound that doubles up to the longest wait', () => {
  const bounds = [1, 2, 3, 4, 5, 100].map((failures) => backoffMs(failures, policy, () => 1))
  expect(bounds).toEqual([400, 800, 1600, 3200, 5000, 5000])
  expect(backoffMs(3, policy, () => 0)).toBe(0)
})

it.each([
  ['3', 3_000],
  [' 4 ', 4_000],
  ['1.5', 1_500],
  ['0', 0],
  ['-1', undefined],
  ['Thu, 01 Jan 2026 00:00:05 GMT', 5_000],
  ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
  ['soon', undefined],
  [' ', undefined],
  ['', undefined],
  ['Infinity', undefined],
  [undefined, undefined],
])('reads Retry-After %j as %s ms', (value, ms) => {
  const headers = value === undefined ? {} : { 'retry-after': value }
  expect(retryAfterMs(new Response(null, { headers }), new ManualClock())).toBe(ms)
})
