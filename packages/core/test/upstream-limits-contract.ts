import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Admission, AttemptReport, UpstreamLimits } from '../src/upstream/transport/limits/upstream-limits.ts'
import type { ManualClock } from './manual-clock.ts'

const second = 1_000
const hour = 3_600 * second

/** New limits for an account, with their clock. */
export interface OpenLimits {
  readonly clock: ManualClock
  readonly limits: UpstreamLimits
}

const admitted = { kind: 'admitted' }

/** Size of the contract: a store that takes a millisecond for each step gets less. */
export interface ContractSize {
  /** Cases for each property. */
  readonly numRuns: number
  /** Number of faults that still leave all retries if each fault is followed by an answer. */
  readonly manyFaults: number
}

/** The admissions that make requests wait, in order of their waits. */
const inOrder = (admissions: readonly Admission[]) =>
  admissions.flatMap((admission) => (admission.kind === 'wait' ? admission : [])).toSorted((a, b) => a.ms - b.ms)

/** The rules for an account's limits, in any storage. */
export function upstreamLimitsContract(openLimits: () => Promise<OpenLimits>, { numRuns, manyFaults }: ContractSize): void {
  const open = async () => {
    const { clock, limits } = await openLimits()
    return {
      clock,
      admit: (
        isRetry = false,
        { operation, maxWaitMs = 28 * second }: { operation?: string; maxWaitMs?: number } = {},
      ): Promise<Admission> => limits.admit({ operation, isRetry, maxWaitMs }),
      force: () => limits.admit({ operation: undefined, isRetry: true, maxWaitMs: 0, isForced: true }),
      release: limits.release,
      report: (outcome: AttemptReport['outcome'], holds: AttemptReport['holds'] = [], operation?: string) =>
        limits.report({ operation }, { outcome, holds }),
    }
  }

  describe('the retry budget', () => {
    it('allows 20 retries in a row without an answer', async () => {
      const { admit } = await open()
      for (let retry = 0; retry < 20; retry += 1) expect(await admit(true)).toEqual(admitted)
      expect(await admit(true)).toMatchObject({ kind: 'refused', reason: 'retry budget' })
      expect(await admit(false)).toEqual(admitted)
    })

    it('loses nothing to any number of retries if each is answered', async () => {
      const { admit, report } = await open()
      for (let fault = 0; fault < manyFaults; fault += 1) {
        expect(await admit(true)).toEqual(admitted)
        await report('answered')
      }
    })

    it('is refilled by answers, and by ten minutes without a failure', async () => {
      const { admit, report, clock } = await open()
      for (let retry = 0; retry < 20; retry += 1) await admit(true)
      await report('answered')
      expect(await admit(true)).toEqual(admitted)
      expect(await admit(true)).toMatchObject({ reason: 'retry budget' })
      await report('failed')
      await clock.advance(599 * second)
      expect(await admit(true)).toMatchObject({ reason: 'retry budget' })
      await clock.advance(second)
      for (let retry = 0; retry < 20; retry += 1) expect(await admit(true)).toEqual(admitted)
      expect(await admit(true)).toMatchObject({ reason: 'retry budget' })
    })
  })

  it('forgets failures after ten minutes, even if requests were abandoned since', async () => {
    const { admit, report, clock } = await open()
    await report('failed')
    for (let retry = 0; retry < 20; retry += 1) await admit(true)
    await clock.advance(300 * second)
    await report('abandoned')
    await clock.advance(300 * second)
    expect(await admit(true)).toEqual(admitted)
  })

  it('takes no retry from the budget for a first attempt', async () => {
    const { admit } = await open()
    for (let first = 0; first < 100; first += 1) await admit(false)
    expect(await admit(true)).toEqual(admitted)
  })

  it('lets an operator send although the vendor wants no requests, no retry is left and the circuit is open', async () => {
    const { admit, force, report, clock } = await open()
    for (let retry = 0; retry < 20; retry += 1) await admit(true)
    for (let failure = 0; failure < 10; failure += 1) {
      await report('failed')
      await clock.advance(second)
    }
    await report('refused', [{ covers: 'account', ms: hour }])
    expect(await admit()).toMatchObject({ kind: 'refused' })
    expect(await force()).toEqual(admitted)
  })

  describe('the rate limiter', () => {
    it('waits for a hold that ends just in time, and says how much of a longer hold is left', async () => {
      const { admit, report, clock } = await open()
      await report('refused', [{ covers: 'account', ms: 10 * second }])
      await clock.advance(4 * second)
      expect(await admit(false, { maxWaitMs: 6 * second })).toMatchObject({ kind: 'wait', ms: 6 * second })
      expect(await admit(false, { maxWaitMs: 5 * second })).toEqual({ kind: 'refused', reason: 'rate limit', retryAfterMs: 6 * second })
    })

    it('lets nothing through until the vendor is ready again, then one request after another', async () => {
      const { admit, report, clock } = await open()
      expect(await report('refused', [{ covers: 'account', ms: 10 * second }])).toBe(10 * second)
      const waits = inOrder(await Promise.all([admit(), admit(), admit()]))
      expect(waits.map(({ ms }) => ms)).toEqual([10_000, 10_050, 10_100])
      expect(new Set(waits.map(({ slot }) => slot)).size).toBe(3)
      expect(await admit(false, { maxWaitMs: 9 * second })).toEqual({ kind: 'refused', reason: 'rate limit', retryAfterMs: 10 * second })
      await clock.advance(9_999)
      expect(await admit()).toMatchObject({ kind: 'wait' })
      await clock.advance(1)
      expect(await admit()).toEqual(admitted)
    })

    it('waits twice as long after each hold for which the vendor names no time, until there is an answer', async () => {
      const { admit, report, clock } = await open()
      const waits: number[] = []
      for (let hold = 0; hold < 8; hold += 1) {
        const ms = await report('refused', [{ covers: 'account' }])
        // Answers to requests that were already in flight change nothing.
        expect(await report('refused', [{ covers: 'account' }])).toBe(ms)
        await clock.advance(ms)
        expect(await admit()).toEqual(admitted)
        waits.push(ms / second)
      }
      expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60])
      await report('answered')
      expect(await report('refused', [{ covers: 'account' }])).toBe(second)
    })

    it('holds the requests of one operation without the others', async () => {
      const { admit, report } = await open()
      await report('refused', [{ covers: 'operation', ms: 60 * second }], 'share')
      expect(await admit(false, { operation: 'share' })).toMatchObject({ kind: 'refused', reason: 'rate limit' })
      expect(await admit(false, { operation: 'list' })).toEqual(admitted)
      expect(await admit()).toEqual(admitted)
    })

    it("holds all of an account's requests, and an operation's until both holds have ended", async () => {
      for (const [account, operation] of [
        [10, 20],
        [20, 10],
      ] as const) {
        const { admit, report } = await open()
        await report('refused', [{ covers: 'account', ms: account * second }], 'share')
        await report('refused', [{ covers: 'operation', ms: operation * second }], 'share')
        expect(await admit()).toMatchObject({ kind: 'wait', ms: account * second })
        expect(await admit(false, { operation: 'list' })).toMatchObject({ kind: 'wait', ms: account * second + 50 })
        const longest = await admit(false, { operation: 'share' })
        expect(longest).toMatchObject({ kind: 'wait', ms: account > operation ? 20_100 : 20_000 })
      }
    })

    it('keeps lengthening its waits after a failure between two holds', async () => {
      const { report, clock } = await open()
      expect(await report('refused', [{ covers: 'account' }])).toBe(second)
      await clock.advance(second)
      await report('failed')
      expect(await report('refused', [{ covers: 'account' }])).toBe(2 * second)
      await clock.advance(2 * second)
      await report('answered')
      expect(await report('refused', [{ covers: 'account' }])).toBe(second)
    })

    it('holds requests for at most a day, whatever the vendor asks for', async () => {
      const { report } = await open()
      expect(await report('refused', [{ covers: 'account', ms: 24 * hour }])).toBe(24 * hour)
      expect(await report('refused', [{ covers: 'account', ms: Number.MAX_VALUE }])).toBe(24 * hour)
    })

    it('gives the slot of a request that no longer waits to the next request', async () => {
      const { admit, release, report } = await open()
      await report('refused', [{ covers: 'account', ms: 20 * second }])
      const [, later, last] = inOrder(await Promise.all([admit(), admit(), admit()]))
      expect([later, last]).toMatchObject([{ ms: 20_050 }, { ms: 20_100 }])
      if (later) await release(later.slot)
      expect([await admit(), await admit()]).toMatchObject([{ ms: 20_050 }, { ms: 20_150 }])
    })

    it('counts a request once even if it has to wait again because the hold became longer', async () => {
      const { admit, report, clock } = await open()
      await report('refused', [{ covers: 'account', ms: 10 * second }])
      for (let request = 0; request < 3; request += 1) await admit()
      await report('refused', [{ covers: 'account', ms: 20 * second }])
      await clock.advance(10 * second)
      expect([await admit(), await admit(), await admit()]).toMatchObject([{ ms: 10_000 }, { ms: 10_050 }, { ms: 10_100 }])
    })

    it('is not shortened by a later answer that names a shorter time', async () => {
      const { report } = await open()
      await report('refused', [{ covers: 'account', ms: 10 * second }])
      expect(await report('refused', [{ covers: 'account', ms: 2 * second }])).toBe(10 * second)
      expect(await report('answered')).toBe(10 * second)
    })
  })

  describe('a closed circuit breaker', () => {
    it('stays closed after an abandoned request, and if all failures come at once, however late', async () => {
      const { admit, report, clock } = await open()
      await report('abandoned')
      expect([await admit(), await admit()]).toEqual([admitted, admitted])
      await clock.advance(60 * second)
      for (let failure = 0; failure < 20; failure += 1) await report('failed')
      expect([await admit(), await admit()]).toEqual([admitted, admitted])
    })
  })

  describe('the circuit breaker', () => {
    const opened = async () => {
      const limits = await open()
      for (let failure = 0; failure < 10; failure += 1) {
        expect(await limits.admit()).toEqual(admitted)
        await limits.report('failed')
        if (failure === 0) await limits.clock.advance(5 * second)
      }
      return limits
    }

    it('opens after ten failures in a row, and says when another request makes sense', async () => {
      const { admit } = await opened()
      expect(await admit()).toEqual({ kind: 'refused', reason: 'circuit open', retryAfterMs: 5 * second })
    })

    it('lets one request probe the vendor, and closes when it is answered', async () => {
      const { admit, report, clock } = await opened()
      await clock.advance(5 * second)
      expect(await admit()).toEqual(admitted)
      expect(await admit()).toMatchObject({ reason: 'circuit open' })
      await report('answered')
      expect(await admit()).toEqual(admitted)
      await report('failed')
      expect(await admit()).toEqual(admitted)
    })

    it('stays open twice as long after each probe that fails', async () => {
      const { admit, report, clock } = await opened()
      const waits: number[] = []
      for (let probe = 0; probe < 6; probe += 1) {
        const refused = await admit()
        const ms = refused.kind === 'refused' ? refused.retryAfterMs : 0
        waits.push(ms / second)
        await clock.advance(ms)
        expect(await admit()).toEqual(admitted)
        await report('failed')
      }
      expect(waits).toEqual([5, 10, 20, 40, 60, 60])
    })

    it('sends another probe after one that was cancelled, or was never reported', async () => {
      const { admit, report, clock } = await opened()
      await clock.advance(5 * second)
      expect(await admit()).toEqual(admitted)
      await report('abandoned')
      expect(await admit()).toEqual(admitted)
      await clock.advance(15 * second)
      expect(await admit()).toEqual(admitted)
    })

    it('stays closed when one broken connection fails many requests at once', async () => {
      const { admit, report } = await open()
      for (let failure = 0; failure < 200; failure += 1) await report('failed')
      expect(await admit()).toEqual(admitted)
    })

    it.each(['answered', 'refused'] as const)('counts from the beginning after a request that was %s', async (outcome) => {
      const { admit, report, clock } = await open()
      for (let round = 0; round < 5; round += 1) {
        for (let failure = 0; failure < 9; failure += 1) await report('failed')
        await clock.advance(5 * second)
        await report(outcome)
      }
      expect(await admit()).toEqual(admitted)
    })
  })

  it('eventually admits requests again, whatever happened before', async () => {
    const event = fc.record({
      outcome: fc.constantFrom('answered', 'refused', 'failed', 'abandoned'),
      heldMs: fc.option(fc.nat(48 * hour), { nil: undefined }),
      passedMs: fc.nat(30_000),
      isRetry: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 60 }), async (events) => {
        const { admit, report, clock } = await open()
        for (const { outcome, heldMs, passedMs, isRetry } of events) {
          const admission = await admit(isRetry)
          if (admission.kind === 'admitted') await report(outcome, outcome === 'refused' ? [{ covers: 'account', ms: heldMs }] : [])
          clock.jump(passedMs)
          await clock.advance(passedMs)
        }
        await clock.advance(24 * hour)
        expect(await admit(true)).toEqual(admitted)
      }),
      { numRuns },
    )
  })
}
