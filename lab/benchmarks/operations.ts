// What the record of an operation costs: each step one after another, beside a bare insert that waits for the disk. Needs no build.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { systemClock } from '../../packages/core/src/base/clock.ts'
import { openIdempotencyStore } from '../../packages/server/src/storage/idempotency-store.ts'
import { figuresOf } from './statistics.ts'

/** Each round takes every step once, so that all of them see the same disk. */
const rounds = 300

const root = path.join(import.meta.dirname, '..', '..')
const directory = mkdtempSync(path.join(tmpdir(), 'bench-'))
const insert = openBareDatabase(path.join(directory, 'bare.db'))
const file = path.join(directory, 'calls.db')
const store = await openIdempotencyStore({ file, clock: systemClock })
/** A separate process as far as records are concerned. */
const other = await openIdempotencyStore({ file, clock: systemClock })
const result = JSON.stringify({ id: 'ENG-1', title: 'x'.repeat(1_000) })

const times = new Map<string, number[]>()

async function measure<T>(step: string, work: () => T | Promise<T>): Promise<T> {
  const started = performance.now()
  const value = await work()
  times.set(step, [...(times.get(step) ?? []), performance.now() - started])
  return value
}

function openBareDatabase(name: string) {
  const database = new DatabaseSync(name)
  database.exec('pragma journal_mode = wal; pragma synchronous = full; create table bare (text text)')
  const statement = database.prepare('insert into bare values (:text)')
  return (text: string) => statement.run({ text })
}

for (let round = -20; round < rounds; round += 1) {
  if (round === 0) times.clear()
  const request = { account: 'bench', tool: 'CreateIssue', argumentsHash: `round ${round}` }
  const keyed = { ...request, key: `key ${round}` }
  const mint = () => Promise.resolve('identity')
  await measure('bare insert', () => insert(result))
  const unkeyedRecord = await measure('begin', () => store.begin(request, mint))
  if (unkeyedRecord.kind === 'begun') await measure('complete', () => store.complete(unkeyedRecord.id))
  await measure('find, with a key', () => store.find(keyed))
  const keyedRecord = await measure('begin, with a key', () => store.begin(keyed, mint))
  await measure('find a call that runs elsewhere', () => other.find(keyed))
  if (keyedRecord.kind === 'begun') await measure('complete, with a key', () => store.complete(keyedRecord.id, result))
}

await Promise.all([store.close(), other.close()])
rmSync(directory, { recursive: true })
const rows = [...times].map(([step, each]) => ({ step, ms: figuresOf(each) }))
writeFileSync(path.join(root, 'lab', 'benchmarks', 'operations.json'), `${JSON.stringify(rows, null, 2)}\n`)
console.table(rows.map(({ step, ms }) => ({ step, ...ms })))
