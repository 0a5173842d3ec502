import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openAsyncStore } from '../src/async-store.ts'
import { integer, openStore, type Store, text } from '../src/store.ts'
import { StoreLocked } from '../src/errors.ts'
import type { Steps } from '../src/write-queue.ts'
import { temporaryDirectory } from './temporary.ts'

const migrations = ['create table things (id integer primary key, name text not null)']
const insert = (name: string) => `insert into things (name) values ('${name}')`

/** A clock that each sleep moves forward; `onSleep` runs during the sleep. */
function clock(onSleep: (slept: number) => void = () => undefined) {
  let now = 0
  const timers = new Map<object, { at: number; callback: () => void }>()
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  return {
    now: () => now,
    monotonic: () => now,
    pass(ms: number) {
      now += ms
    },
    async sleep(ms: number) {
      const end = now + ms
      while (now < end) {
        now += 1
        for (const [timer, { at, callback }] of timers) {
          if (at > now) continue
          timers.delete(timer)
          callback()
          await settle()
        }
      }
      await settle()
      onSleep(now)
    },
    timer(ms: number, callback: () => void) {
      const timer = {
        cancel: () => void timers.delete(timer),
        restart: () => void timers.set(timer, { at: now + ms, callback }),
      }
      timer.restart()
      return timer
    },
  }
}

/** A file, and a connection that holds its write lock until `unlock`. */
function lockedFile() {
  const file = join(temporaryDirectory(), 'locked.db')
  const other = openStore({ file, migrations })
  const lock = () => {
    other.script('begin immediate')
  }
  const unlock = () => {
    other.script('commit')
  }
  return { file, other, lock, unlock }
}

