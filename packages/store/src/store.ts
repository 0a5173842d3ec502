import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { fits, integer, text, type RowOf, type Columns } from './columns.ts'

/** Values of a statement's named parameters. */
export type SqlParameters = Readonly<Record<string, SQLInputValue>>

/** One SQLite database, which several processes may use at once. */
export interface Store {
  /** The rows of a query, each checked against `shape`. */
  readonly rows: <S extends Columns>(shape: S, sql: string, values?: SqlParameters) => RowOf<S>[]
  /** Runs one statement and returns the id of the row that it inserted, if it inserted one. */
  readonly run: (sql: string, values?: SqlParameters) => number
  /** Runs a script of several statements. */
  readonly script: (sql: string) => void
  /** Runs `work` as one transaction, alone among all writers. `work` must not wait for anything; a write inside a write joins it. */
  readonly write: <T>(work: () => T) => T
  /** Deletes every row and plants the seed again. */
  readonly reset: () => void
  readonly close: () => void
}

export interface StoreOptions {
  /** Path of the database, or `:memory:`. */
  readonly file: string
  /** One script per version; the file remembers how many it has seen. Absent when someone else looks after that. */
  readonly migrations?: readonly string[]
  /** Plants what a new account starts with. */
  readonly seed?: (store: Store) => void
  /** `normal` may lose the last transactions when the machine (not the process) stops, and does not wait for the disk. */
  readonly synchronous?: 'full' | 'normal'
}

/** Opens a store, creates it when it is new, and brings it to the newest version. */
export function openStore({ file, migrations, seed, synchronous = 'full' }: StoreOptions): Store {
  if (file !== ':memory:') makePrivate(file)
  const database = new DatabaseSync(file, { timeout: 5000 })
  database.exec(`pragma journal_mode = wal; pragma synchronous = ${synchronous}; pragma secure_delete = on`)
  const store: Store = {
    ...statements(database),
    write: (work) => transaction(database, work),
    reset() {
      transaction(database, () => {
        for (const table of tables(store)) store.script(`delete from "${table}"`)
        seed?.(store)
      })
    },
    close() {
      database.close()
    },
  }
  if (migrations) migrate(store, migrations, seed)
  return store
}

/** Makes a new file readable to its owner alone; SQLite gives the files beside it the same mode. */
function makePrivate(file: string): void {
  makeDirectory(dirname(file))
  // An existing file is never opened here: closing it would end the locks that SQLite holds on it in this process.
  if (existsSync(file)) {
    chmodSync(file, 0o600)
    return
  }
  closeSync(openSync(file, 'a', 0o600))
}

/** One level after another: Node's own recursion never ends where a file system refuses to create anything, as in /proc. */
function makeDirectory(directory: string): void {
  if (existsSync(directory)) return
  makeDirectory(dirname(directory))
  try {
    mkdirSync(directory, { mode: 0o700 })
  } catch (error) {
    // Another process may have been quicker.
    if (!existsSync(directory)) throw error
  }
}

/** How many statements are kept ready; a caller that builds its SQL would otherwise keep all of them. */
const mostPrepared = 200

function statements(database: DatabaseSync): Pick<Store, 'rows' | 'run' | 'script'> {
  const prepared = new Map<string, StatementSync>()
  const prepare = (sql: string) => {
    const statement = prepared.get(sql) ?? database.prepare(sql)
    prepared.delete(sql)
    prepared.set(sql, statement)
    const [oldest] = prepared.keys()
    if (prepared.size > mostPrepared && oldest !== undefined) prepared.delete(oldest)
    return statement
  }
  return {
    rows(shape, sql, values = {}) {
      const found = []
      for (const bare of prepare(sql).all({ ...values })) {
        // SQLite's rows have no prototype, which surprises comparisons in tests.
        const row = { ...bare }
        if (!fits(shape, row)) throw new Error(`A row does not fit its query: ${sql}`)
        found.push(row)
      }
      return found
    },
    run: (sql, values = {}) => Number(prepare(sql).run({ ...values }).lastInsertRowid),
    script(sql) {
      database.exec(sql)
    },
  }
}

/** A transaction that takes the write lock first: one that reads, then writes, is refused under load whatever the timeout. */
function transaction<T>(database: DatabaseSync, work: () => T): T {
  const isOpen = () => database.isTransaction
  if (isOpen()) return work()
  database.exec('begin immediate')
  try {
    const result = work()
    database.exec('commit')
    return result
  } catch (error) {
    // SQLite has ended the transaction itself after some errors, such as a full disk.
    if (isOpen()) database.exec('rollback')
    throw error
  }
}

function migrate(store: Store, migrations: readonly string[], seed: StoreOptions['seed']): void {
  if (version(store) === migrations.length) return
  store.write(() => {
    const current = version(store)
    if (current > migrations.length) throw new Error('The data was written by a newer version of this program.')
    for (const script of migrations.slice(current)) store.script(script)
    store.script(`pragma user_version = ${migrations.length}`)
    if (current === 0) seed?.(store)
  })
}

const version = (store: Store) => store.rows({ user_version: integer }, 'pragma user_version')[0]?.user_version ?? 0

const tables = (store: Store) => store.rows({ name: text }, "select name from sqlite_master where type = 'table'").map(({ name }) => name)
