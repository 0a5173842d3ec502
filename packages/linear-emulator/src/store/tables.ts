import type { Store } from '@mcp-toolkits/store'
import { foldAccents, foldCase } from './filters.ts'
import type { ColumnType, EntityType, Row } from './entity-type.ts'

type Values = Readonly<Record<string, string | number | boolean | null | undefined>>

const always: Readonly<Record<string, ColumnType>> = { createdAt: 'text', updatedAt: 'text', archivedAt: 'text?' }

const isValue = (value: unknown): value is string | number | null =>
  value === null || typeof value === 'string' || typeof value === 'number'

/** The texts of a noun that filters search ignoring case. */
const searched = (noun: EntityType): string[] =>
  Object.entries(noun.filters)
    .filter(([, field]) => field.kind === 'value' && field.operand === 'words' && field.sql === undefined)
    .map(([name]) => name)

const columnsOf = (noun: EntityType): Readonly<Record<string, ColumnType>> => ({ ...noun.columns, ...always })

/** The script that makes a noun's table. */
export function tableOf(noun: EntityType): string {
  const { table, indexes = [], uniques = [] } = noun
  const columns = Object.entries(columnsOf(noun)).map(
    ([name, type]) => `${name} ${type.replace('?', '')}${type.endsWith('?') ? '' : ' not null'}`,
  )
  const shadows = searched(noun).flatMap((name) => [`${name}Fold text`, `${name}Bare text`])
  const pages = ['createdAt, id', 'updatedAt, id', ...indexes]
  return [
    `create table ${table} (id text primary key, ${[...columns, ...shadows].join(', ')}) strict;`,
    ...pages.map((key, index) => `create index ${table}_${index} on ${table} (${key});`),
    ...uniques.map((key, index) => `create unique index ${table}_unique_${index} on ${table} (${key});`),
  ].join('\n')
}

/** The rows of a noun that a clause selects; `a` is the table. */
export function select(
  store: Store,
  noun: EntityType,
  rest: { readonly clause: string; readonly values?: Record<string, string | number> },
): Row[] {
  const names = ['id', ...Object.keys(columnsOf(noun))]
  const shape = Object.fromEntries(names.map((name) => [name, isValue]))
  const sql = `select ${names.map((name) => `a.${name}`).join(', ')} from ${noun.table} a ${rest.clause}`
  return store.rows(shape, sql, rest.values ?? {})
}

/** Inserts a row; absent columns are null. */
export function insert(store: Store, noun: EntityType, values: Values): void {
  const row = stored(noun, values)
  const names = Object.keys(row)
  store.run(`insert into ${noun.table} (${names.join(', ')}) values (${names.map((name) => `:${name}`).join(', ')})`, row)
}

/** Changes the columns that are given. */
export function update(store: Store, noun: EntityType, { id, ...changes }: Values & { readonly id: string }): void {
  const row = stored(noun, changes)
  const names = Object.keys(row)
  if (names.length === 0) return
  store.run(`update ${noun.table} set ${names.map((name) => `${name} = :${name}`).join(', ')} where id = :id`, { ...row, id })
}

/** What is stored for values: flags as numbers, and beside each searched text what searches look at. */
function stored(noun: EntityType, values: Values): Record<string, string | number | null> {
  const plain = Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]): [string, string | number | null] => [name, typeof value === 'boolean' ? Number(value) : (value ?? null)])
  const row = Object.fromEntries(plain)
  for (const name of searched(noun)) {
    const text = row[name]
    if (text === undefined) continue
    row[`${name}Fold`] = typeof text === 'string' ? foldCase(text) : null
    row[`${name}Bare`] = typeof text === 'string' ? foldAccents(text) : null
  }
  return row
}
