import { join } from 'node:path'
import { systemClock } from '@mcp-toolkits/core/base'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { readdirSync, writeFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openLocalState } from '../../src/storage/local-state.ts'
import { locksTable, sqliteLocks } from '../../src/storage/sqlite-locks.ts'
import { recordsTable, sqliteRecords } from '../../src/storage/sqlite-expiring-records.ts'
import { type AsyncStore, openAsyncStore, openProcessLock, presentMoment, StoreError, text } from '@mcp-toolkits/sqlite'
import { locksContract } from './locks-contract.ts'
import { recordsContract } from './records-contract.ts'
import { spoilPages, temporaryDirectory } from '../../../sqlite/test/temporary.ts'

describe('locks in a SQLite file', () => {
  locksContract(() => {
    const file = join(temporaryDirectory(), 'state.db')
    return Promise.resolve({
      async start() {
        const state = await openLocalState({ file, clock: systemClock })
        onTestFinished(() => state.close())
        return { locks: state.locks, kill: () => state.close() }
      },
    })
  })
})

it('a lock whose release fails once is free again, and its work keeps its result', async () => {
  const directory = temporaryDirectory()
  const file = join(directory, 'state.db')
  const clock = new ManualClock()
  const store = await openAsyncStore({ file, migrations: [locksTable], clock })
  const process = openProcessLock(join(directory, 'locks'))
  onTestFinished(async () => {
    await store.close()
    process.close()
  })
  let fails = false
  const write: AsyncStore['write'] = (...work) =>
    fails ? Promise.reject(new StoreError('full', file, 'There is no space left.')) : store.write(...work)
  const locks = sqliteLocks({ ...store, write }, process, { file, clock })
  const fail = () => locks.withLock('name', () => Promise.resolve((fails = true)))
  expect(await fail()).toBe(true)
  fails = false
  expect(await locks.withLock('name', () => Promise.resolve('again'), { waitMs: 0 })).toBe('again')
  await fail()
  fails = false
  await clock.advance(1_000)
  await expect.poll(() => store.read((tables) => tables.rows({ name: text }, 'select name from locks'))).toEqual([])
})

it('replaces a damaged file', async () => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'state.db'), 'This is no database.'.repeat(100))
  const clock = new ManualClock({ start: Date.parse('2026-01-02T03:04:05Z') })
  const state = await openLocalState({ file: join(directory, 'state.db'), clock })
  onTestFinished(() => state.close())
  expect(await state.locks.withLock('name', () => Promise.resolve('held'))).toBe('held')
  expect(readdirSync(directory)).toContain('state.db.damaged-20260102T030405Z')
})

it('replaces a file whose damage shows later, and logs where it is', async () => {
  const directory = temporaryDirectory()
  const file = join(directory, 'state.db')
  const clock = new ManualClock({ start: Date.parse('2026-01-02T03:04:05Z') })
  const logged: unknown[] = []
  const state = await openLocalState({ file, clock, log: { error: (...entry) => void logged.push(entry) } })
  onTestFinished(() => state.close())
  const note = { owner: 'ada', kind: 'note', name: 'first' }
  await state.records.set(note, 'text', 1_000)
  spoilPages(file)
  expect(await state.records.get(note)).toBeUndefined()
  await state.records.set(note, 'again', 1_000)
  expect(await state.locks.withLock('name', () => state.records.get(note))).toBe('again')
  expect(logged).toEqual([['state', { problem: 'damaged', moved_to: `${file}.damaged-20260102T030405Z` }]])
  expect(readdirSync(directory)).toContain('state.db.damaged-20260102T030405Z')
})

describe('expiring records in a SQLite file', () => {
  recordsContract(() => {
    const file = join(temporaryDirectory(), 'state.db')
    const clock = new ManualClock()
    return Promise.resolve({
      clock,
      async start() {
        const state = await openLocalState({ file, clock, boot: 'boot' })
        onTestFinished(() => state.close())
        return { records: state.records, kill: () => state.close() }
      },
    })
  })
})

it('expired records are looked for once a minute, and not with each write', async () => {
  const directory = temporaryDirectory()
  const clock = new ManualClock()
  const store = await openAsyncStore({ file: join(directory, 'state.db'), migrations: [recordsTable], clock })
  const process = openProcessLock(join(directory, 'locks'))
  onTestFinished(async () => {
    await store.close()
    process.close()
  })
  const records = sqliteRecords(store, { process, present: () => presentMoment(clock, 'boot') })
  const stored = async (name: string, ms: number) => {
    await records.set({ owner: 'ada', kind: 'note', name }, 'text', ms)
    return (await store.read((tables) => tables.rows({ name: text }, 'select name from expiring_records order by name'))).map(
      (row) => row.name,
    )
  }
  await stored('brief', 1_000)
  await clock.advance(2_000)
  expect(await stored('next', 120_000)).toEqual(['brief', 'next'])
  await clock.advance(60_000)
  expect(await stored('later', 120_000)).toEqual(['later', 'next'])
})
