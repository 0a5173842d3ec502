// Makes a data directory large with copies of the records that the emulator itself has written.
import { DatabaseSync } from 'node:sqlite'

/** A table whose rows are copied. */
export interface CopiedTable {
  readonly table: string
  /** What differs in a copy: SQL by column, over the original `t`, its number `t.original` and the number `k` of the copy. */
  readonly changes: Readonly<Record<string, string>>
  /** Which copies are made; all when absent. */
  readonly where?: string
}

export interface CopyPlan {
  /** In the order in which they are copied. The first is what is counted. */
  readonly tables: readonly CopiedTable[]
  /** How many rows the first table has in the end; no fewer than it has. */
  readonly count: number
}

const rowsIn = (database: DatabaseSync, table: string) =>
  Number(database.prepare(`select count(*) as count from ${table}`).get()?.['count'] ?? 0)

/** Opens a database for planting: a machine that stops loses it, and that is no loss. */
export function openForPlanting(file: string): DatabaseSync {
  const database = new DatabaseSync(file)
  database.exec('pragma synchronous = off; pragma cache_size = -200000')
  return database
}

/** Copies the rows of several tables so often that the first has `count`. */
export function copyRows(database: DatabaseSync, { tables, count }: CopyPlan): void {
  const [counted] = tables
  if (counted === undefined) return
  const present = rowsIn(database, counted.table)
  const times = Math.ceil(count / present) - 1
  database.exec('begin')
  for (const { table } of tables)
    database.exec(`create temp table original_${table} as select row_number() over () as original, * from main.${table}`)
  for (const each of tables) {
    const limit = each === counted ? count - present : -1
    database.prepare(copyStatement(database, each)).run({ times, limit })
  }
  database.exec('commit')
}

function copyStatement(database: DatabaseSync, { table, changes, where = 'true' }: CopiedTable): string {
  const columns = database
    .prepare('select name, pk, type from pragma_table_info(:table)')
    .all({ table })
    .filter(({ pk, type }) => pk === 0 || type !== 'INTEGER')
    .map(({ name }) => String(name))
  const values = columns.map((column) => changes[column] ?? `t.${column}`)
  return `insert into main.${table} (${columns.join(', ')})
    with recursive copies (k) as (select 1 union all select k + 1 from copies where k < :times)
    select ${values.join(', ')} from copies cross join temp.original_${table} t
    where :times > 0 and ${where} order by k, t.original limit :limit`
}
