import type { RecordKey } from '@mcp-toolkits/core/base'
import { blob, hasColumns, integer, openOrUndefined, type RowOf, type SharedSql, text } from '@mcp-toolkits/sqlite'
import { grantContext, personContext } from './people-rows.ts'
import { type Sealer, vaultKeyId } from './sealer.ts'
import { secretContext } from './vault.ts'

type KeyColumns = Readonly<Record<string, (value: unknown) => value is string | number>>

/** A column whose values are sealed. */
export interface SealedColumn {
  readonly table: string
  readonly column: string
  readonly keys: KeyColumns
  /** Context that the value in the row with this key is bound to. */
  readonly contextOf: (key: object) => string
}

/** Fixes the type of a row's key. */
export function sealedColumn<Keys extends KeyColumns>({
  context,
  ...column
}: Pick<SealedColumn, 'table' | 'column'> & {
  readonly keys: Keys
  readonly context: (key: RowOf<Keys>) => string
}): SealedColumn {
  return {
    ...column,
    contextOf(key) {
      if (!hasColumns(column.keys, key)) throw new Error(`A row of ${column.table} has a different key.`)
      return context(key)
    },
  }
}

/** Context that a sealed expiring record is bound to. */
export const recordContext = ({ owner, kind, name }: RecordKey): string => JSON.stringify(['record', owner, kind, name])

/** Columns sealed by every store of people. */
export const peopleColumns: readonly SealedColumn[] = [
  sealedColumn({ table: 'vault', column: 'secret', keys: { name: text }, context: ({ name }) => secretContext(name) }),
  sealedColumn({ table: 'people', column: 'person', keys: { owner: text }, context: ({ owner }) => personContext(owner) }),
  sealedColumn({ table: 'grants', column: 'value', keys: { owner: text, profile: text }, context: grantContext }),
  sealedColumn({ table: 'expiring_records', column: 'value', keys: { owner: text, kind: text, name: text }, context: recordContext }),
]

/** Rows sealed with one key. */
export interface SealedCount {
  /** Empty for unsealed rows. */
  readonly keyId: string
  readonly rows: number
  /** Number of rows that cannot be decrypted. */
  readonly unreadable: number
}

/** Everything sealed in a database. */
export interface SealedRows {
  /** Decrypts every row and counts each key's rows. */
  readonly check: () => Promise<readonly SealedCount[]>
  /**
   * Reseals rows of other keys with the first key, one by one while servers use them; resolves with their number. Rows that no key
   * decrypts stay unchanged.
   */
  readonly rotate: () => Promise<number>
}

/** One row of a sealed column. */
export interface SealedValue {
  readonly key: Readonly<Record<string, string | number | Uint8Array>>
  readonly value: Uint8Array
  /** True for a value stored as Base64, in a column for text. */
  readonly isText?: boolean
}

/** Converts a sealed value for a text column, and back. */
export const toBase64 = (sealed: Uint8Array): string => Buffer.from(sealed).toString('base64')
export const fromBase64 = (text: string): Uint8Array => Buffer.from(text, 'base64')

/** Number of rows to read at a time. Each row can take half a megabyte. */
const pageSize = 50

const isSealed = (value: unknown): value is string | Uint8Array => text(value) || blob(value)

/** Reads the next rows after a key, in key order; empty at the end. */
async function page(sql: SharedSql, { table, column, keys }: SealedColumn, after?: SealedValue['key']): Promise<SealedValue[]> {
  const names = Object.keys(keys)
  const isLater = after ? `and (${names.join(', ')}) > (${names.map((name) => `:${name}`).join(', ')})` : ''
  const select = `select ${names.join(', ')}, ${column} as sealed_value from schema.${table}
    where ${column} is not null ${isLater} order by ${names.join(', ')} limit ${pageSize}`
  return (await sql.rows({ ...keys, sealed_value: isSealed }, select, after)).map(({ sealed_value: value, ...key }) =>
    typeof value === 'string' ? { key, value: fromBase64(value), isText: true } : { key, value },
  )
}

/** Replaces a value unless it has changed; resolves with true if it was replaced. */
async function replace(sql: SharedSql, { table, column, keys }: SealedColumn, former: SealedValue, value: Uint8Array): Promise<boolean> {
  const isSame = Object.keys(keys).map((name) => `${name} = :${name}`)
  const update = `update schema.${table} set ${column} = :sealed where ${isSame.join(' and ')} and ${column} = :former returning 1 as found`
  const stored = (sealed: Uint8Array) => (former.isText === true ? toBase64(sealed) : sealed)
  return (await sql.rows({ found: integer }, update, { ...former.key, sealed: stored(value), former: stored(former.value) })).length > 0
}

/** Rows resealed at the same time. */
const maxTogether = 4

/** Maximum number of passes over all rows: servers with a different key order may seal rows meanwhile. */
const maxPasses = 3

/** Everything sealed in the columns of a database. */
export function sealedRows(sql: SharedSql, columns: readonly SealedColumn[], sealer: Sealer): SealedRows {
  const rotateOnce = async () => {
    let resealed = 0
    for await (const { column, rows } of groups(sql, columns)) {
      const changed = await Promise.all(rows.map((each) => reseal(column, each)))
      resealed += changed.filter(Boolean).length
    }
    return resealed
  }
  const reseal = async (column: SealedColumn, row: SealedValue) => {
    const value = openOrUndefined(() => sealer.reseal(row.value, column.contextOf(row.key)))
    return value !== undefined && replace(sql, column, row, value)
  }
  return {
    async check() {
      const counts = new Map<string, SealedCount>()
      for await (const { column, rows } of groups(sql, columns)) {
        for (const { key, value } of rows) {
          const keyId = vaultKeyId(value) ?? ''
          const before = counts.get(keyId) ?? { rows: 0, unreadable: 0 }
          const opens = openOrUndefined(() => sealer.open(value, column.contextOf(key))) !== undefined
          counts.set(keyId, { keyId, rows: before.rows + 1, unreadable: before.unreadable + (opens ? 0 : 1) })
        }
      }
      return [...counts.values()].toSorted((a, b) => (a.keyId < b.keyId ? -1 : 1))
    },
    async rotate() {
      let total = 0
      for (let pass = 1; pass <= maxPasses; pass += 1) {
        const resealed = await rotateOnce()
        total += resealed
        if (resealed === 0) break
      }
      return total
    },
  }
}

/** All rows, a few at a time. */
async function* groups(sql: SharedSql, columns: readonly SealedColumn[]) {
  for (const column of columns) {
    let found = await page(sql, column)
    while (found.length > 0) {
      for (let index = 0; index < found.length; index += maxTogether) yield { column, rows: found.slice(index, index + maxTogether) }
      found = await page(sql, column, found.at(-1)?.key)
    }
  }
}
