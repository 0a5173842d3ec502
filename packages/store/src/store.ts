import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { type Columns, hasColumns, integer, type RowOf, text } from './columns.ts'

/** Values for the named parameters of a statement. */
export type SqlParameters = Readonly<Record<string, SQLInputValue>>

/** One SQLite database, which several processes may use at once. A call waits up to five seconds for the lock of another process. */
export interface Store {
  /** The rows of a query, each checked against `columns`. */
  readonly rows: <C extends Columns>(columns: C, sql: string, parameters?: SqlParameters) => RowOf<C>[]
  /** Runs one statement and returns the id of the row that it inserted, if it inserted one. */
  readonly run: (sql: string, parameters?: SqlParameters) => number
  /** Runs a script of several statements. */
  readonly script: (sql: string) => void
  /** Runs `work` as one transaction, alone among all writers. `work` is synchronous; a write inside a write joins it. */
  readonly write: <T>(work: () => T) => T
  /** Deletes every row and inserts the seed again. */
  readonly reset: () => void
  readonly close: () => void
}

export interface StoreOptions {
  /** Path of the database, or `:memory:`. */
  readonly file: string
  /** One script per version; the file records how many have run. Absent for a file whose schema another store maintains. */
  readonly migrations?: readonly string[]
  /** Inserts what a new database starts with. */
  readonly seed?: (store: Store) => void
  /** `normal` may lose the last transactions when the machine (not the process) stops, and does not wait for the disk. */
  readonly synchronous?: 'full' | 'normal'
}

/** Opens a database, creates it when it is new, and migrates it to the newest version. */
export function openStore(options: StoreOptions): Store {
  const database = openDatabase(options.file, 5000)
  const store = createStore(database, options)
  prepareDatabase(store, options)
  return store
}

/** A database whose statements wait up to `timeout` milliseconds for the lock of another process. */
export function openDatabase(file: string, timeout: number): DatabaseSync {
  if (file !== ':memory:') createPrivateFile(file)
  return new DatabaseSync(file, { timeout })
}

export function createStore(database: DatabaseSync, { seed }: StoreOptions): Store {
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
  return store
}

/** Sets the modes of the database and runs the migrations that it lacks. Can be repeated. */
export function prepareDatabase(store: Store, { migrations, seed, synchronous = 'full' }: StoreOptions): void {
  store.script(`pragma journal_mode = wal; pragma synchronous = ${synchronous}; pragma secure_delete = on`)
  if (migrations) migrate(store, migrations, seed)
}

/** Makes a file that only its owner can read; SQLite gives the files beside it the same mode. */
function createPrivateFile(file: string): void {
  createDirectory(dirname(file))
  // An existing file is never opened here: closing it would end the locks that SQLite holds on it in this process.
  if (existsSync(file)) chmodSync(file, 0o600)
  else closeSync(openSync(file, 'a', 0o600))
}

/** One level after another: Node's own recursion never ends where a file system refuses to create anything, as in /proc. */
function createDirectory(directory: string): void {
  if (existsSync(directory)) return
  createDirectory(dirname(directory))
  try {
    mkdirSync(directory, { mode: 0o700 })
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!existsSync(directory)) throw error
  }
}

/** Maximum of cached statements: callers that build their SQL would otherwise fill the cache without limit. */
const maxPrepared = 200

function statements(database: DatabaseSync): Pick<Store, 'rows' | 'run' | 'script'> {
  const prepared = new Map<string, StatementSync>()
  const prepare = (sql: string) => {
    const statement = prepared.get(sql) ?? database.prepare(sql)
    prepared.delete(sql)
    prepared.set(sql, statement)
    const [oldest] = prepared.keys()
    if (prepared.size > maxPrepared && oldest !== undefined) prepared.delete(oldest)
    return statement
  }
  return {
    rows(columns, sql, parameters = {}) {
      return prepare(sql)
        .all({ ...parameters })
        .map((bare) => {
          // SQLite's rows have no prototype, which surprises comparisons in tests.
          const row = { ...bare }
          if (!hasColumns(columns, row)) throw new Error(`A row does not fit its query: ${sql}`)
          return row
        })
    },
    run: (sql, parameters = {}) => Number(prepare(sql).run({ ...parameters }).lastInsertRowid),
    script(sql) {
      database.exec(sql)
    },
  }
}

/** Takes the write lock first: a transaction that reads and then writes is refused under load, whatever the timeout. */
function transaction<T>(database: DatabaseSync, work: () => T): T {
  const isOpen = () => database.isTransaction
  if (isOpen()) return work()
  database.exec('begin immediate')
  try {
    const result = work()
    database.exec('commit')
    return result
  } catch (error) {
    // SQLite has already ended the transaction after some errors, such as a full disk.
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
