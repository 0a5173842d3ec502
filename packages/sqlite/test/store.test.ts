import { execFile } from 'node:child_process'
import { chmodSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { integer, openStore, text } from '../src/store.ts'
import { temporaryDirectory } from './temporary.ts'

const migrations = ['create table things (id integer primary key, name text not null)']
const shape = { id: integer, name: text }
const all = 'select id, name from things order by id'

describe('store', () => {
  it('loses no write when several processes open and use one new file', async () => {
    const file = join(temporaryDirectory(), 'shared.db')
    const run = promisify(execFile)
    const writer = join(import.meta.dirname, 'writer.ts')
    await Promise.all([1, 2, 3, 4].map(() => run(process.execPath, [writer, file, '100'])))
    const store = openStore({ file })
    expect(store.rows({ n: integer }, 'select n from counter')).toEqual([{ n: 400 }])
    await store.close()
  }, 60_000)

  it('makes files that only their owner can read', async () => {
    const directory = join(temporaryDirectory(), 'a', 'b')
    const store = openStore({ file: join(directory, 'private.db'), migrations })
    store.run("insert into things (name) values ('x')")
    const modes = readdirSync(directory).map((name) => [name, (statSync(join(directory, name)).mode & 0o777).toString(8)])
    expect(modes).toEqual([
      ['private.db', '600'],
      ['private.db-shm', '600'],
      ['private.db-wal', '600'],
    ])
    expect((statSync(directory).mode & 0o777).toString(8)).toBe('700')
    await store.close()
  })

  it('restores permissions that were widened', async () => {
    const file = join(temporaryDirectory(), 'wide.db')
    await openStore({ file, migrations }).close()
    chmodSync(file, 0o644)
    await openStore({ file, migrations }).close()
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600')
  })

  it('keeps its rows and migrates those of an older version', async () => {
    const file = join(temporaryDirectory(), 'old.db')
    const old = openStore({ file, migrations })
    old.run("insert into things (name) values ('old')")
    await old.close()
    const store = openStore({ file, migrations: [...migrations, "alter table things add column colour text not null default 'red'"] })
    expect(store.rows({ name: text, colour: text }, 'select name, colour from things')).toEqual([{ name: 'old', colour: 'red' }])
    await store.close()
    expect(() => openStore({ file, migrations })).toThrow('its format version is 2, and this release supports versions up to  1')
  })

  it('waits for the disk before a write returns', async () => {
    const store = openStore({ file: join(temporaryDirectory(), 'full.db'), migrations })
    const full = 2
    expect(store.rows({ synchronous: integer }, 'pragma synchronous')).toEqual([{ synchronous: full }])
    expect(store.rows({ journal_mode: text }, 'pragma journal_mode')).toEqual([{ journal_mode: 'wal' }])
    await store.close()
  })

  it('rolls back a write that fails, and joins nested writes', () => {
    const store = openStore({ file: ':memory:', migrations })
    const insert = (name: string) => store.writeNow(() => store.run('insert into things (name) values (:name)', { name }))
    expect(() =>
      store.writeNow(() => {
        insert('lost')
        throw new Error('failed')
      }),
    ).toThrow('failed')
    expect(insert('kept')).toBe(1)
    expect(store.rows(shape, all)).toEqual([{ id: 1, name: 'kept' }])
  })

  it('loses writes that are deferred after it is closed, and refuses further ones', async () => {
    const store = openStore({ file: join(temporaryDirectory(), 'closed.db'), migrations })
    await store.close()
    let runs = 0
    store.defer(() => (runs += 1))
    // After the timer of the deferred write.
    await setTimeout(150)
    await expect(store.write(() => (runs += 1))).rejects.toThrow('not open')
    expect(runs).toBe(0)
  })

  it('runs deferred writes with the next write, unless the work that deferred them failed', async () => {
    const store = openStore({ file: join(temporaryDirectory(), 'deferred.db'), migrations })
    const insert = (name: string) => store.run('insert into things (name) values (:name)', { name })
    store.defer(() => insert('deferred'))
    store.defer(() => {
      insert('lost')
      throw new Error('ignored')
    })
    expect(store.rows(shape, all)).toEqual([])
    expect(await store.write(() => insert('written'))).toBe(2)
    store.defer(() => insert('flushed'))
    store.flush()
    expect(store.rows({ name: text }, 'select name from things order by id').map(({ name }) => name)).toEqual([
      'deferred',
      'written',
      'flushed',
    ])
    expect(store.rows({ synchronous: integer }, 'pragma synchronous')).toEqual([{ synchronous: 2 }])
    await store.close()
  })

  it('keeps few deferred writes in memory, even while no timer can run', async () => {
    const store = openStore({ file: join(temporaryDirectory(), 'busy.db'), migrations })
    for (let number = 0; number < 1_000; number += 1)
      store.defer(() => store.run('insert into things (name) values (:name)', { name: `thing ${number}` }))
    const written = store.rows(shape, all).length
    expect(written).toBeGreaterThan(700)
    expect(written).toBeLessThan(1_000)
    await store.close()
  })

  it('deletes every row on reset and inserts the seed again', () => {
    const store = openStore({
      file: ':memory:',
      migrations,
      seed: (seeded) => {
        seeded.run("insert into things (name) values ('root')")
      },
    })
    store.run("insert into things (name) values ('x')")
    expect(store.rows(shape, all)).toHaveLength(2)
    store.reset()
    expect(store.rows(shape, all)).toEqual([{ id: 1, name: 'root' }])
  })

  it('rejects rows that do not fit their query', () => {
    const store = openStore({ file: ':memory:', migrations })
    store.run("insert into things (name) values ('x')")
    expect(() => store.rows({ id: text }, 'select id from things')).toThrow('does not fit')
  })
})
