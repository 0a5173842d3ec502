import { describe, expect, it } from 'vitest'
import { CallLimiter, type LimitedCall } from './call-limiter.ts'

const limits = { maxInFlight: 3, maxCost: 30, maxWaiting: 10, maxWaitingSize: 100 }

/** A limiter, and calls that note their names when they start. */
function limiter() {
  const started: string[] = []
  const call = (name: string, cost: number): LimitedCall => ({ cost, size: 1, start: () => started.push(name) })
  return { limiter: new CallLimiter(limits), started, call }
}

describe('calls beyond the limits', () => {
  it('start in their order, as others end', () => {
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

  it('keep their order when the number of calls is what they wait for', () => {
    const { limiter: calls, started, call } = limiter()
    const small = call('a', 1)
    for (const each of [small, call('b', 1), call('c', 1), call('large', 28), call('d', 1)]) calls.submit(each)
    calls.release(small)
    expect(started).toEqual(['a', 'b', 'c', 'large'])
  })
})
