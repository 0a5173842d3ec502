import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../../../test/manual-clock.ts'
import { upstreamLimitsContract } from '../../../../test/upstream-limits-contract.ts'
import { type LimitsStorage, sharedLimits } from './shared-limits.ts'

const second = 1_000
const request = { isRetry: false, maxWaitMs: 0 }
const admitted = { kind: 'admitted' }
const quota = { outcome: 'refused', holds: [{ covers: 'account', ms: 60 * second }] } as const

/** Storage that counts how often it is read and changed; `answer` lets one reader or writer wait. */
function countingStorage(clock: ManualClock) {
  const states = new Map<string, string>()
  const counts = { reads: 0, changes: 0 }
  let answer = Promise.resolve()
  const storage: LimitsStorage = {
    async read(account) {
      counts.reads += 1
      const stored = { state: states.get(account), now: clock.monotonic() }
      await answer
      return stored
    },
    change: async (account, change) => {
      counts.changes += 1
      await answer
      const { result, state } = change({ state: states.get(account), now: clock.monotonic() })
      if (state === undefined) states.delete(account)
      else states.set(account, state)
      return result
    },
  }
  return {
    storage,
    counts,
    delayBy: (gate: Promise<void>) => {
      answer = gate
    },
  }
}

function open() {
  const clock = new ManualClock()
  const { storage, ...rest } = countingStorage(clock)
  const process = (account = 'ada') => sharedLimits({ storage, account: () => Promise.resolve(account), clock })
  return { clock, process, ...rest }
}

describe('limits that processes share', () => {
  upstreamLimitsContract(
    () => {
      const { clock, process } = open()
      return Promise.resolve({ clock, limits: process() })
    },
    { numRuns: 100, manyFaults: 1_000 },
  )

  it('are read once per second and never written as long as the vendor answers', async () => {
    const { clock, process, counts } = open()
    const limits = process()
    for (let sent = 0; sent < 50; sent += 1) {
      await Promise.all(Array.from({ length: 4 }, () => limits.admit(request)))
      await clock.advance(100)
      await limits.report({}, { outcome: 'answered' })
    }
    expect(counts).toEqual({ reads: 5, changes: 0 })
  })

  it('are not read again after an answer that took long', async () => {
    const { clock, process, counts } = open()
    const limits = process()
    await limits.admit(request)
    await clock.advance(20 * second)
    await limits.report({}, { outcome: 'answered' })
    expect(counts).toEqual({ reads: 1, changes: 0 })
  })

  it('hold a request of the same process that comes while a quota answer is being stored', async () => {
    const { process, delayBy } = open()
    const limits = process()
    expect(await limits.admit(request)).toEqual(admitted)
    const stored = Promise.withResolvers<undefined>()
    delayBy(stored.promise)
    const reported = limits.report({}, quota)
    const next = limits.admit(request)
    stored.resolve(undefined)
    expect(await reported).toBe(60 * second)
    expect(await next).toMatchObject({ kind: 'refused', reason: 'rate limit' })
  })

  it('hold the requests of another process within a second of a quota answer, until the quota is renewed', async () => {
    const { clock, process, counts } = open()
    const [first, other] = [process(), process()]
    await other.admit(request)
    await first.admit(request)
    await first.report({}, quota)
    await clock.advance(second)
    for (let call = 0; call < 20; call += 1) {
      expect(await other.admit(request)).toMatchObject({ kind: 'refused', reason: 'rate limit' })
      expect(await first.admit(request)).toMatchObject({ kind: 'refused', reason: 'rate limit' })
    }
    // Each process has read once more.
    expect(counts).toEqual({ reads: 4, changes: 1 })
    await clock.advance(59 * second)
    expect(await other.admit(request)).toEqual(admitted)
  })

  it('do not concern another account', async () => {
    const { process } = open()
    await process().report({}, quota)
    expect(await process('ben').admit(request)).toEqual(admitted)
  })
})
