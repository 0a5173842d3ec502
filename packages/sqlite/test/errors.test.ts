import {
  copyFileSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { integer, openStore } from '../src/store.ts'
import { StoreError, StoreLocked, type StoreProblem, toStoreError } from '../src/errors.ts'
import { setAsideFile } from '../src/private-file.ts'
import { temporaryDirectory } from './temporary.ts'

const migrations = ['create table things (id integer primary key, bytes blob)']
const fill = (bytes: number) => `insert into things (bytes) values (zeroblob(${bytes}))`
const count = 'select count(*) as n from things'

const newFile = () => join(temporaryDirectory(), 'data.db')

async function problemOf(work: () => unknown): Promise<StoreProblem | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    expect(error).toBeInstanceOf(StoreError)
    return error instanceof StoreError ? error.problem : undefined
  }
}

describe('store errors', () => {
  it('say that a newer release wrote the file, even while another process has it locked', async () => {
    const file = newFile()
    await openStore({ file, migrations: [...migrations, ''] }).close()
    const other = new DatabaseSync(file)
    other.exec('begin immediate')
    expect(() => openStore({ file, migrations })).toThrow('its format version is 2, and this release supports versions up to  1.')
    expect(await problemOf(() => openStore({ file, migrations }))).toBe('newer')
    other.close()
  })

  it('say that a file is not a database, or is damaged inside', async () => {
    const file = newFile()
    writeFileSync(file, 'something else'.repeat(100))
    expect(await problemOf(() => openStore({ file, migrations }))).toBe('corrupt')
    const damaged = newFile()
    const store = openStore({ file: damaged, migrations })
    for (let row = 0; row < 50; row += 1) store.run(fill(4_000))
    await store.close()
    const bytes = readFileSync(damaged)
    writeFileSync(damaged, bytes.fill(0xff, 4_096, bytes.length))
    const reopened = openStore({ file: damaged })
    expect(await problemOf(() => reopened.read(() => reopened.rows({ n: integer }, count)))).toBe('corrupt')
    await reopened.close()
  })

  it('say that the disk is full, keep what others wrote in the same transaction, and keep reading', async () => {
    const store = openStore({ file: newFile(), migrations })
    store.script('pragma max_page_count = 60')
    const small = () => store.run(fill(10))
    const writes = [store.write(small), store.write(small), store.write(() => store.run(fill(1_000_000))), store.write(small)]
    const results = await Promise.allSettled(writes)
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
    expect(await problemOf(() => store.write(() => store.run(fill(1_000_000))))).toBe('full')
    expect(await store.read(() => store.rows({ n: integer }, count))).toEqual([{ n: 3 }])
    await store.close()
  })

  it.each(['deleted', 'replaced'])('say that the file was %s while it was open, and store nothing', async (change) => {
    const directory = join(temporaryDirectory(), 'data')
    const file = join(directory, 'data.db')
    const store = openStore({ file, migrations })
    await store.write(() => store.run(fill(10)))
    rmSync(directory, { recursive: true })
    const other = change === 'replaced' ? openStore({ file, migrations }) : undefined
    const writes = await Promise.allSettled([store.write(() => store.run(fill(10))), store.write(() => store.run(fill(10)))])
    expect(writes).toMatchObject([{ reason: { problem: 'gone' } }, { reason: { problem: 'gone' } }])
    expect(await problemOf(() => store.writeNow(() => store.run(fill(10))))).toBe('gone')
    expect(store.rows({ n: integer }, count)).toEqual([{ n: 1 }])
    expect(other?.rows({ n: integer }, count) ?? [{ n: 0 }]).toEqual([{ n: 0 }])
    await other?.close()
    await store.close()
  })

  it('say that the file is read-only, and keep reading', async () => {
    const store = openStore({ file: newFile(), migrations })
    store.run(fill(10))
    store.script('pragma query_only = on')
    expect(await problemOf(() => store.write(() => store.run(fill(10))))).toBe('read_only')
    expect(store.rows({ n: integer }, count)).toEqual([{ n: 1 }])
    await store.close()
  })

  it("contain the system's error for files that cannot be opened", async () => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, 'file'), '')
    expect(await problemOf(() => openStore({ file: join(directory, 'file', 'data.db'), migrations }))).toBe('unusable')
    expect(await problemOf(() => openStore({ file: directory, migrations }))).toBe('unusable')
    const systemErrors = ['ENOSPC', 'EROFS', 'EACCES'].map((code) => Object.assign(new Error(code), { code, syscall: 'open' }))
    const problems = systemErrors
      .map((error) => toStoreError(error, 'data.db'))
      .map((error) => error instanceof StoreError && error.problem)
    expect(problems).toEqual(['full', 'read_only', 'unusable'])
    const defect = new TypeError('a defect')
    expect(toStoreError(defect, 'data.db')).toBe(defect)
  })

  it('refuse a symbolic link in place of any file of a database, and leave its target alone', async () => {
    for (const suffix of ['', '-wal', '-shm', '-journal']) {
      const file = newFile()
      await openStore({ file, migrations }).close()
      const target = join(temporaryDirectory(), 'target')
      if (suffix === '') renameSync(file, target)
      else writeFileSync(target, 'untouched', { mode: 0o644 })
      const before = { mode: statSync(target).mode, bytes: readFileSync(target) }
      symlinkSync(target, file + suffix)
      expect(await problemOf(() => openStore({ file, migrations }))).toBe('link')
      expect(lstatSync(file + suffix).isSymbolicLink()).toBe(true)
      expect({ mode: statSync(target).mode, bytes: readFileSync(target) }).toEqual(before)
    }
  })

  it("measure the wait for a lock by the time slept, whatever the machine's clock says", async () => {
    const file = newFile()
    let slept = 0
    // A clock without a date, so the store has nothing that could jump.
    const clock = { monotonic: () => 0, sleep: (ms: number) => Promise.resolve(void (slept += ms)) }
    const store = openStore({ file, migrations, clock })
    const other = new DatabaseSync(file)
    other.exec('begin immediate')
    await expect(store.write(() => store.run(fill(1)))).rejects.toThrow(StoreLocked)
    expect(slept).toBeGreaterThanOrEqual(5_000)
    expect(slept).toBeLessThan(5_100)
    other.close()
    await store.close()
  })
})

