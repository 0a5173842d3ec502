import { integer, type Store, text } from '@mcp-toolkits/store'
import { diffTable, type SnapshotDiff, type StoredTable } from './diff.ts'

/** Named copies of all data of an emulator. */
export interface Snapshots {
  /** Copies the present data under a name; a snapshot of that name is replaced. */
  readonly snapshot: (name: string) => void
  /** Puts the data of a snapshot back. Logs, faults and the clock stay as they are. Throws `RangeError` for an unknown name. */
  readonly restore: (name: string) => void
  /** What has changed from one snapshot to another, or to the present data. Throws `RangeError` for an unknown name. */
  readonly diff: (before: string, after?: string) => SnapshotDiff
}

/** There is no snapshot of that name. */
export class UnknownSnapshotError extends RangeError {
  override name = 'UnknownSnapshotError'
}

/** How the names of the emulator's own tables begin: logs, and where its pages are. */
const ownPrefix = 'emulator_'

/** Snapshots are temporary tables of the connection, so they cost no memory and end with it. */
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
