import { execFileSync } from 'node:child_process'
import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { abortReason, systemClock } from './clock.ts'

describe('the system clock', () => {
  it("tells the machine's time, and a time that only moves forward", () => {
    expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(1_000)
    expect(systemClock.monotonic()).toBeLessThanOrEqual(systemClock.monotonic())
  })

  it('tells the same monotonic time in every process', () => {
    const script = `import { systemClock } from ${JSON.stringify(import.meta.resolve('./clock.ts'))}
      console.log(systemClock.monotonic())`
    const before = systemClock.monotonic()
    const there = Number(execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' }))
    expect(there).toBeGreaterThan(before)
    expect(there).toBeLessThan(systemClock.monotonic())
  })

  it('sleeps until the time is over or the signal is aborted, and leaves no listener behind', async () => {
    const controller = new AbortController()
    await systemClock.sleep(0, controller.signal)
    await systemClock.sleep(0)
    const long = systemClock.sleep(3_600_000, controller.signal)
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1)
    controller.abort(new Error('left'))
    await expect(long).rejects.toThrow('left')
    await expect(systemClock.sleep(0, controller.signal)).rejects.toThrow('left')
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
  })

  it('runs a callback once, unless it is cancelled', async () => {
    const runs: string[] = []
    const cancelled = systemClock.timer(0, () => runs.push('cancelled'))
    cancelled.cancel()
    await new Promise<void>((resolve) => {
      const timer = systemClock.timer(0, () => {
        runs.push('ran')
        if (runs.length < 2) timer.restart()
        else resolve()
      })
    })
    expect(runs).toEqual(['ran', 'ran'])
  })

  it('lets the process exit before a callback that may be dropped', () => {
    const active = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const before = active()
    const timer = systemClock.timer(3_600_000, () => undefined)
    expect(active()).toBe(before + 1)
    timer.unref()
    expect(active()).toBe(before)
    timer.cancel()
  })
})

it("returns a signal's reason as an error", () => {
  expect(abortReason(AbortSignal.abort(new TypeError('left')))).toEqual(new TypeError('left'))
  for (const signal of [undefined, AbortSignal.abort('text')])
    expect(abortReason(signal)).toMatchObject({ name: 'AbortError', message: 'The caller gave up.' })
})
