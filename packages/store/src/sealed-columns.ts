import { grantContext, personContext } from './people.ts'
import { recordContext } from './sealed-records.ts'
import { hasColumns, type RowOf, text } from './store.ts'
import { secretContext } from './vault.ts'

/** The columns by which a row is found. */
type KeyColumns = Readonly<Record<string, (value: unknown) => value is string | number>>

/** A column whose values are sealed. */
export interface SealedColumn {
  readonly table: string
  readonly column: string
  readonly keys: KeyColumns
  /** To what the value of the row with this key is bound. */
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
      if (!hasColumns(column.keys, key)) throw new Error(`A row of ${column.table} has another key.`)
      return context(key)
    },
  }
}

/** What every store of people seals. */
export const peopleColumns: readonly SealedColumn[] = [
  sealedColumn({ table: 'vault', column: 'secret', keys: { name: text }, context: ({ name }) => secretContext(name) }),
  sealedColumn({ table: 'people', column: 'person', keys: { owner: text }, context: ({ owner }) => personContext(owner) }),
  sealedColumn({ table: 'grants', column: 'value', keys: { owner: text, profile: text }, context: grantContext }),
  sealedColumn({ table: 'expiring_records', column: 'value', keys: { owner: text, kind: text, name: text }, context: recordContext }),
]
