import { getEventListeners } from 'node:events'
import { readFile } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import { mapInSlices, Mutex, nextTurn, once, raceAbort, withTimeout } from './async.ts'
import { ManualClock } from '../../test/manual-clock.ts'

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
  it("throws the caller's reason while the work continues", async () => {
    const controller = new AbortController()
    const work = Promise.withResolvers<string>()
    const raced = raceAbort(work.promise, controller.signal)
    controller.abort(new Error('left'))
    await expect(raced).rejects.toThrow('left')
    work.resolve('done')
    expect(await raceAbort(work.promise, new AbortController().signal)).toBe('done')
  })
})

describe('raceAbort with a signal', () => {
  it("throws at once if the signal is already aborted, and ignores the work's rejections", async () => {
    const work = Promise.withResolvers<string>()
    await expect(raceAbort(work.promise, AbortSignal.abort(new Error('left')))).rejects.toThrow('left')
    work.reject(new Error('too late'))
    await new Promise(setImmediate)
  })

  it('leaves nothing behind on the signal', async () => {
    const { signal } = new AbortController()
    const work = Promise.withResolvers<string>()
    const raced = raceAbort(work.promise, signal)
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    work.resolve('done')
    expect(await raced).toBe('done')
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
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

  it('does not start work for a caller who has already given up', async () => {
    let started = 0
    const signal = AbortSignal.abort(new Error('left'))
    const work = () => Promise.resolve((started += 1))
    await expect(withTimeout({ ...options, signal, clock: new ManualClock() }, work)).rejects.toThrow('left')
    expect(started).toBe(0)
  })

  it("returns the work's result or throws its error, and leaves no timer or listener behind", async () => {
    const clock = new ManualClock()
    const { signal } = new AbortController()
    const signals: AbortSignal[] = []
    const run = (work: () => Promise<string>) =>
      withTimeout({ ...options, signal, clock }, (scope) => {
        signals.push(scope.signal)
        expect(getEventListeners(signal, 'abort')).toHaveLength(1)
        return work()
      })
    expect(await run(() => Promise.resolve('done'))).toBe('done')
    await expect(run(() => Promise.reject(new Error('own')))).rejects.toThrow('own')
    await clock.advance(2_000)
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false])
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })

  it("throws the signal's reason, whatever the work throws after that", async () => {
    const clock = new ManualClock()
    const work = withTimeout({ ...options, clock }, async () => {
      await clock.advance(1_000)
      throw new Error('The connection broke.')
    })
    await expect(work).rejects.toThrow('too slow')
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

describe('mapInSlices', () => {
  it('keeps the order, and lets other work run when a slice has taken its time', async () => {
    let now = 0
    let turns = 0
    let isDone = false
    const count = () => {
      turns += 1
      if (!isDone) setImmediate(count)
    }
    setImmediate(count)
    const seen = await mapInSlices(
      [1, 2, 3, 4, 5, 6],
      (each, index) => {
        now += 4
        return { each, index, turns }
      },
      { monotonic: () => now },
    )
    isDone = true
    expect(seen.map(({ each, index }) => each - index)).toEqual([1, 1, 1, 1, 1, 1])
    expect(seen.map((each) => each.turns)).toEqual([0, 0, 2, 2, 4, 4])
  })
})

test('other events come before the next turn, also in an event of the system', async () => {
  const order: string[] = []
  const { promise, resolve } = Promise.withResolvers<undefined>()
  readFile(import.meta.filename, () => {
    setTimeout(() => order.push('timer'))
    const start = performance.now()
    while (performance.now() - start < 2);
    void nextTurn().then(() => {
      order.push('next turn')
      resolve(undefined)
    })
  })
  await promise
  expect(order).toEqual(['timer', 'next turn'])
})
