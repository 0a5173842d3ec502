import { execFile } from 'node:child_process'
import { chmodSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { integer, text } from '../src/columns.ts'
import { openStore } from '../src/store.ts'
import { temporaryDirectory } from './temporary.ts'

const migrations = ['create table things (id integer primary key, name text not null)']
const shape = { id: integer, name: text }
const all = 'select id, name from things order by id'

describe('store', () => {
  it('loses no write of several processes that open and use one new file at once', async () => {
    const file = join(temporaryDirectory(), 'shared.db')
    const run = promisify(execFile)
    const writer = join(import.meta.dirname, 'writer.ts')
    await Promise.all([1, 2, 3, 4].map(() => run(process.execPath, [writer, file, '250'])))
    const store = openStore({ file })
    expect(store.rows({ n: integer }, 'select n from counter')).toEqual([{ n: 1000 }])
    store.close()
  }, 60_000)

  it('is readable to its owner alone, with the files beside it', () => {
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
    store.close()
  })

  it('takes back the permissions that someone widened', () => {
    const file = join(temporaryDirectory(), 'wide.db')
    openStore({ file, migrations }).close()
    chmodSync(file, 0o644)
    openStore({ file, migrations }).close()
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600')
  })

  it('keeps what was written, and migrates what an older version wrote', () => {
    const file = join(temporaryDirectory(), 'kept.db')
    const old = openStore({ file, migrations })
    old.run("insert into things (name) values ('old')")
    old.close()
    const store = openStore({ file, migrations: [...migrations, "alter table things add column colour text not null default 'red'"] })
    expect(store.rows({ name: text, colour: text }, 'select name, colour from things')).toEqual([{ name: 'old', colour: 'red' }])
    store.close()
    expect(() => openStore({ file, migrations })).toThrow('newer version')
  })

  it('waits for the disk before a write is done', () => {
    const store = openStore({ file: join(temporaryDirectory(), 'full.db'), migrations })
    const full = 2
    expect(store.rows({ synchronous: integer }, 'pragma synchronous')).toEqual([{ synchronous: full }])
    expect(store.rows({ journal_mode: text }, 'pragma journal_mode')).toEqual([{ journal_mode: 'wal' }])
    store.close()
  })

  it('undoes a write that fails, and lets a write join another', () => {
    const store = openStore({ file: ':memory:', migrations })
    const insert = (name: string) => store.write(() => store.run('insert into things (name) values (:name)', { name }))
    expect(() =>
      store.write(() => {
        insert('lost')
        throw new Error('half way')
      }),
    ).toThrow('half way')
    expect(insert('kept')).toBe(1)
    expect(store.rows(shape, all)).toEqual([{ id: 1, name: 'kept' }])
  })

  it('empties every table and plants the seed again', () => {
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

  it('refuses rows that are not what the query promises', () => {
    const store = openStore({ file: ':memory:', migrations })
    store.run("insert into things (name) values ('x')")
    expect(() => store.rows({ id: text }, 'select id from things')).toThrow('does not fit')
  })
})
