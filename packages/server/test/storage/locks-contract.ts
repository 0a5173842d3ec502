import { setTimeout } from 'node:timers/promises'
import type { Locks } from '@mcp-toolkits/core/base'
import { expect, it } from 'vitest'
import { StoreError } from '../../../sqlite/src/errors.ts'

/** Several processes that share locks, as tests see them. */
export interface LockProcesses {
  readonly start: () => Promise<{ readonly locks: Locks; readonly kill: () => Promise<void> }>
}

/** The rules for locks. `open` makes an empty store. */
export function locksContract(open: () => Promise<LockProcesses>): void {
  /** Work that runs until the test ends it. */
  const holdLock = async (locks: Locks, name: string) => {
    const { promise: released, resolve: release } = Promise.withResolvers<undefined>()
    const { promise: isHeld, resolve: hold } = Promise.withResolvers<AbortSignal>()
    const done = locks.withLock(name, async (signal) => {
      hold(signal)
      await released
      return 'done'
    })
    return {
      signal: await Promise.race([isHeld, done.then(() => Promise.reject(new Error('The work has ended.')))]),
      end: () => {
        release(undefined)
        return done
      },
    }
  }
  const problemOf = (work: Promise<unknown>) =>
    work.then(
      () => 'none',
      (error: unknown) => (error instanceof StoreError ? error.problem : String(error)),
    )

  it('let one of several callers work at a time, in one process and in several', async () => {
    const { start } = await open()
    const processes = [await start(), await start(), await start()]
    let [running, most, count] = [0, 0, 0]
    const work = async () => {
      running += 1
      most = Math.max(most, running)
      await setTimeout(3)
      running -= 1
      count += 1
    }
    await Promise.all(Array.from({ length: 10 }, () => processes.map(({ locks }) => locks.withLock('name', work))).flat())
    expect([most, count]).toEqual([1, 30])
  })

  it('with other names do not wait for each other', async () => {
    const { locks } = await (await open()).start()
    const names = ['a', 'b', 'c']
    const held = await Promise.all(names.map((name) => holdLock(locks, name)))
    expect(await Promise.all(held.map(({ end }) => end()))).toEqual(['done', 'done', 'done'])
  })

  it('are released when the work fails, and the caller gets the error', async () => {
    const { locks } = await (await open()).start()
    await expect(locks.withLock('name', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
    expect(await locks.withLock('name', () => Promise.resolve('again'))).toBe('again')
  })

  it('are free as soon as their holder has died', async () => {
    const { start } = await open()
    const [first, second] = [await start(), await start()]
    const held = await holdLock(first.locks, 'name')
    const next = second.locks.withLock('name', () => Promise.resolve('next'))
    await first.kill()
    expect(await next).toBe('next')
    await held.end().catch(() => undefined)
  })

  it('make callers in any process wait for a limited time', async () => {
    const { start } = await open()
    const [first, second] = [await start(), await start()]
    const held = await holdLock(first.locks, 'name')
    const waits = [first, second].map(({ locks }) => problemOf(locks.withLock('name', () => Promise.resolve(), { waitMs: 50 })))
    expect(await Promise.all(waits)).toEqual(['locked', 'locked'])
    expect(await held.end()).toBe('done')
    expect(await second.locks.withLock('name', () => Promise.resolve('free'))).toBe('free')
  })

  it('do not keep a caller waiting that has given up', async () => {
    const { start } = await open()
    const [first, second] = [await start(), await start()]
    const held = await holdLock(first.locks, 'name')
    const callers = [first, second].map(({ locks }) => {
      const caller = new AbortController()
      const wait = locks.withLock('name', () => Promise.resolve(), { signal: caller.signal })
      return { caller, refused: expect(wait).rejects.toThrow('given up') }
    })
    await setTimeout(50)
    for (const { caller } of callers) caller.abort(new Error('given up'))
    await Promise.all(callers.map(({ refused }) => refused))
    expect(held.signal.aborted).toBe(false)
    await held.end()
    expect(await second.locks.withLock('name', () => Promise.resolve('free'))).toBe('free')
  })
}
