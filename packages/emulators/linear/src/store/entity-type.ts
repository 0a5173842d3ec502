import type { Store } from '@mcp-toolkits/sqlite'

/** The values in a row of an entity's table; the columns have the names of the GraphQL fields. */
export type EntityRow = Readonly<Record<string, string | number | null>>

/** A row with its id. */
export type Entity = EntityRow & { readonly id: string }

/** SQL types by column; a type that ends with a question mark allows null. */
export type Columns = Readonly<Record<string, string>>

/** Columns by name, such as `title, description?, number: integer`: text by default, and not null unless marked with `?`. */
export const columnsOf = (list: string): Columns =>
  Object.fromEntries(
    list.split(',').map((column) => {
      const [, name = '', mark = '', type = 'text'] = /^(\w+)(\??)(?:: (\w+))?$/.exec(column.trim()) ?? []
      return [name, type + mark]
    }),
  )

/** Columns of every table, in addition to the id. */
export const commonColumns = columnsOf('createdAt, updatedAt, archivedAt?')

/** True for a column that every table has. */
export const isCommon = (name: string): boolean => name === 'id' || name in commonColumns

/** A kind of comparison in filters. `words` is text with extra columns for searches that ignore case and accents. */
export type Operand = 'text' | 'words' | 'id' | 'issueId' | 'number' | 'time' | 'day' | 'flag'

/** One kind of entity: its table and its filter. */
export interface EntityType {
  /** The GraphQL type. */
  readonly type: string
  readonly table: string
  readonly columns: Columns
  /** The subset of `columns` that a later migration adds. */
  readonly laterColumns?: readonly string[]
  /** Text columns with extra columns for searches that ignore case and accents. */
  readonly searched?: readonly string[]
  /** Indexes, as lists of columns, in addition to those for pages. */
  readonly indexes?: readonly string[]
  readonly uniques?: readonly string[]
  /** Filters that cannot be derived from the vendor's schema and the columns. */
  readonly filters?: Readonly<Record<string, FilterField>>
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
export type FilterField =
  | { readonly kind: 'value'; readonly operand: Operand; readonly sql?: SqlExpression }
  | { readonly kind: 'one'; readonly type: string; readonly key: string }
  | { readonly kind: 'many'; readonly type: string; readonly on: (alias: string, other: string) => string }

/** An expression over the row called `alias`; `viewer` and `now` add a parameter. */
export type SqlExpression = (alias: string, parameters: { readonly viewer: () => string; readonly now: () => string }) => string

/** Filters by a computed flag. */
export const flagFilter = (sql: SqlExpression): FilterField => ({ kind: 'value', operand: 'flag', sql })

/** Filters by the entities whose `key` column contains this entity's id. */
export const manyFilter = (type: string, key: string): FilterField => ({
  kind: 'many',
  type,
  on: (alias, other) => `${other}.${key} = ${alias}.id`,
})

/** Filters by entities linked to this one through a join table. */
export const joinFilter = (type: string, [table, mine, theirs]: readonly [string, string, string]): FilterField => ({
  kind: 'many',
  type,
  on: (alias, other) => `${other}.id in (select ${theirs} from ${table} where ${mine} = ${alias}.id)`,
})
