/** A row of a noun's table; the columns are named as the fields of the GraphQL type. */
export type Row = Readonly<Record<string, string | number | null>>

/** What a column holds; with a question mark it may be null. */
export type ColumnType = 'text' | 'text?' | 'integer' | 'integer?' | 'real' | 'real?'

/** What is compared: `words` are texts that can also be searched ignoring case and accents; `exists` is a flag. */
export type Operand = 'text' | 'words' | 'id' | 'issueId' | 'number' | 'moment' | 'day' | 'flag'

/** One kind of entity: its table, its filter, and how its fields are answered. */
export interface EntityType {
  /** The GraphQL type. */
  readonly type: string
  readonly table: string
  /** Besides `id`, `createdAt`, `updatedAt` and `archivedAt`, which all have. */
  readonly columns: Readonly<Record<string, ColumnType>>
  /** Indexes besides the order of pages; each a list of columns. */
  readonly indexes?: readonly string[]
  readonly uniques?: readonly string[]
  /** The fields of its filter. */
  readonly filters: Readonly<Record<string, FilterField>>
}

/** A field of a filter: a value to compare, one related entity, or several. */
export type FilterField =
  | { readonly kind: 'value'; readonly operand: Operand; readonly sql?: SqlExpression }
  | { readonly kind: 'one'; readonly type: string; readonly key: string }
  | { readonly kind: 'many'; readonly type: string; readonly on: (alias: string, other: string) => string }

/** An expression over the row called `alias`; asking for the viewer or the clock makes a parameter. */
export type SqlExpression = (alias: string, asking: { readonly viewer: () => string; readonly now: () => string }) => string

/** A column to compare. */
export const valueFilter = (operand: Operand): FilterField => ({ kind: 'value', operand })

/** A value computed from the row. */
export const computedFilter = (operand: Operand, sql: SqlExpression): FilterField => ({
  kind: 'value',
  operand,
  sql,
})

/** The entity whose id a column holds. */
export const oneFilter = (type: string, key: string): FilterField => ({ kind: 'one', type, key })

/** The entities that satisfy a condition. */
export const manyFilter = (type: string, on: (alias: string, other: string) => string): FilterField => ({ kind: 'many', type, on })

/** The entities that a table of pairs links to this one. */
export const joinFilter = (type: string, [table, mine, theirs]: readonly [string, string, string]): FilterField =>
  manyFilter(type, (alias, other) => `${other}.id in (select ${theirs} from ${table} where ${mine} = ${alias}.id)`)

/** What every filter can compare. */
export const commonFilters = { id: valueFilter('id'), createdAt: valueFilter('moment'), updatedAt: valueFilter('moment') } as const
