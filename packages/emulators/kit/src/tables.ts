import type { Columns, RowOf, SqlParameters, Store } from '@mcp-toolkits/sqlite'
import type { PageTable } from './page.ts'

/** Part of a log: at most `limit` rows after the one with the id `after`. */
export interface ListRange {
  readonly after?: number
  readonly limit?: number
}

/** Inserts a row, given by column, and returns its id. */
export function insertRow(store: Store, table: string, row: SqlParameters): number {
  const names = Object.keys(row)
  return store.run(`insert into ${table} (${names.join(', ')}) values (${names.map((name) => `:${name}`).join(', ')})`, row)
}

/** Returns a function that creates one of the emulator's own tables on its first call. Like a log, this delays no response. */
export function ownTable(store: Store, script: string): () => void {
  let isMade = false
  return () => {
    if (!isMade) {
      store.defer(() => {
        store.script(script)
      })
    }
    isMade = true
  }
}

/** A log of rows with ids, at `/__emulator/NAME`. */
export interface LogTable<Row extends object> extends PageTable {
  /** Rows after the one with the id `after`, oldest first. */
  readonly list: (range?: ListRange) => Row[]
}

export function logTable<C extends Columns>(
  store: Store,
  { name, title, columns, from }: Pick<PageTable, 'name' | 'title'> & { readonly columns: C; readonly from: string },
): LogTable<RowOf<C>> {
  const select = `select ${Object.keys(columns).join(', ')} from ${from}`
  return {
    name,
    title,
    list: ({ after = 0, limit = -1 } = {}) => store.rows(columns, `${select} where id > :after order by id limit :limit`, { after, limit }),
  }
}
