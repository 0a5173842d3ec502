import type { Operand } from './comparators.ts'
import type { Session } from './session.ts'
import type { Fields } from './values.ts'

/** A row of a noun's table; the columns are named as the fields of the GraphQL type. */
export type Row = Readonly<Record<string, string | number | null>>

/** What a column holds; with a question mark it may be null. */
export type ColumnType = 'text' | 'text?' | 'integer' | 'integer?' | 'real' | 'real?'

/** One kind of entity: its table, its filter, and how its fields are answered. */
export interface Noun {
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
  | { readonly kind: 'value'; readonly operand: Operand; readonly sql?: Computation }
  | { readonly kind: 'one'; readonly type: string; readonly key: string }
  | { readonly kind: 'many'; readonly type: string; readonly on: (alias: string, other: string) => string }

/** An expression over the row called `alias`; asking for the viewer or the clock makes a parameter. */
export type Computation = (alias: string, asking: { readonly viewer: () => string; readonly now: () => string }) => string

/** Answers a field of `source`. */
export type Resolver = (source: Fields, args: Fields, session: Session) => unknown

/** Resolvers by type and field; a field without one is the column of its name. */
export type Resolvers = Readonly<Record<string, Readonly<Record<string, Resolver>>>>

/** What a module about a noun brings. */
export interface Part {
  readonly sdl: string
  readonly nouns?: readonly Noun[]
  /** Tables of pairs, and others that are no noun. */
  readonly tables?: string
  readonly resolvers: Resolvers
}

/** A column to compare. */
export const value = (operand: Operand): FilterField => ({ kind: 'value', operand })

/** A value computed from the row. */
export const computed = (operand: Operand, sql: Computation): FilterField => ({
  kind: 'value',
  operand,
  sql,
})

/** The entity whose id a column holds. */
export const one = (type: string, key: string): FilterField => ({ kind: 'one', type, key })

/** The entities that satisfy a condition. */
export const many = (type: string, on: (alias: string, other: string) => string): FilterField => ({ kind: 'many', type, on })

/** The entities that a table of pairs links to this one. */
export const linked = (type: string, [table, mine, theirs]: readonly [string, string, string]): FilterField =>
  many(type, (alias, other) => `${other}.id in (select ${theirs} from ${table} where ${mine} = ${alias}.id)`)

/** What every filter can compare. */
export const commonFilters = { id: value('id'), createdAt: value('moment'), updatedAt: value('moment') } as const
