import type { Store } from '@mcp-toolkits/sqlite'

/** A row of an entity's table; the columns have the names of the GraphQL fields. */
export type EntityRow = Readonly<Record<string, string | number | null>>

/** A column's type; with a question mark it may be null. */
export type ColumnType = 'text' | 'text?' | 'integer' | 'integer?' | 'real' | 'real?'

/** A kind of comparison in filters. `words` is text with extra columns for searches that ignore case and accents. */
export type Operand = 'text' | 'words' | 'id' | 'issueId' | 'number' | 'time' | 'day' | 'flag'

/** One kind of entity: its table and its filter. */
export interface EntityType {
  /** The GraphQL type. */
  readonly type: string
  readonly table: string
  /** Every table also has `id`, `createdAt`, `updatedAt` and `archivedAt`. */
  readonly columns: Readonly<Record<string, ColumnType>>
  /** Columns, among these, that a later migration adds. */
  readonly laterColumns?: readonly string[]
  /** Indexes, as lists of columns, in addition to those for pages. */
  readonly indexes?: readonly string[]
  readonly uniques?: readonly string[]
  readonly filters: Readonly<Record<string, FilterField>>
  /** Writes rows of a type whose table is a query. */
  readonly writer?: EntityWriter
}

/** Entity types by GraphQL type. */
export type EntityTypes = Pick<ReadonlyMap<string, EntityType>, 'get'>

export interface EntityWriter {
  readonly insert: (store: Store, row: EntityRow) => void
  readonly update: (store: Store, id: string, changes: EntityRow) => void
  readonly remove: (store: Store, id: string) => void
}

/** A field of a filter: a value, one related entity or several. */
export type FilterField = {
  /** The GraphQL input type, if it is not the usual one. */
  readonly input?: string
} & (
  | { readonly kind: 'value'; readonly operand: Operand; readonly sql?: SqlExpression }
  | { readonly kind: 'one'; readonly type: string; readonly key: string }
  | { readonly kind: 'many'; readonly type: string; readonly on: (alias: string, other: string) => string }
)

/** An expression over the row called `alias`; `viewer` and `now` add a parameter. */
export type SqlExpression = (alias: string, parameters: { readonly viewer: () => string; readonly now: () => string }) => string

/** Filters by a column. */
export const valueFilter = (operand: Operand, input?: string): FilterField => ({
  kind: 'value',
  operand,
  ...(input !== undefined && { input }),
})

/** Filters by a computed value. */
export const computedFilter = (operand: Operand, sql: SqlExpression, input?: string): FilterField => ({
  ...valueFilter(operand, input),
  kind: 'value',
  operand,
  sql,
})

/** Filters by the entity whose id is in a column. */
export const oneFilter = (type: string, key: string, input?: string): FilterField => ({
  kind: 'one',
  type,
  key,
  ...(input !== undefined && { input }),
})

/** Filters by the entities that satisfy a condition. */
export const manyFilter = (type: string, on: (alias: string, other: string) => string): FilterField => ({ kind: 'many', type, on })

/** Filters by entities linked to this one through a join table. */
export const joinFilter = (type: string, [table, mine, theirs]: readonly [string, string, string]): FilterField =>
  manyFilter(type, (alias, other) => `${other}.id in (select ${theirs} from ${table} where ${mine} = ${alias}.id)`)

/** The fields of every filter. */
export const commonFilters = { id: valueFilter('id'), createdAt: valueFilter('time'), updatedAt: valueFilter('time') } as const