describe('setAsideFile', () => {
  it('moves a database and the files beside it, and never over an earlier one', () => {
    const file = newFile()
    const moved = [1, 2].map((run) => {
      for (const suffix of ['', '-wal', '-shm']) writeFileSync(file + suffix, `${suffix} ${run}`)
      return setAsideFile(file, Date.UTC(2026, 0, 2, 3, 4, 5)) ?? ''
    })
    expect(moved.map((path) => basename(path))).toEqual(['data.db.damaged-20260102T030405Z', 'data.db.damaged-20260102T030405Z-2'])
    expect(existsSync(file)).toBe(false)
    expect(readdirSync(dirname(file))).toHaveLength(6)
    expect(moved.map((path) => readFileSync(`${path}-wal`, 'utf8'))).toEqual(['-wal 1', '-wal 2'])
  })

  /** A database whose row is still in its log, as a killed process leaves it. */
  async function unfinished() {
    const source = newFile()
    const store = openStore({ file: source, migrations })
    await store.write(() => store.run(fill(10)))
    const file = newFile()
    for (const suffix of ['', '-wal', '-shm']) copyFileSync(source + suffix, file + suffix)
    await store.close()
    return file
  }

  it.each([0, 1, 2, 3])('is finished by the next one to open the file when the process stopped after %i files', async (moved) => {
    const file = await unfinished()
    const target = `${file}.damaged-20260102T030405Z`
    writeFileSync(`${file}.set-aside`, JSON.stringify({ target: basename(target), suffixes: ['', '-wal', '-shm'] }))
    for (const suffix of ['-shm', '-wal', ''].slice(0, moved)) renameSync(file + suffix, target + suffix)
    const rows = async (path: string) => {
      const store = openStore({ file: path, migrations })
      const found = store.rows({ n: integer }, count)
      await store.close()
      return found
    }
    expect(await rows(file)).toEqual([{ n: 0 }])
    expect(existsSync(`${file}.set-aside`)).toBe(false)
    expect(await rows(target)).toEqual([{ n: 1 }])
    expect(await rows(file)).toEqual([{ n: 0 }])
  })

  it('has moved nothing when what it wrote first is incomplete', async () => {
    const file = await unfinished()
    writeFileSync(`${file}.set-aside`, '{"target":"data.db.dam')
    const store = openStore({ file, migrations })
    expect(store.rows({ n: integer }, count)).toEqual([{ n: 1 }])
    await store.close()
    const aside = setAsideFile(file, Date.UTC(2026, 0, 2, 3, 4, 5))
    expect(readdirSync(dirname(file))).toEqual([basename(aside ?? '')])
  })

  it('does not let a file open whose log has moved and which cannot follow it', async () => {
    const directory = temporaryDirectory()
    const file = join(directory, 'd'.repeat(232))
    await openStore({ file, migrations }).close()
    const target = `${basename(file)}.damaged-20260102T030405Z`
    writeFileSync(`${file}.set-aside`, JSON.stringify({ target, suffixes: ['', '-wal'] }))
    expect(await problemOf(() => openStore({ file, migrations }))).toBe('corrupt')
    expect(readdirSync(directory)).toContain(basename(file))
  })
})
