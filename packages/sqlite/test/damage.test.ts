import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { findDamage } from '../src/damage.ts'
import { temporaryDirectory } from './temporary.ts'

/** A database with two rows and the index that this statement creates. */
function databaseWith(index: string): string {
  const file = path.join(temporaryDirectory(), 'x.db')
  const database = new DatabaseSync(file)
  database.exec(`create table t (a integer); ${index}; insert into t values (1), (2)`)
  database.close()
  return file
}

test('finds nothing wrong in an intact database', () => {
  expect(findDamage(databaseWith('create index i on t (a)'))).toBeUndefined()
})

test('finds an index that has lost a row, which a query does not', () => {
  const file = databaseWith('create index i on t (a) where a > 1')
  const database = new DatabaseSync(file, { defensive: false })
  // Changes the index's definition without building the index again.
  database.exec(`pragma writable_schema = on; update sqlite_schema set sql = 'create index i on t (a)' where name = 'i'`)
  database.close()
  expect(findDamage(file)).toMatch(/x\.db is damaged: .* index i\.$/)
})

test('says that a file is not a database', () => {
  const file = path.join(temporaryDirectory(), 'x.db')
  writeFileSync(file, 'text '.repeat(1_000))
  expect(findDamage(file)).toBe(`${file} is damaged or is not a database.`)
})
