import { expect, it } from 'vitest'
import { ManualClock } from '../manual-clock.ts'
import { type CallScope, sharedWork } from './call-scope.ts'

/** Shared work whose runs a test ends by hand. */
function open() {
  const runs: { readonly scope: CallScope; readonly gate: PromiseWithResolvers<string> }[] = []
  const clock = new ManualClock()
  const run = sharedWork(clock, (scope) => {
    const gate = Promise.withResolvers<string>()
    runs.push({ scope, gate })
    return gate.promise
  })
  const join = () => {
    const controller = new AbortController()
    return { controller, result: run(controller) }
  }
  return { runs, clock, join, run }
}

it('is done once for all that wait at the same time, and again for the next', async () => {
  const { runs, join } = open()
  const [first, second] = [join(), join()]
  expect(runs).toHaveLength(1)
  runs[0]?.gate.resolve('done')
  expect(await Promise.all([first.result, second.result])).toEqual(['done', 'done'])
  const third = join()
  expect(runs).toHaveLength(2)
  runs[1]?.gate.resolve('again')
  expect(await third.result).toBe('again')
})

it('fails for all that wait, and is tried again by the next', async () => {
  const { runs, join } = open()
  const both = [join().result, join().result]
  runs[0]?.gate.reject(new Error('failed'))
  for (const result of both) await expect(result).rejects.toThrow('failed')
  const next = join()
  runs[1]?.gate.resolve('done')
  expect(await next.result).toBe('done')
})

it('goes on for the others when one caller gives up', async () => {
  const { runs, join } = open()
  const [first, second] = [join(), join()]
  first.controller.abort(new Error('left'))
  await expect(first.result).rejects.toThrow('left')
  expect(runs[0]?.scope.signal.aborted).toBe(false)
  const third = join()
  expect(runs).toHaveLength(1)
  runs[0]?.gate.resolve('done')
  expect(await Promise.all([second.result, third.result])).toEqual(['done', 'done'])
})

it('ends when the last caller has given up, and the next starts another run', async () => {
  const { runs, join } = open()
  const callers = [join(), join()]
  for (const { controller, result } of callers) {
    controller.abort(new Error('left'))
    await expect(result).rejects.toThrow('left')
  }
  expect(runs[0]?.scope.signal.reason).toMatchObject({ name: 'AbortError', message: 'No call waits for it.' })
  const next = join()
  expect(runs).toHaveLength(2)
  runs[1]?.gate.resolve('done')
  expect(await next.result).toBe('done')
})

it('does not start for a caller who gave up before, and has a deadline by its own clock', async () => {
  const { runs, run, join, clock } = open()
  await expect(run({ signal: AbortSignal.abort(new Error('left')) })).rejects.toThrow('left')
  expect(runs).toEqual([])
  const { result } = join()
  expect(runs[0]?.scope.clock).toBe(clock)
  const ended = expect(result).rejects.toThrow('This took too long. Try again.')
  await clock.advance(29_000)
  await ended
})
