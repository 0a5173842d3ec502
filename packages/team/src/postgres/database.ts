import { createHash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { defaultLockWaitMs } from '@mcp-toolkits/core/base'
import { Pool, type PoolClient, type PoolConfig, TypeOverrides, types } from 'pg'
import type { PoolUse } from '@mcp-toolkits/server/storage'
import { type Columns, hasColumns, type RowOf, type SharedSql, StoreError } from '@mcp-toolkits/sqlite'
import { isConflict, isConnectionLost, toDatabaseError } from './errors.ts'
import { type SqlValues, StatementTranslator } from './statement.ts'

export interface DatabaseOptions {
  /** `postgres://…`; missing parts come from PostgreSQL's variables, such as PGPASSWORD. */
  readonly url: string
  /** The tables' schema, which is created if missing; `mcp_toolkits` by default. */
  readonly schema?: string
  /** 10 by default. */
  readonly maxConnections?: number
  /** Expression that replaces `now()`, for tests. */
  readonly now?: () => string
}

/** Statements run one after another, in a transaction or not. Each row is checked against `columns`. */
export interface Statements {
  readonly rows: <C extends Columns>(columns: C, sql: string, values?: SqlValues) => Promise<RowOf<C>[]>
  /** Runs a statement and returns the number of changed rows. */
  readonly run: (sql: string, values?: SqlValues) => Promise<number>
}

/** Statements and scripts in a transaction. */
export interface Transaction extends Statements {
  /** Runs several statements without parameters, all or nothing, and returns how many rows the last one found or changed. */
  readonly script: (sql: string) => Promise<number>
}

export interface TransactionOptions {
  /** Names that no concurrent transaction may hold. */
  readonly keys?: readonly string[]
  /** Timeout, in milliseconds, for one statement. */
  readonly statementMs?: number
}

/**
 * A PostgreSQL database shared by several machines. No session state or named statements carry over from one transaction to the next, so
 * PgBouncer may pool transactions. Failures are thrown as `StoreError`.
 */
export interface Database extends Transaction {
  /** Host and name, without secrets. */
  readonly location: string
  readonly schema: string
  /** Runs statements that change nothing, on a new connection if the first is lost. */
  readonly reading: Pick<Statements, 'rows'>
  /** Runs `work`, all or nothing. It runs again if the connection is lost before the end, or if another transaction conflicts. */
  readonly transaction: <T>(work: (transaction: Transaction) => Promise<T>, options?: TransactionOptions) => Promise<T>
  /** Reserves a connection from a separate pool, until it is released. Calls, which may take minutes, have their own pool. */
  readonly reserve: (isOfCall?: boolean) => Promise<PoolClient>
  /** This process's current connections. */
  readonly pools: () => readonly PoolUse[]
  readonly close: () => Promise<void>
}

/** Time, in milliseconds, that a call waits for a connection, and that a statement waits for the server. */
const connectMs = 5_000
const statementMs = 5_000
const idleMs = 15_000

/** Maximum number of attempts at interrupted work, and the initial delay between attempts, in milliseconds, which doubles. */
const maxAttempts = 6
const retryMs = 50
/** Time, in milliseconds, after which work is not retried. */
const maxRetryMs = 5_000

/**
 * Maximum reserved connections at once, separately for calls and for everything else. Further callers wait for a connection, as for a lock.
 */
const maxReserved = 4

/** Number of locks that transactions' keys map to, limited so that even the largest transaction does not fill the server's lock table. */
const lockBuckets = 1_024

export function openDatabase(options: DatabaseOptions): Database {
  return new PostgresDatabase(options)
}

class PostgresDatabase implements Database {
  readonly location: string
  readonly schema: string
  readonly reading: Database['reading']
  readonly #pool: Pool
  readonly #reserved: Pool
  readonly #reservedByCalls: Pool
  readonly #translator: StatementTranslator
  readonly #now: (() => string) | undefined

  constructor({ url, schema = 'mcp_toolkits', maxConnections = 10, now }: DatabaseOptions) {
    if (!/^[a-z_][a-z\d_]{0,62}$/.test(schema)) throw new RangeError(`${schema} is not a valid schema name.`)
    this.schema = schema
    this.location = locationOf(url)
    this.#translator = new StatementTranslator(schema)
    this.#now = now
    this.#pool = openPool({ connectionString: url, max: maxConnections })
    const reserved = { connectionString: url, max: maxReserved, connectionTimeoutMillis: defaultLockWaitMs }
    this.#reserved = openPool(reserved)
    this.#reservedByCalls = openPool(reserved)
    this.reading = {
      rows: (columns, sql, values) =>
        this.#retry(isConnectionLost, () => this.#pooled((client) => this.#statements(client).rows(columns, sql, values))),
    }
  }

  rows<C extends Columns>(columns: C, sql: string, values: SqlValues = {}): Promise<RowOf<C>[]> {
    return this.#alone((client) => this.#statements(client).rows(columns, sql, values))
  }

  run(sql: string, values: SqlValues = {}): Promise<number> {
    return this.#alone((client) => this.#statements(client).run(sql, values))
  }

  script(sql: string): Promise<number> {
    return this.#alone((client) => this.#statements(client).script(`${settingsSql(statementMs)}; ${sql}`))
  }

  transaction<T>(work: (transaction: Transaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    let isCommitting = false
    const attempt = () =>
      this.#pooled(async (client) => {
        isCommitting = false
        const { statementMs: limitMs } = options
        await client.query(timed(beginSql(this.schema, options), limitMs))
        const result = await work(this.#statements(client, limitMs))
        isCommitting = true
        await client.query(timed('commit', limitMs))
        return result
      })
    return this.#retry((error) => isConflict(error) || (isConnectionLost(error) && !isCommitting), attempt)
  }

  async reserve(isOfCall = false): Promise<PoolClient> {
    const pool = isOfCall ? this.#reservedByCalls : this.#reserved
    try {
      return await pool.connect()
    } catch (error) {
      if (pool.totalCount - pool.idleCount < maxReserved) throw toDatabaseError(error, this.location)
      const others = isOfCall ? 'Other calls' : 'Other sign-ins'
      throw new StoreError('locked', this.location, `${others} are using all of this server's connections for locks in ${this.location}.`)
    }
  }

  pools(): readonly PoolUse[] {
    return [useOf('statements', this.#pool), useOf('locks', this.#reserved, this.#reservedByCalls)]
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool, this.#reserved, this.#reservedByCalls].map((pool) => pool.end()))
  }

  /** Runs statements outside a transaction, and reruns them if a conflict rolled them back. */
  #alone<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    return this.#retry(isConflict, () => this.#pooled(work))
  }

  async #pooled<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect()
    try {
      const result = await work(client)
      client.release()
      return result
    } catch (error) {
      // No transaction may stay open on a connection returned to the pool, whatever the error was.
      const isUsable = !isConnectionLost(error) && (await client.query(timed('rollback')).then(Boolean, () => false))
      client.release(!isUsable)
      throw error
    }
  }

  async #retry<T>(canRetry: (error: unknown) => boolean, attempt: () => Promise<T>): Promise<T> {
    const started = performance.now()
    for (let count = 1; ; count += 1) {
      try {
        return await attempt()
      } catch (error) {
        if (count >= maxAttempts || performance.now() - started > maxRetryMs || !canRetry(error))
          throw toDatabaseError(error, this.location)
      }
      await setTimeout(retryMs * 2 ** (count - 1))
    }
  }

  #statements(client: PoolClient, limitMs?: number): Transaction {
    const query = (sql: string, values: SqlValues) => {
      const statement = this.#translator.translate(sql, values)
      const text = this.#now ? statement.text.replaceAll('now()', this.#now()) : statement.text
      return client.query<object>({ ...timed(text, limitMs), values: statement.values })
    }
    return {
      async rows(columns, sql, values = {}) {
        const { rows } = await query(sql, values)
        return rows.map((row) => {
          if (!hasColumns(columns, row)) throw new Error(`A row does not fit its query: ${sql}`)
          return row
        })
      },
      run: async (sql, values = {}) => (await query(sql, values)).rowCount ?? 0,
      script: async (sql) => {
        const text = this.#translator.qualify(sql)
        const result: unknown = await client.query(timed(this.#now ? text.replaceAll('now()', this.#now()) : text, limitMs))
        // Several statements have one result each.
        return rowCountOf(Array.isArray(result) ? result.at(-1) : result)
      },
    }
  }
}

/** Statements that SQLite also runs. Those that change nothing run again if the connection is lost. */
export function sharedSql(database: Database): SharedSql {
  return {
    rows: (columns, sql, values) => (sql.startsWith('select') ? database.reading : database).rows(columns, sql, values),
    run: (sql, values) => database.run(sql, values),
  }
}

function useOf(pool: PoolUse['pool'], ...pools: readonly Pool[]): PoolUse {
  const sum = (count: 'totalCount' | 'idleCount' | 'waitingCount') => pools.reduce((total, each) => total + each[count], 0)
  return { pool, busy: sum('totalCount') - sum('idleCount'), idle: sum('idleCount'), waiting: sum('waitingCount') }
}

function rowCountOf(result: unknown): number {
  const hasCount = typeof result === 'object' && result !== null && 'rowCount' in result
  return hasCount && typeof result.rowCount === 'number' ? result.rowCount : 0
}

/**
 * A statement with a timeout for dead connections; on a live connection, the server's own timeout ends the statement first. PgBouncer
 * holds statements while the server is down.
 */
function timed(text: string, limitMs = statementMs) {
  return { text, query_timeout: 2 * limitMs }
}

/** The SQL that starts a transaction with its settings and locks, in one message. */
function beginSql(schema: string, { keys = [], statementMs: limitMs = statementMs }: TransactionOptions): string {
  const locks = [...new Set(keys.map((key) => bucketOf(key)))].sort((a, b) => a - b)
  const space = lockNumber(schema) % 2 ** 31
  const take = `select pg_advisory_xact_lock(${space}, bucket) from unnest(array[${locks.join(', ')}]) as bucket`
  return ['begin', settingsSql(limitMs), ...(locks.length > 0 ? [take] : [])].join('; ')
}

/**
 * Sets timeouts and turns off JIT: compiling takes longer than any of our statements, and the planner may misjudge unanalysed tables.
 */
function settingsSql(limitMs: number): string {
  return `set local jit = off; set local statement_timeout = ${limitMs}; set local idle_in_transaction_session_timeout = ${idleMs}`
}

const bucketOf = (key: string) => lockNumber(key) % lockBuckets

/** A name's 48-bit hash, which JavaScript can hold exactly. */
export function lockNumber(name: string): number {
  return createHash('sha256').update(name).digest().readUIntBE(0, 6)
}

function openPool(config: PoolConfig): Pool {
  const parsers = new TypeOverrides()
  parsers.setTypeParser(types.builtins.INT8, Number)
  const pool = new Pool({
    connectionTimeoutMillis: connectMs,
    ...config,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    allowExitOnIdle: true,
    application_name: 'mcp-toolkits',
    types: parsers,
  })
  // A broken connection is replaced when one is next needed; its user notices from the failing statement.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/** The address without user and password. */
function locationOf(url: string): string {
  const parsed = URL.parse(url)
  return parsed ? `postgres://${parsed.host}${parsed.pathname}` : 'PostgreSQL'
}
