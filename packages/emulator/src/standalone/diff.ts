import type { Store } from '@mcp-toolkits/store'

/** A value in a row; bytes for contents. */
export type RowValue = string | number | null | Uint8Array

/** A row as it is stored, by column. */
export type StoredRow = Readonly<Record<string, RowValue>>

/** A row that is in both, with what differs by column. */
export interface ChangedRow {
  /** The row as it is in the later one. */
  readonly row: StoredRow
  readonly changes: Readonly<Record<string, { readonly from: RowValue; readonly to: RowValue }>>
}

/** What differs in the rows of one entity. */
export interface EntityDiff {
  readonly added: readonly StoredRow[]
  readonly changed: readonly ChangedRow[]
  readonly removed: readonly StoredRow[]
}

/** The entities with differences, by the name of their table: `issues`, `files`, `events`. */
export type SnapshotDiff = Readonly<Record<string, EntityDiff>>

/** A table or the copy of one. */
export interface StoredTable {
  readonly name: string
  /** As SQL names it. */
  readonly source: string
  /** As SQL names them. */
  readonly columns: readonly string[]
  /** The columns of the primary key; none where rows have no identity. */
  readonly key: readonly string[]
}

/** What differs between two copies of a table; undefined when nothing does. SQLite compares, so that only such rows are read. */
export function diffTable(store: Store, before: StoredTable, after: StoredTable): EntityDiff | undefined {
  const older = rowsOnlyIn(store, before, after)
  const newer = rowsOnlyIn(store, after, before)
  if (older.length === 0 && newer.length === 0) return undefined
  const identity = (row: StoredRow) => JSON.stringify(before.key.map((column) => row[column]))
  const byIdentity = new Map(before.key.length === 0 ? [] : older.map((row) => [identity(row), row]))
  const added: StoredRow[] = []
  const changed: ChangedRow[] = []
  for (const row of newer) {
    const previous = byIdentity.get(identity(row))
    if (previous === undefined) added.push(row)
    else changed.push({ row, changes: changesBetween(previous, row) })
  }
  const present = new Set(newer.map(identity))
  return { added, changed, removed: older.filter((row) => !byIdentity.has(identity(row)) || !present.has(identity(row))) }
}

function rowsOnlyIn(store: Store, one: StoredTable, other: StoredTable): StoredRow[] {
  const names = one.columns.join(', ')
  const shape = Object.fromEntries(one.columns.map((column) => [column.slice(1, -1), isRowValue]))
  return store.rows(shape, `select ${names} from ${one.source} except select ${names} from ${other.source}`)
}

const isRowValue = (value: unknown): value is RowValue =>
  value === null || typeof value === 'string' || typeof value === 'number' || value instanceof Uint8Array

function changesBetween(before: StoredRow, after: StoredRow): ChangedRow['changes'] {
  const differing = Object.entries(after).filter(([column, to]) => !isSameValue(before[column] ?? null, to))
  return Object.fromEntries(differing.map(([column, to]) => [column, { from: before[column] ?? null, to }]))
}

const isSameValue = (one: RowValue, other: RowValue): boolean =>
  one instanceof Uint8Array && other instanceof Uint8Array ? Buffer.compare(one, other) === 0 : one === other
