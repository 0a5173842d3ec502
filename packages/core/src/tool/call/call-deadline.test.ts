import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { Unavailable } from '../../errors/errors.ts'
import { ManualClock } from '../../../test/manual-clock.ts'
import { type CallScope, withCallScope } from './call-deadline.ts'

const never = () => new Promise<never>(() => undefined)

describe('a call scope', () => {
  it.each([
    ['a result', () => Promise.resolve('done')],
    ['an error', () => Promise.reject(new Error('broken'))],
  ])('ends with %s, and everything that the call started ends with it', async (_, end) => {
    let scope: CallScope | undefined
    let sibling: Promise<unknown> = Promise.resolve()
    const clock = new ManualClock({ skipSleeps: false })
    const outcome = withCallScope({ clock }, (opened) => {
      scope = opened
      sibling = clock.sleep(1_000, opened.signal).catch(String)
      return end()
    })
    await outcome.catch(() => undefined)
    expect(scope?.signal.reason).toMatchObject({ name: 'AbortError', message: 'The call has ended.' })
    expect(await sibling).toContain('The call has ended')
  })

  it('leaves no timer and no listener behind', async () => {
    const clock = new ManualClock()
    const { signal } = new AbortController()
    let timeouts = 0
    const timeoutError = () => {
      timeouts += 1
      return new Unavailable('too long')
    }
    await withCallScope({ clock, signal, timeoutError }, () => {
      expect(getEventListeners(signal, 'abort')).toHaveLength(1)
      return Promise.resolve()
    })
    await clock.advance(60_000)
    expect([timeouts, getEventListeners(signal, 'abort').length]).toEqual([0, 0])
  })

  it("ends at once with the caller's reason when the caller gives up", async () => {
    const controller = new AbortController()
    const call = withCallScope({ signal: controller.signal, clock: new ManualClock() }, never)
    const reason = new Error('enough')
    controller.abort(reason)
    await expect(call).rejects.toBe(reason)
    await expect(withCallScope({ signal: controller.signal }, never)).rejects.toBe(reason)
  })

  it('ends work that ignores the deadline a second later, so that an answer arrives within 30 seconds', async () => {
    const clock = new ManualClock()
    let scope: CallScope | undefined
    const timeoutError = () => new Unavailable('too long')
    const call = withCallScope({ clock, timeoutError }, (opened) => {
      scope = opened
      return never()
    })
    const outcome = expect(call).rejects.toThrow('too long')
    expect(scope?.remainingMs()).toBe(28_000)
    await clock.advance(28_000)
    expect([scope?.remainingMs(), scope?.signal.aborted]).toEqual([0, false])
    await clock.advance(1_000)
    await outcome
    expect(scope?.signal.aborted).toBe(true)
  })

  it('is shorter by the time that its call has waited, until the work makes progress', async () => {
    const clock = new ManualClock()
    const call = withCallScope({ clock, waitedMs: 19_000 }, async (scope) => {
      const first = scope.remainingMs()
      scope.extend()
      await clock.sleep(20_000, scope.signal)
      return [first, scope.remainingMs()]
    })
    expect(await call).toEqual([9_000, 8_000])
    const hanging = expect(withCallScope({ clock, waitedMs: 19_000 }, never)).rejects.toThrow('took too long')
    await clock.advance(10_000)
    await hanging
  })

  it('lasts longer for work that makes progress', async () => {
    const clock = new ManualClock()
    const steps = 10
    const call = withCallScope({ clock }, async (scope) => {
      for (let step = 0; step < steps; step += 1) {
        await clock.sleep(20_000, scope.signal)
        scope.extend()
      }
      return scope.remainingMs()
    })
    expect(await call).toBe(28_000)
  })

  it("does not move its deadline when the machine's clock is corrected", async () => {
    const clock = new ManualClock()
    await withCallScope({ clock }, (scope) => {
      clock.jump(-86_400_000)
      expect(scope.remainingMs()).toBe(28_000)
      return Promise.resolve()
    })
  })
})