describe('async store', () => {
  it('waits for the lock of another connection without blocking', async () => {
    const { file, other, lock, unlock } = lockedFile()
    let ticks = 0
    const store = await openAsyncStore({
      file,
      migrations,
      clock: clock((now) => {
        ticks += 1
        if (now > 1_000 && now < 1_100) unlock()
      }),
    })
    lock()
    await store.write((tables) => tables.run(insert('late')))
    expect(ticks).toBeGreaterThan(10)
    expect(other.rows({ name: text }, 'select name from things')).toEqual([{ name: 'late' }])
    await store.close()
    await other.close()
  })

  it('reads while another connection writes', async () => {
    const { file, other, lock, unlock } = lockedFile()
    const store = await openAsyncStore({ file, migrations, clock: clock() })
    lock()
    expect(await store.read((tables) => tables.rows({ id: integer }, 'select id from things'))).toEqual([])
    unlock()
    await store.close()
    await other.close()
  })

  it('says that the file stayed locked, and has written nothing', async () => {
    const { file, other, lock, unlock } = lockedFile()
    const store = await openAsyncStore({ file, migrations, clock: clock() })
    lock()
    await expect(store.write((tables) => tables.run(insert('never')))).rejects.toThrow(StoreLocked)
    unlock()
    expect(other.rows({ name: text }, 'select name from things')).toEqual([])
    await store.close()
    await other.close()
  })

  it('writes in the order of the calls, even after one that fails', async () => {
    const { file, other, lock, unlock } = lockedFile()
    const store = await openAsyncStore({
      file,
      migrations,
      clock: clock((now) => {
        if (now === 1) unlock()
      }),
    })
    lock()
    const first = store.write((tables) => tables.run(insert('first')))
    const failed = store.write(() => {
      throw new Error('failed')
    })
    const last = store.write((tables) => tables.run(insert('last')))
    await expect(failed).rejects.toThrow('failed')
    expect(await Promise.all([first, last])).toEqual([1, 2])
    await store.close()
    await other.close()
  })

  it('commits writes that are requested together in one transaction, unless they take long', async () => {
    const { file, other } = lockedFile()
    const time = clock()
    const store = await openAsyncStore({ file, migrations, clock: time })
    const committed = () => other.rows({ name: text }, 'select name from things').map(({ name }) => name)
    const insertAfter = (name: string, ms: number) =>
      store.write((tables) => {
        const before = committed()
        tables.run(insert(name))
        time.pass(ms)
        return before
      })
    expect(await Promise.all([insertAfter('a', 0), insertAfter('b', 0), insertAfter('c', 100), insertAfter('d', 0)])).toEqual([
      [],
      [],
      [],
      ['a', 'b', 'c'],
    ])
    expect(committed()).toEqual(['a', 'b', 'c', 'd'])
    await store.close()
    await other.close()
  })

  it('waits for the disk only if a write in the transaction needs it', async () => {
    const file = join(temporaryDirectory(), 'relaxed.db')
    const store = await openAsyncStore({ file, migrations, clock: clock() })
    /** The transaction's `synchronous` setting: with 1, a commit does not wait for the disk; with 2, it does. */
    const insertWith = (isDurable?: boolean) =>
      store.write(
        (tables) => {
          tables.run(insert('row'))
          return tables.rows({ synchronous: integer }, 'pragma synchronous')[0]?.synchronous
        },
        isDurable === undefined ? undefined : { isDurable },
      )
    expect(await Promise.all([insertWith(false), insertWith(false)])).toEqual([1, 1])
    expect(await Promise.all([insertWith(false), insertWith(), insertWith(false)])).toEqual([2, 2, 2])
    expect(await insertWith()).toBe(2)
    let requested: Promise<number | undefined> | undefined
    const requestDurable = () => {
      requested ??= insertWith(true)
    }
    await store.write(requestDurable, { isDurable: false })
    expect(await requested).toBe(2)
    await store.close()
  })

  it('keeps a write that does not wait for the disk when its process is killed', async () => {
    const file = join(temporaryDirectory(), 'relaxed.db')
    const { signal } = spawnSync(process.execPath, [join(import.meta.dirname, 'interrupted-writer.ts'), file, 'relaxed'])
    expect(signal).toBe('SIGKILL')
    const store = openStore({ file, migrations })
    expect(store.rows({ name: text }, 'select name from things')).toEqual([{ name: 'before' }, { name: 'relaxed' }])
    await store.close()
  })

  it('undoes a write that fails halfway, and no other of the same transaction', async () => {
    const { file, other } = lockedFile()
    const store = await openAsyncStore({ file, migrations, clock: clock() })
    const first = store.write((tables) => tables.run(insert('first')))
    const failed = store.write((tables) => {
      tables.run(insert('half'))
      throw new Error('failed')
    })
    const last = store.write((tables) => tables.run(insert('last')))
    await expect(failed).rejects.toThrow('failed')
    await Promise.all([first, last])
    expect(other.rows({ name: text }, 'select name from things order by id')).toEqual([{ name: 'first' }, { name: 'last' }])
    await store.close()
    await other.close()
  })

  it("notifies a watcher of the store's own writes at once, and of other connections' writes when it polls", async () => {
    const { file, other } = lockedFile()
    const time = clock()
    const store = await openAsyncStore({ file, migrations, clock: time })
    const { signal } = new AbortController()
    const watch = await store.watch()
    await store.write((tables) => tables.run(insert('own')))
    await watch.next(60_000, signal)
    expect(time.now()).toBe(0)
    let isChanged = false
    const change = watch.next(60_000, signal).then(() => {
      isChanged = true
    })
    await time.sleep(1_000)
    expect(isChanged).toBe(false)
    other.run(insert('foreign'))
    await time.sleep(100)
    await change
    expect(time.now()).toBe(1_100)
    await store.close()
    await other.close()
  })

  it('ends a watch after its time, and when its caller gives up', async () => {
    const time = clock()
    const store = await openAsyncStore({ file: ':memory:', migrations, clock: time })
    const watch = await store.watch()
    const unchanged = watch.next(500, new AbortController().signal)
    await time.sleep(500)
    await unchanged
    const caller = new AbortController()
    const abandoned = watch.next(500, caller.signal)
    caller.abort(new Error('gave up'))
    await expect(abandoned).rejects.toThrow('gave up')
    await store.close()
  })

  it('writes everything that was asked for before it closes', async () => {
    const { file, other } = lockedFile()
    const store = await openAsyncStore({ file, migrations, clock: clock() })
    const written = store.write((tables) => tables.run(insert('last')))
    await store.close()
    expect(await written).toBe(1)
    await other.close()
  })

  describe('a write in steps', () => {
    /** Inserts `count` rows; each takes longer than one turn of the event loop may. */
    const slowly = (time: { pass: (ms: number) => void }, count: number, onStep: (step: number) => void = () => undefined) =>
      function* (tables: Store): Steps<number> {
        for (let step = 1; step <= count; step += 1) {
          tables.run(insert(`step ${step}`))
          time.pass(10)
          onStep(step)
          yield
        }
        return count
      }
    const namesIn = (store: Store) => store.rows({ name: text }, 'select name from things order by id').map(({ name }) => name)

    it('is seen by others only as a whole, and keeps other writes out until its end', async () => {
      const { file, other } = lockedFile()
      const time = clock()
      const store = await openAsyncStore({ file, migrations, clock: time })
      const seen: string[][] = []
      const reads: Promise<string[]>[] = []
      let turns = 0
      const written = store.writeInSteps(
        slowly(time, 3, (step) => {
          seen.push(namesIn(other))
          setImmediate(() => {
            turns += 1
            reads.push(store.read(namesIn))
          })
          if (step === 1) void store.write((tables) => tables.run(insert('after')))
        }),
      )
      expect(await written).toBe(3)
      await store.close()
      expect(seen).toEqual([[], [], []])
      expect(turns).toBe(3)
      for (const names of await Promise.all(reads)) expect(names.slice(0, 3)).toEqual(['step 1', 'step 2', 'step 3'])
      expect(namesIn(other)).toEqual(['step 1', 'step 2', 'step 3', 'after'])
      await other.close()
    })

    it('is undone when a step fails, and the writes behind it are not', async () => {
      const { file, other } = lockedFile()
      const time = clock()
      const store = await openAsyncStore({ file, migrations, clock: time })
      const failed = store.writeInSteps(
        slowly(time, 3, (step) => {
          if (step === 3) throw new Error('failed')
        }),
      )
      const after = store.write((tables) => tables.run(insert('after')))
      await expect(failed).rejects.toThrow('failed')
      await after
      expect(namesIn(other)).toEqual(['after'])
      await store.close()
      await other.close()
    })

    it('is undone when its caller gives up between two steps', async () => {
      const { file, other } = lockedFile()
      const time = clock()
      const store = await openAsyncStore({ file, migrations, clock: time })
      const caller = new AbortController()
      const steps: number[] = []
      const abandoned = store.writeInSteps(
        slowly(time, 3, (step) => {
          steps.push(step)
          setImmediate(() => {
            caller.abort(new Error('gave up'))
          })
        }),
        caller.signal,
      )
      await expect(abandoned).rejects.toThrow('gave up')
      expect(steps.length).toBeLessThan(3)
      expect(namesIn(other)).toEqual([])
      await store.close()
      await other.close()
    })

    it('waits for the lock of another connection', async () => {
      const { file, other, lock, unlock } = lockedFile()
      const time = clock((now) => {
        if (now === 1) unlock()
      })
      const store = await openAsyncStore({ file, migrations, clock: time })
      lock()
      expect(await store.writeInSteps(slowly(time, 2))).toBe(2)
      expect(namesIn(other)).toEqual(['step 1', 'step 2'])
      await store.close()
      await other.close()
    })

    it('leaves nothing behind when its process is killed between two steps', async () => {
      const file = join(temporaryDirectory(), 'killed.db')
      const { signal } = spawnSync(process.execPath, [join(import.meta.dirname, 'interrupted-writer.ts'), file])
      expect(signal).toBe('SIGKILL')
      const store = openStore({ file, migrations })
      expect(namesIn(store)).toEqual(['before'])
      store.run(insert('after'))
      expect(namesIn(store)).toEqual(['before', 'after'])
      await store.close()
    })
  })
})
