import { integer, type Store, text } from '@mcp-toolkits/sqlite'

/** Named copies of all of an emulator's data. */
export interface Snapshots {
  /** Copies the present data under a name, replacing any snapshot with that name. */
  readonly snapshot: (name: string) => void
  /** Restores a snapshot's data. Logs, faults and the clock stay as they are. Throws `RangeError` for an unknown name. */
  readonly restore: (name: string) => void
  /** Changes from one snapshot to another, or to the present data. Throws `RangeError` for an unknown name. */
  readonly diff: (before: string, after?: string) => SnapshotDiff
}

/** Thrown for a snapshot that does not exist. */
export class UnknownSnapshotError extends RangeError {
  override name = 'UnknownSnapshotError'
}

/** Prefix of the emulator's own tables: logs, and its pages' addresses. */
const ownPrefix = 'emulator_'

/** Keeps snapshots in temporary tables, which take no memory and disappear when the connection closes. */
export function createSnapshots(store: Store): Snapshots {
  const copies = new Map<string, readonly StoredTable[]>()
  let count = 0
  const find = (name: string): readonly StoredTable[] => {
    const found = copies.get(name)
    if (found) return found
    const names = [...copies.keys()].map((each) => JSON.stringify(each)).join(', ')
    throw new UnknownSnapshotError(
      `There is no snapshot called ${JSON.stringify(name)}. ${names ? `There are: ${names}.` : 'No snapshot has been made.'}`,
    )
  }
  const drop = (tables: readonly StoredTable[]) => {
    for (const { source } of tables) store.script(`drop table ${source}`)
  }
  return {
    snapshot(name) {
      store.flush()
      count += 1
      const made = store.writeNow(() => {
        drop(copies.get(name) ?? [])
        return tablesIn(store).map((table) => {
          const source = `temp."snapshot ${count} ${table.name}"`
          store.script(`create table ${source} as select ${table.columns.join(', ')} from ${table.source}`)
          return { ...table, source }
        })
      })
      copies.set(name, made)
    },
    restore(name) {
      const tables = find(name)
      store.flush()
      store.writeNow(() => {
        for (const { source } of tablesIn(store)) store.script(`delete from ${source}`)
        for (const { name: table, source, columns } of tables) {
          const names = columns.join(', ')
          store.script(`insert into main."${table}" (${names}) select ${names} from ${source} order by rowid`)
        }
      })
    },
    diff(before, after) {
      store.flush()
      const older = find(before)
      const newer = after === undefined ? tablesIn(store) : find(after)
      const changes = older.flatMap((table) => {
        const other = newer.find(({ name }) => name === table.name)
        const found = other && diffTable(store, table, other)
        return found ? [[table.name, found] as const] : []
      })
      return Object.fromEntries(changes)
    },
  }
}

function tablesIn(store: Store): StoredTable[] {
  const names = store.rows({ name: text }, "select name from sqlite_master where type = 'table'").map(({ name }) => name)
  return names.filter((name) => !name.startsWith(ownPrefix)).map((name) => describeTable(store, name))
}

function describeTable(store: Store, name: string): StoredTable {
  const found = store.rows({ name: text, pk: integer }, 'select name, pk from pragma_table_info(:name)', { name })
  const quoted = (column: string) => `"${column}"`
  return {
    name,
    source: `main."${name}"`,
    columns: found.map((column) => quoted(column.name)),
    key: found.filter(({ pk }) => pk > 0).map((column) => column.name),
  }
}

/** A value in a row; contents are bytes. */
export type RowValue = string | number | null | Uint8Array

/** A stored row, by column. */
export type StoredRow = Readonly<Record<string, RowValue>>

/** A row in both snapshots, with the differences by column. */
export interface ChangedRow {
  /** The row in the later snapshot. */
  readonly row: StoredRow
  readonly changes: Readonly<Record<string, { readonly from: RowValue; readonly to: RowValue }>>
}

/** Differences in one entity's rows. */
export interface EntityDiff {
  readonly added: readonly StoredRow[]
  readonly changed: readonly ChangedRow[]
  readonly removed: readonly StoredRow[]
}

/** The entities with differences, by table name: `issues`, `files`, `events`. */
export type SnapshotDiff = Readonly<Record<string, EntityDiff>>

/** A table or a copy of it. */
interface StoredTable {
  readonly name: string
  /** The table's name in SQL. */
  readonly source: string
  /** The columns' names in SQL. */
  readonly columns: readonly string[]
  /** The primary key's columns; empty if rows have no identity. */
  readonly key: readonly string[]
}

/** Differences between two copies of a table, undefined if there are none. SQLite compares them, so only differing rows are read. */
function diffTable(store: Store, before: StoredTable, after: StoredTable): EntityDiff | undefined {
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
