import { isObject, type JsonObject, parseJson } from '@mcp-toolkits/emulator'
import { integer, type Store, text } from '@mcp-toolkits/sqlite'
import { badArgument } from '../errors.ts'
import { type Columns, commonColumns, type Entity, type EntityType } from './entity-type.ts'
import { bind, condition, entityTypeOf, foldAccents, foldCase, parametersIn, type StatementDraft } from './filters.ts'

type Values = Readonly<Record<string, string | number | boolean | null | undefined>>

const isValue = (value: unknown): value is string | number | null =>
  value === null || typeof value === 'string' || typeof value === 'number'

const allColumns = ({ columns }: EntityType): Columns => ({ ...columns, ...commonColumns })

/** The script that creates an entity type's table as it was in the first version. */
export function createTable(entityType: EntityType): string {
  const { table, laterColumns = [], searched = [], indexes = [], uniques = [] } = entityType
  const first = Object.entries(allColumns(entityType)).filter(([name]) => !laterColumns.includes(name))
  const columns = first.map(([name, type]) => `${name} ${type.replace('?', '')}${type.endsWith('?') ? '' : ' not null'}`)
  const folded = searched.flatMap((name) => [`${name}Fold text`, `${name}Bare text`])
  const pages = ['createdAt, id', 'updatedAt, id', ...indexes]
  return [
    `create table ${table} (id text primary key, ${[...columns, ...folded].join(', ')}) strict;`,
    ...pages.map((key, index) => `create index ${table}_${index} on ${table} (${key});`),
    ...uniques.map((key, index) => `create unique index ${table}_unique_${index} on ${table} (${key});`),
  ].join('\n')
}

/** The rows selected by a clause; `a` is the table. */
export function select(store: Store, entityType: EntityType, clause: string, values: Record<string, string | number> = {}): Entity[] {
  const names = Object.keys(allColumns(entityType))
  const shape = { ...Object.fromEntries(names.map((name) => [name, isValue])), id: text }
  const sql = `select a.id, ${names.map((name) => `a.${name}`).join(', ')} from ${entityType.table} a ${clause}`
  return store.rows(shape, sql, values)
}

/** Counts the rows selected by a condition; `a` is the table. */
export function count(store: Store, { table }: EntityType, where: string, values: Record<string, string | number>): number {
  return store.rows({ found: integer }, `select count(*) as found from ${table} a where ${where}`, values)[0]?.found ?? 0
}

/** Inserts a row; absent columns are null. */
export function insert(store: Store, entityType: EntityType, values: Values): void {
  const row = toRow(entityType, values)
  if (entityType.writer) {
    entityType.writer.insert(store, row)
    return
  }
  const names = Object.keys(row)
  store.run(`insert into ${entityType.table} (${names.join(', ')}) values (${names.map((name) => `:${name}`).join(', ')})`, row)
}

/** Inserts rows of a type; absent columns are null. */
export function insertAll(store: Store, entityType: EntityType, values: readonly Values[]): void {
  if (entityType.writer) {
    for (const each of values) insert(store, entityType, each)
    return
  }
  const names = [...new Set(values.flatMap((each) => Object.keys(each)))]
  const searched = (entityType.searched ?? []).filter((name) => names.includes(name))
  const columns = [...names, ...searched.flatMap((name) => [`${name}Fold`, `${name}Bare`])]
  const rows = values.map((row) => [...names.map((name) => toColumn(row[name])), ...searched.flatMap((name) => foldings(row[name]))])
  store.runAll(`insert into ${entityType.table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`, rows)
}

/** Updates the given columns. */
export function update(store: Store, entityType: EntityType, { id, ...changes }: Values & { readonly id: string }): void {
  const row = toRow(entityType, changes)
  const names = Object.keys(row)
  if (names.length === 0) return
  if (entityType.writer) {
    entityType.writer.update(store, id, row)
    return
  }
  store.run(`update ${entityType.table} set ${names.map((name) => `${name} = :${name}`).join(', ')} where id = :id`, { ...row, id })
}

/** Deletes a row. */
export function remove(store: Store, entityType: EntityType, id: string): void {
  if (entityType.writer) entityType.writer.remove(store, id)
  else store.run(`delete from ${entityType.table} where id = :id`, { id })
}

const toColumn = (value: Values[string]) => (typeof value === 'boolean' ? Number(value) : (value ?? null))

/** Text as stored in search columns. */
const foldings = (text: Values[string]) => (typeof text === 'string' ? [foldCase(text), foldAccents(text)] : [null, null])

/** Converts values to columns: flags become numbers, and text also fills the search columns. */
function toRow({ searched = [] }: EntityType, values: Values): Record<string, string | number | null> {
  const plain = Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, toColumn(value)] as const)
  const row = Object.fromEntries(plain)
  for (const name of searched) {
    const text = row[name]
    if (text === undefined) continue
    const [fold = null, bare = null] = foldings(text)
    row[`${name}Fold`] = fold
    row[`${name}Bare`] = bare
  }
  return row
}

/** One page of a connection. Fields that few queries select are functions. */
export interface ConnectionPage {
  readonly nodes: readonly Entity[]
  readonly edges: () => readonly { readonly cursor: string; readonly node: Entity }[]
  readonly pageInfo: () => Readonly<Record<string, string | boolean | null>>
}

