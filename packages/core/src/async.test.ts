import { describe, expect, it } from 'vitest'
import { KeyedMutex, Mutex, once, raceAbort, withTimeout } from './async.ts'
import { ManualClock } from './manual-clock.ts'

describe('Mutex', () => {
  it('runs one piece of work at a time, in order, and survives a failure', async () => {
    const mutex = new Mutex()
    const log: string[] = []
    const work = (name: string, fails = false) =>
      mutex.runExclusive(async () => {
        log.push(`${name} starts`)
        await Promise.resolve()
        log.push(`${name} ends`)
        if (fails) throw new Error(name)
      })
    const [first, second] = await Promise.allSettled([work('a', true), work('b')])
    expect(log).toEqual(['a starts', 'a ends', 'b starts', 'b ends'])
    expect([first.status, second.status]).toEqual(['rejected', 'fulfilled'])
  })
})

describe('KeyedMutex', () => {
  it('lets different keys run side by side', async () => {
    const mutex = new KeyedMutex()
    const gate = Promise.withResolvers<undefined>()
    const blocked = mutex.runExclusive('a', () => gate.promise)
    const behind = mutex.runExclusive('a', () => Promise.resolve('second'))
    expect(await mutex.runExclusive('b', () => Promise.resolve('other'))).toBe('other')
    gate.resolve(undefined)
    await blocked
    expect(await behind).toBe('second')
  })
})

describe('once', () => {
  it('shares a run and starts another after a failure', async () => {
    let runs = 0
    const load = once(() => {
      runs += 1
      return runs === 1 ? Promise.reject(new Error('first')) : Promise.resolve(runs)
    })
    await expect(Promise.all([load(), load()])).rejects.toThrow('first')
    expect(await Promise.all([load(), load()])).toEqual([2, 2])
  })
})

describe('raceAbort', () => {
  it('throws the reason of the caller while the work goes on', async () => {
    const controller = new AbortController()
    const work = Promise.withResolvers<string>()
    const raced = raceAbort(work.promise, controller.signal)
    controller.abort(new Error('left'))
    await expect(raced).rejects.toThrow('left')
    work.resolve('done')
    expect(await raceAbort(work.promise, new AbortController().signal)).toBe('done')
  })
})

describe('withTimeout', () => {
  const options = { ms: 1_000, reason: () => new Error('too slow') }

  it('aborts work that takes too long without a touch', async () => {
    const clock = new ManualClock()
    const reasons: unknown[] = []
    const work = withTimeout({ ...options, clock }, async ({ signal, touch }) => {
      await clock.advance(900)
      touch()
      await clock.advance(900)
      expect(signal.aborted).toBe(false)
      await clock.advance(100)
      reasons.push(signal.reason)
      signal.throwIfAborted()
    })
    await expect(work).rejects.toThrow('too slow')
    expect(reasons).toEqual([new Error('too slow')])
  })

  it('passes on that the caller gave up', async () => {
    const controller = new AbortController()
    const work = withTimeout({ ...options, signal: controller.signal, clock: new ManualClock() }, ({ signal }) => {
      controller.abort(new Error('left'))
      signal.throwIfAborted()
      return Promise.resolve()
    })
    await expect(work).rejects.toThrow('left')
  })
})
