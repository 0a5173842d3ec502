import { ManualClock } from '@mcp-toolkits/core/testing'
import { describe, expect, it } from 'vitest'
import { CallLimiter, waitedMs, type LimitedCall } from './call-limiter.ts'

const limits = { maxInFlight: 3, maxOfKind: { large: 2, long: 1 }, maxCost: 30, maxWaiting: 10, maxWaitingSize: 100 }

/** A limiter, and calls that note their names when they start. */
function limiter() {
  const started: string[] = []
  const refuse = (name: string) => started.push(`not ${name}`)
  const call = (name: string, cost: number): LimitedCall => ({
    cost,
    size: 1,
    start: () => started.push(name),
    refuse: () => refuse(name),
  })
  const clock = new ManualClock()
  return { limiter: new CallLimiter(limits, clock), started, call, clock }
}

describe('calls beyond the limits', () => {
  it('start in order, as other calls end', () => {
    const { limiter: calls, started, call } = limiter()
    const [first, ...others] = ['a', 'b', 'c', 'd', 'e'].map((name) => call(name, 1))
    if (!first) throw new Error('There is no call.')
    for (const each of [first, ...others]) expect(calls.submit(each)).toBe(true)
    expect(started).toEqual(['a', 'b', 'c'])
    calls.release(first)
    expect(started).toEqual(['a', 'b', 'c', 'd'])
  })

  it('let others pass while there is no room for them, and start when there is', () => {
    const { limiter: calls, started, call } = limiter()
    const large = call('large', 28)
    for (const each of [large, call('second large', 28), call('ping', 1)]) calls.submit(each)
    expect(started).toEqual(['large', 'ping'])
    calls.release(large)
    expect(started).toEqual(['large', 'ping', 'second large'])
  })

  it('let others pass while there are too many of their kind, and start when there are fewer', () => {
    const { limiter: calls, started, call } = limiter()
    const long = (name: string): LimitedCall => ({ ...call(name, 1), kind: 'long' })
    const first = long('upload')
    for (const each of [first, long('second upload'), long('third upload'), call('read', 1)]) calls.submit(each)
    expect(started).toEqual(['upload', 'read'])
    calls.release(first)
    expect([started, calls.inFlight, calls.waiting]).toEqual([['upload', 'read', 'second upload'], 2, 1])
  })

  it('keep their order when the number of calls is what they wait for', () => {
    const { limiter: calls, started, call } = limiter()
    const small = call('a', 1)
    for (const each of [small, call('b', 1), call('c', 1), call('large', 28), call('d', 1)]) calls.submit(each)
    calls.release(small)
    expect(started).toEqual(['a', 'b', 'c', 'large'])
  })

  it('are refused after 20 seconds without a start, of which earlier waits are a part, and count no longer', async () => {
    const { limiter: calls, started, call, clock } = limiter()
    const large = call('large', 30)
    for (const each of [large, call('late', 30), { ...call('later', 30), waitedMs: 15_000 }]) calls.submit(each)
    await clock.advance(5_000)
    expect(started).toEqual(['large', 'not later'])
    await clock.advance(15_000)
    expect(started).toEqual(['large', 'not later', 'not late'])
    calls.release(large)
    expect([started.length, calls.isIdle]).toEqual([3, true])
  })

  it('know how long they have waited when they start, and leave no timer behind', async () => {
    const { limiter: calls, started, call, clock } = limiter()
    const large = call('large', 30)
    const waits: number[] = []
    const next = { ...call('next', 30), waitedMs: 1_000, start: () => waits.push(waitedMs()) }
    const cancelled = call('cancelled', 30)
    for (const each of [large, next, cancelled]) calls.submit(each)
    await clock.advance(4_000)
    calls.release(cancelled)
    calls.release(large)
    await clock.advance(60_000)
    expect([waits, waitedMs(), started]).toEqual([[5_000], 0, ['large']])
  })
})
