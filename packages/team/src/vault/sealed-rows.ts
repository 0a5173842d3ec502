import type { RecordKey } from '@mcp-toolkits/core/base'
import { hasColumns, openOrUndefined, type RowOf, text } from '@mcp-toolkits/sqlite'
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
   * Reseals other keys' rows with the first key, one by one while servers use them; resolves with the number resealed. Rows that no key
   * decrypts stay unchanged.
   */
  readonly rotate: () => Promise<number>
}

/** One row of a sealed column. */
export interface SealedValue {
  readonly key: Readonly<Record<string, string | number | Uint8Array>>
  readonly value: Uint8Array
}

/** Access to a database's sealed rows. */
export interface SealedRowsSource {
  readonly columns: readonly SealedColumn[]
  /** Reads the next rows after a key, in key order; empty at the end. */
  readonly page: (column: SealedColumn, after: SealedValue['key'] | undefined) => Promise<readonly SealedValue[]>
  /** Replaces a value unless it has changed; resolves with true if it was replaced. */
  readonly replace: (column: SealedColumn, former: SealedValue, value: Uint8Array) => Promise<boolean>
}

/** Rows resealed at the same time. */
const maxTogether = 4

/** Maximum number of passes over all rows: servers with a different key order may seal rows meanwhile. */
const maxPasses = 3

export function sealedRows(source: SealedRowsSource, sealer: Sealer): SealedRows {
  const rotateOnce = async () => {
    let resealed = 0
    for await (const { column, rows } of groups(source)) {
      const changed = await Promise.all(rows.map((each) => replace(column, each)))
      resealed += changed.filter(Boolean).length
    }
    return resealed
  }
  const replace = async (column: SealedColumn, row: SealedValue) => {
    const value = openOrUndefined(() => sealer.reseal(row.value, column.contextOf(row.key)))
    return value !== undefined && source.replace(column, row, value)
  }
  return {
    async check() {
      const counts = new Map<string, SealedCount>()
      for await (const { column, rows } of groups(source)) {
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
async function* groups({ columns, page }: SealedRowsSource) {
  for (const column of columns) {
    let found = await page(column, undefined)
    while (found.length > 0) {
      for (let index = 0; index < found.length; index += maxTogether) yield { column, rows: found.slice(index, index + maxTogether) }
      found = await page(column, found.at(-1)?.key)
    }
  }
}
