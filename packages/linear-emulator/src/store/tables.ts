import type { Store } from '@mcp-toolkits/store'
import { foldAccents, foldCase } from './filters.ts'
import type { ColumnType, EntityType, EntityRow } from './entity-type.ts'

type Values = Readonly<Record<string, string | number | boolean | null | undefined>>

const commonColumns: Readonly<Record<string, ColumnType>> = { createdAt: 'text', updatedAt: 'text', archivedAt: 'text?' }

const isValue = (value: unknown): value is string | number | null =>
  value === null || typeof value === 'string' || typeof value === 'number'

/** The columns that have extra columns for searches that ignore case and accents. */
const searchColumns = (entityType: EntityType): string[] =>
  Object.entries(entityType.filters)
    .filter(([, field]) => field.kind === 'value' && field.operand === 'words' && field.sql === undefined)
    .map(([name]) => name)

const columnsOf = (entityType: EntityType): Readonly<Record<string, ColumnType>> => ({ ...entityType.columns, ...commonColumns })

/** The script that creates the table of an entity type. */
export function createTable(entityType: EntityType): string {
  const { table, indexes = [], uniques = [] } = entityType
  const columns = Object.entries(columnsOf(entityType)).map(
    ([name, type]) => `${name} ${type.replace('?', '')}${type.endsWith('?') ? '' : ' not null'}`,
  )
  const folded = searchColumns(entityType).flatMap((name) => [`${name}Fold text`, `${name}Bare text`])
  const pages = ['createdAt, id', 'updatedAt, id', ...indexes]
  return [
    `create table ${table} (id text primary key, ${[...columns, ...folded].join(', ')}) strict;`,
    ...pages.map((key, index) => `create index ${table}_${index} on ${table} (${key});`),
    ...uniques.map((key, index) => `create unique index ${table}_unique_${index} on ${table} (${key});`),
  ].join('\n')
}

/** The rows that a clause selects; `a` is the table. */
export function select(store: Store, entityType: EntityType, clause: string, values: Record<string, string | number> = {}): EntityRow[] {
  const names = ['id', ...Object.keys(columnsOf(entityType))]
  const shape = Object.fromEntries(names.map((name) => [name, isValue]))
  const sql = `select ${names.map((name) => `a.${name}`).join(', ')} from ${entityType.table} a ${clause}`
  return store.rows(shape, sql, values)
}

/** Inserts a row; absent columns are null. */
export function insert(store: Store, entityType: EntityType, values: Values): void {
  const row = toRow(entityType, values)
  const names = Object.keys(row)
  store.run(`insert into ${entityType.table} (${names.join(', ')}) values (${names.map((name) => `:${name}`).join(', ')})`, row)
}

/** Updates the given columns. */
export function update(store: Store, entityType: EntityType, { id, ...changes }: Values & { readonly id: string }): void {
  const row = toRow(entityType, changes)
  const names = Object.keys(row)
  if (names.length === 0) return
  store.run(`update ${entityType.table} set ${names.map((name) => `${name} = :${name}`).join(', ')} where id = :id`, { ...row, id })
}

/** Columns for values: flags become numbers, and texts also fill the columns for searches. */
function toRow(entityType: EntityType, values: Values): Record<string, string | number | null> {
  const plain = Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]): [string, string | number | null] => [name, typeof value === 'boolean' ? Number(value) : (value ?? null)])
  const row = Object.fromEntries(plain)
  for (const name of searchColumns(entityType)) {
    const text = row[name]
    if (text === undefined) continue
    row[`${name}Fold`] = typeof text === 'string' ? foldCase(text) : null
    row[`${name}Bare`] = typeof text === 'string' ? foldAccents(text) : null
  }
  return row
}
