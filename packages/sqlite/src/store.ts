import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { isLocked, lockTimeoutMs, StoreError, StoreLocked, toStoreError } from './errors.ts'
import { makePrivateFile, openFileCheck } from './private-file.ts'
import { type Steps, type StoreClock, type WriteOptions, WriteQueue } from './write-queue.ts'

/** Type guard for a column's values. */
type ColumnCheck<T> = (value: unknown) => value is T

/** The columns of a query's rows, each with a check of its values. */
export type Columns = Readonly<Record<string, ColumnCheck<unknown>>>

export type RowOf<C extends Columns> = { readonly [Name in keyof C]: C[Name] extends ColumnCheck<infer T> ? T : never }

export const text = (value: unknown): value is string => typeof value === 'string'

export const integer = (value: unknown): value is number => Number.isInteger(value)

export const blob = (value: unknown): value is Uint8Array<ArrayBuffer> => value instanceof Uint8Array

export const nullable =
  <T>(check: ColumnCheck<T>) =>
  (value: unknown): value is T | null =>
    value === null || check(value)

/** True if a row has these columns, with values of the right types. */
export function hasColumns<C extends Columns>(columns: C, row: object): row is RowOf<C> {
  const values = new Map<string, unknown>(Object.entries(row))
  return Object.entries(columns).every(([name, check]) => check(values.get(name)))
}

/** Values for a statement's named parameters. */
export type SqlParameters = Readonly<Record<string, SQLInputValue>>

/**
 * One SQLite database, which several processes may use at once. Statements are synchronous and take about a millisecond; waiting for
 * another process never blocks the event loop. Any failure is thrown as a `StoreError`.
 */
export interface Store {
  /** The rows of a query, each checked against `columns`. */
  readonly rows: <C extends Columns>(columns: C, sql: string, parameters?: SqlParameters) => RowOf<C>[]
  /** Runs one statement and returns the id of the row it inserted, if any. */
  readonly run: (sql: string, parameters?: SqlParameters) => number
  /** Runs one statement per row of values for its unnamed parameters; cheaper than `run`. */
  readonly runAll: (sql: string, rows: Iterable<readonly SQLInputValue[]>) => void
  /** Runs a script of several statements. */
  readonly script: (sql: string) => void
  /**
   * Runs `work` as one transaction that excludes other writers, after all earlier writes. `work` is synchronous and may run several
   * times. Throws `StoreLocked` if another process holds the lock for five seconds. Waits for the disk if any write in the transaction
   * needs it.
   */
  readonly write: <T>(work: () => T, options?: WriteOptions) => Promise<T>
  /**
   * Like `write`, for long work: the event loop runs between its steps; other writes and `read` wait until the work ends. Aborting `signal`
   * between steps undoes everything and throws the signal's reason.
   */
  readonly writeInSteps: <T>(work: () => Steps<T>, signal?: AbortSignal) => Promise<T>
  /**
   * Writes at once; within another write, joins its transaction. Throws `StoreLocked` if another process, or a write in steps, is writing.
   */
  readonly writeNow: <T>(work: () => T) => T
  /**
   * Runs `work` with the next write, or after a short time if there is none; the work is lost if the process dies first. Errors are
   * ignored.
   */
  readonly defer: (work: () => void) => void
  /** Runs queries that change nothing. Waits while another process keeps readers out, as during recovery. */
  readonly read: <T>(work: () => T) => Promise<T>
  /** Runs as many pending writes as it can without waiting. */
  readonly flush: () => void
  /** Resolves once the tables exist, which another process may delay. */
  readonly ready: () => Promise<void>
  /** Deletes every row and reinserts the seed, atomically. */
  readonly reset: () => void
  /** The database as bytes that in-memory databases can start from; undefined on Node versions that cannot serialize it. */
  readonly image: () => Uint8Array | undefined
  /** Resolves when all pending writes are done and the file is closed. */
  readonly close: () => Promise<void>
}

export interface StoreOptions {
  /** Path of the database, or `:memory:`. */
  readonly file: string
  /** One script per version; the file records how many have run. Absent for a file whose schema a different store maintains. */
  readonly migrations?: readonly string[]
  /** Inserts a new database's initial content. */
  readonly seed?: (store: Store) => void
  /** An image, already migrated and seeded, from which an in-memory database starts. */
  readonly image?: Uint8Array | undefined
  /** `normal` does not wait for the disk, and may lose the last transactions if the machine (not just the process) stops. */
  readonly synchronous?: 'full' | 'normal'
  /** The system clock by default. */
  readonly clock?: StoreClock
}

/**
 * Opens a database, creates it if missing, and migrates it to the newest version; `ready` finishes the migration if another process holds
 * the lock. Throws `StoreError` for an unusable file.
 */