/** Limits a connection to its parent: a condition on `a` and its parameters. */
export interface ConnectionScope {
  readonly where: string
  readonly values: Readonly<Record<string, string | number>>
}

const maxPageSize = 250
const defaultPageSize = 50

/** Reads one page of a type, newest first. Ids break ties, so that pages are stable. */
export function readPage(
  store: Store,
  draft: StatementDraft,
  request: { type: string; args: JsonObject; scope?: ConnectionScope },
): ConnectionPage {
  const { type, args, scope } = request
  const entityType = entityTypeOf(draft.entityTypes, type)
  const order = args['orderBy'] === 'updatedAt' ? 'updatedAt' : 'createdAt'
  const ordering = { type, order }
  const { size, backward } = sizeOf(args)
  const positionOf = (name: string) => (typeof args[name] === 'string' ? parseCursor(args[name], ordering) : undefined)
  const [after, before] = [positionOf('after'), positionOf('before')]
  const beyond = (position: typeof after, operator: '<' | '>') =>
    position === undefined ? [] : [`(a.${order}, a.id) ${operator} (${bind(draft, position.at)}, ${bind(draft, position.id)})`]
  const where = [
    ...selected(draft, { type, args }),
    ...(scope === undefined ? [] : [`(${scope.where})`]),
    ...beyond(after, '<'),
    ...beyond(before, '>'),
  ]
  const direction = backward ? 'asc' : 'desc'
  const clause = `where ${where.join(' and ') || 'true'} order by a.${order} ${direction}, a.id ${direction} limit :limit`
  const values = { ...parametersIn(draft), ...scope?.values, limit: size + 1 }
  const found = select(store, entityType, clause, values)
  const nodes = found.slice(0, size)
  if (backward) nodes.reverse()
  const more = found.length > size
  return {
    nodes,
    edges: () => nodes.map((node) => ({ cursor: cursorOf(node, ordering), node })),
    pageInfo: () => ({
      hasNextPage: backward ? before !== undefined : more,
      hasPreviousPage: backward ? more : after !== undefined,
      startCursor: edgeCursor(nodes.at(0), ordering),
      endCursor: edgeCursor(nodes.at(-1), ordering),
    }),
  }
}

/** Conditions for arguments that select rows. */
const selected = (draft: StatementDraft, { type, args }: { readonly type: string; readonly args: JsonObject }): string[] => [
  ...(args['includeArchived'] === true ? [] : ['a.archivedAt is null']),
  ...(isObject(args['filter']) ? [condition(draft, args['filter'], { type, alias: 'a' })] : []),
]

/** A request for a type's rows in a given order. */
export interface RankRequest {
  readonly type: string
  readonly args: JsonObject
  /** Sort keys as SQL over the table `a`, most important first; higher values come first. */
  readonly keys: (bind: (value: string) => string) => readonly string[]
}

/** The ids of all rows of a type selected by arguments, sorted by the keys; newest first among equals. */
export function rankIds(store: Store, draft: StatementDraft, { type, args, keys }: RankRequest): string[] {
  const { table } = entityTypeOf(draft.entityTypes, type)
  const where = selected(draft, { type, args }).join(' and ') || 'true'
  const order = [...keys((value) => bind(draft, value)), 'a.createdAt', 'a.id'].map((key) => `${key} desc`)
  // Without the hint, SQLite may choose an index that makes it read every row. The hint is not allowed on a subquery.
  const hint = table.startsWith('(') ? '' : `indexed by ${table}_0`
  const sql = `select a.id from ${table} a ${hint} where ${where} order by ${order.join(', ')}`
  return store.rows({ id: text }, sql, parametersIn(draft)).map(({ id }) => id)
}

/** Size of the requested page, and whether the page ends at the cursor instead of beginning there. */
export function sizeOf(args: JsonObject): { size: number; backward: boolean } {
  const { first, last } = args
  if (typeof first === 'number' && typeof last === 'number') throw badArgument('first and last cannot be used together.')
  const size = typeof first === 'number' ? first : typeof last === 'number' ? last : defaultPageSize
  if (size < 1 || size > maxPageSize) throw badArgument(`first and last must be from 1 to ${maxPageSize}.`)
  return { size, backward: typeof last === 'number' || (typeof first !== 'number' && typeof args['before'] === 'string') }
}

interface Ordering {
  readonly type: string
  readonly order: string
}

const cursorOf = (row: Entity, { type, order }: Ordering) =>
  Buffer.from(JSON.stringify([type, order, row[order], row.id])).toString('base64url')

const edgeCursor = (row: Entity | undefined, ordering: Ordering) => (row === undefined ? null : cursorOf(row, ordering))

function parseCursor(cursor: string, ordering: Ordering) {
  const parsed = parseJson(Buffer.from(cursor, 'base64url').toString())
  const parts: readonly unknown[] = Array.isArray(parsed) ? parsed : []
  const [type, order, at, id] = parts
  if (type !== ordering.type || order !== ordering.order || typeof at !== 'string' || typeof id !== 'string')
    throw badArgument('The cursor does not belong to this connection.')
  return { at, id }
}
