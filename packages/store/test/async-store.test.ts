import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openAsyncStore, StoreLocked } from '../src/async-store.ts'
import { integer, text } from '../src/columns.ts'
import { openStore } from '../src/store.ts'
import { temporaryDirectory } from './temporary.ts'

const migrations = ['create table things (id integer primary key, name text not null)']
const insert = (name: string) => `insert into things (name) values ('${name}')`

/** A clock that a sleep moves; `onSleep` runs during each sleep. */
function clock(onSleep: (slept: number) => void = () => undefined) {
  let now = 0
  return {
    now: () => now,
    async sleep(ms: number) {
      now += ms
      await new Promise((resolve) => setImmediate(resolve))
      onSleep(now)
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
    other.close()
  })

  it('reads while another connection writes', async () => {
    const { file, other, lock, unlock } = lockedFile()
    const store = await openAsyncStore({ file, migrations, clock: clock() })
    lock()
    expect(await store.read((tables) => tables.rows({ id: integer }, 'select id from things'))).toEqual([])
    unlock()
    await store.close()
    other.close()
  })

  it('says that the file stayed locked, and has written nothing', async () => {
    const { file, other, lock, unlock } = lockedFile()
    const store = await openAsyncStore({ file, migrations, clock: clock() })
    lock()
    await expect(store.write((tables) => tables.run(insert('never')))).rejects.toThrow(StoreLocked)
    unlock()
    expect(other.rows({ name: text }, 'select name from things')).toEqual([])
    await store.close()
    other.close()
  })

  it('writes in the order of the calls, also after one that fails', async () => {
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
    other.close()
  })

  it('notices what other connections change, and not what it changes itself', async () => {
    const { file, other } = lockedFile()
    const store = await openAsyncStore({ file, migrations, clock: clock() })
    const before = await store.changesByOthers()
    await store.write((tables) => tables.run(insert('own')))
    expect(await store.changesByOthers()).toBe(before)
    other.run(insert('foreign'))
    expect(await store.changesByOthers()).not.toBe(before)
    await store.close()
    other.close()
  })

  it('writes everything that was asked for before it closes', async () => {
    const { file, other } = lockedFile()
    const store = await openAsyncStore({ file, migrations, clock: clock() })
    const written = store.write((tables) => tables.run(insert('last')))
    await store.close()
    expect(await written).toBe(1)
    other.close()
  })
})
