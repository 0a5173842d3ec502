/** Whether a column may hold a value. */
type ColumnCheck<T> = (value: unknown) => value is T

/** The columns of a query's rows, each with its check. */
export type Columns = Readonly<Record<string, ColumnCheck<unknown>>>

/** A row with these columns. */
export type RowOf<C extends Columns> = { readonly [Name in keyof C]: C[Name] extends ColumnCheck<infer T> ? T : never }

export const text = (value: unknown): value is string => typeof value === 'string'

export const integer = (value: unknown): value is number => Number.isInteger(value)

export const blob = (value: unknown): value is Uint8Array<ArrayBuffer> => value instanceof Uint8Array

/** A column that may be null. */
export const nullable =
  <T>(check: ColumnCheck<T>) =>
  (value: unknown): value is T | null =>
    value === null || check(value)

/** Whether a row has these columns, with values of the right types. */
export function hasColumns<C extends Columns>(columns: C, row: object): row is RowOf<C> {
  const values = new Map<string, unknown>(Object.entries(row))
  return Object.entries(columns).every(([name, check]) => check(values.get(name)))
}
