import { expect, it } from 'vitest'
import { ManualClock } from '../../../test/manual-clock.ts'
import { type CallScope, sharedWork } from '../../tool/call/call-deadline.ts'

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

const turnCounts = [0, 1, 2, 3, 4, 5, 6, 7, 8]

/** Lets pending work run for some turns of the microtask queue. */
async function wait(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await Promise.resolve()
}

it.each(turnCounts)('is shared by all that come %i turns after the run before was done, or given up, and later', async (turns) => {
  for (const end of ['done', 'given up']) {
    const { runs, join } = open()
    const first = join()
    if (end === 'done') runs[0]?.gate.resolve('first')
    else first.controller.abort(new Error('left'))
    await wait(turns)
    const second = join()
    await Promise.allSettled([first.result])
    await wait(10)
    const third = join()
    expect(runs.length).toBeLessThanOrEqual(2)
    for (const { gate } of runs) gate.resolve('done')
    const results = await Promise.allSettled([second.result, third.result])
    expect(results.at(-1)).toEqual({ status: 'fulfilled', value: 'done' })
  }
})

it.each(turnCounts)('gives no one an old result for ever, also when callers ask again at once, %i turns apart', async (turns) => {
  let runs = 0
  const run = sharedWork(new ManualClock(), () => Promise.resolve((runs += 1)))
  const ask = async () => {
    const results: number[] = []
    for (let asked = 0; asked < 20; asked += 1) results.push(await run(new AbortController()))
    return results.at(-1)
  }
  const first = ask()
  await wait(turns)
  expect(Math.min(...(await Promise.all([first, ask()])).map(Number))).toBeGreaterThan(5)
})
