/** What a column must hold. */
type Check<T> = (value: unknown) => value is T

/** The columns of a query's rows, each with what it must hold. */
export type Columns = Readonly<Record<string, Check<unknown>>>

/** The rows of a shape. */
export type RowOf<S extends Columns> = { readonly [Column in keyof S]: S[Column] extends Check<infer T> ? T : never }

export const text = (value: unknown): value is string => typeof value === 'string'

export const integer = (value: unknown): value is number => Number.isInteger(value)

export const blob = (value: unknown): value is Uint8Array<ArrayBuffer> => value instanceof Uint8Array

/** A column that may be null. */
export const nullable =
  <T>(check: Check<T>) =>
  (value: unknown): value is T | null =>
    value === null || check(value)

/** Whether a row of the database is what its query promises. */
export function fits<S extends Columns>(shape: S, row: object): row is RowOf<S> {
  const values = new Map<string, unknown>(Object.entries(row))
  return Object.entries(shape).every(([column, check]) => check(values.get(column)))
}
