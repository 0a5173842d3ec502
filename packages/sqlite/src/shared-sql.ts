import type { AsyncStore } from './async-store.ts'
import type { Columns, RowOf } from './store.ts'

type Values = Readonly<Record<string, string | number | null | Uint8Array>>

/** Statements that both SQLite and PostgreSQL run, each as a transaction. Tables are named `schema.name`. */
export interface SharedSql {
  readonly rows: <C extends Columns>(columns: C, sql: string, values?: Values) => Promise<RowOf<C>[]>
  readonly run: (sql: string, values?: Values) => Promise<unknown>
}

export function sharedSql(store: AsyncStore): SharedSql {
  const local = (sql: string) => sql.replaceAll('schema.', '')
  return {
    rows: (columns, sql, values) =>
      (sql.startsWith('select') ? store.read : store.write)((tables) => tables.rows(columns, local(sql), values)),
    run: (sql, values) => store.write((tables) => tables.run(local(sql), values)),
  }
}