export function openStore(options: StoreOptions): Store {
  const { file, synchronous = 'full', clock = systemClock } = options
  const database = openDatabase(file)
  if (options.image) database.deserialize(options.image)
  const checkFile = file === ':memory:' ? () => undefined : openFileCheck(file)
  const queue = new WriteQueue({ database, file, clock, synchronous, checkFile })
  let isPrepared = false
  const prepare = () => {
    if (!isPrepared) prepareDatabase(store, options)
    isPrepared = true
  }
  const read = <T>(work: () => T) => whenUnlocked(work, file, { clock, queue })
  const store: Store = {
    ...statements(database, file),
    write: queue.write.bind(queue),
    writeInSteps: (work, signal) => queue.writeInSteps(work, signal),
    writeNow(work) {
      if (queue.isBetweenSteps) throw new StoreLocked(file)
      return writeNow(database, file, () => {
        const result = work()
        checkFile()
        return result
      })
    },
    defer(work) {
      queue.defer(work)
    },
    read,
    flush() {
      queue.flush()
    },
    ready: async () => (isPrepared ? undefined : read(prepare)),
    reset() {
      store.writeNow(() => {
        for (const table of tables(store)) store.script(`delete from "${table}"`)
        options.seed?.(store)
      })
    },
    image: () => ('serialize' in database ? database.serialize() : undefined),
    async close() {
      await queue.idle()
      if (database.isOpen) database.close()
    },
  }
  try {
    prepare()
  } catch (error) {
    if (!(error instanceof StoreLocked)) {
      database.close()
      throw error
    }
  }
  return store
}

function openDatabase(file: string): DatabaseSync {
  try {
    if (file !== ':memory:') makePrivateFile(file)
    // SQLite's own wait for a lock blocks the event loop.
    return new DatabaseSync(file, { timeout: 0 })
  } catch (error) {
    throw toStoreError(error, file)
  }
}

const systemClock: StoreClock = {
  monotonic: () => performance.now(),
  sleep: (ms) =>
    new Promise((resolve) => {
      setTimeout(resolve, ms)
    }),
}

interface Waiting {
  readonly clock: StoreClock
  readonly queue: WriteQueue
}

/** Returns the result of `work`, retried while another process holds a lock that `work` needs. */
async function whenUnlocked<T>(work: () => T, file: string, { clock, queue }: Waiting): Promise<T> {
  for (let waitedMs = 0; ; waitedMs += pollMs) {
    // Otherwise, this connection would see rows from a transaction that may still be rolled back.
    while (queue.openWrite) await queue.openWrite
    try {
      return work()
    } catch (error) {
      if (!(error instanceof StoreLocked) && !isLocked(error)) throw toStoreError(error, file)
      if (waitedMs >= lockTimeoutMs) throw new StoreLocked(file)
    }
    await clock.sleep(pollMs)
  }
}

/** Interval, in milliseconds, at which `read` and `ready` try again. */
const pollMs = 10

/** Sets the database's modes and runs missing migrations. Can be repeated. */
function prepareDatabase(store: Store, options: StoreOptions): void {
  // Keeps temporary data in memory: otherwise, the journals of a shared transaction would be files outside the data directory.
  store.script('pragma journal_mode = wal; pragma temp_store = memory; pragma secure_delete = on')
  store.script(`pragma synchronous = ${options.synchronous ?? 'full'}`)
  migrate(store, options)
}

/** Maximum number of cached statements: callers that build their SQL would otherwise grow the cache without limit. */
const maxPrepared = 200

function statements(database: DatabaseSync, file: string): Pick<Store, 'rows' | 'run' | 'runAll' | 'script'> {
  const prepared = new Map<string, StatementSync>()
  const withStoreErrors = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      throw toStoreError(error, file)
    }
  }
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
      return withStoreErrors(() => prepare(sql).all({ ...parameters })).map((bare) => {
        // SQLite's rows have no prototype, which breaks comparisons in tests.
        const row = { ...bare }
        if (!hasColumns(columns, row)) throw new Error(`A row does not fit its query: ${sql}`)
        return row
      })
    },
    run: (sql, parameters = {}) => Number(withStoreErrors(() => prepare(sql).run({ ...parameters })).lastInsertRowid),
    runAll(sql, rows) {
      withStoreErrors(() => {
        const statement = prepare(sql)
        for (const row of rows) statement.run(...row)
      })
    },
    script(sql) {
      withStoreErrors(() => {
        database.exec(sql)
      })
    },
  }
}

/** Takes the write lock first: under load, a transaction that reads before writing is refused, even with a long timeout. */
function writeNow<T>(database: DatabaseSync, file: string, work: () => T): T {
  const isOpen = () => database.isTransaction
  if (isOpen()) return work()
  try {
    database.exec('begin immediate')
    const result = work()
    database.exec('commit')
    return result
  } catch (error) {
    // SQLite has already ended the transaction after some errors, such as a full disk.
    if (isOpen()) database.exec('rollback')
    throw toStoreError(error, file)
  }
}

function migrate(store: Store, { file, migrations, seed }: StoreOptions): void {
  const isCurrent = () => {
    const current = version(store)
    if (migrations && current > migrations.length) throw newerVersion(file, current, migrations.length)
    return current === migrations?.length
  }
  if (!migrations || isCurrent()) return
  store.writeNow(() => {
    // Another process may have migrated the database in the meantime.
    if (isCurrent()) return
    const current = version(store)
    for (const script of migrations.slice(current)) store.script(script)
    store.script(`pragma user_version = ${migrations.length}`)
    if (current === 0) seed?.(store)
  })
}

function newerVersion(file: string, found: number, known: number): StoreError {
  const text = `${file} was written by a newer release: its format version is ${found}, and this release supports versions up to  ${known}.`
  return new StoreError('newer', file, text)
}

const version = (store: Store) => store.rows({ user_version: integer }, 'pragma user_version')[0]?.user_version ?? 0

const tables = (store: Store) => store.rows({ name: text }, "select name from sqlite_master where type = 'table'").map(({ name }) => name)
