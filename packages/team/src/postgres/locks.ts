import { abortReason, defaultLockWaitMs, type LockOptions, type Locks } from '@mcp-toolkits/core/base'
import type { PoolClient } from 'pg'
import { StoreError } from '@mcp-toolkits/sqlite'
import { KeyedMutex } from '@mcp-toolkits/server/storage'
import { type Database, lockNumber } from './database.ts'
import { isLockTimeout, toDatabaseError } from './errors.ts'

/** Silence, in milliseconds, after which a holder loses its lock: it seems to hang, or its machine is gone. */
const maxHeldMs = 60_000
/** A holder's heartbeat interval, in milliseconds. */
const signMs = 20_000

/**
 * Locks that last as long as a transaction, so that PostgreSQL releases them when their holder's connection ends, even behind a PgBouncer
 * that pools transactions. Callers in one process queue up before they take a connection.
 */
export function postgresLocks(database: LockDatabase): Locks {
  const mutex = new KeyedMutex()
  return {
    async withLock(name, work, { signal, waitMs = defaultLockWaitMs, isOfCall }: LockOptions = {}) {
      const started = performance.now()
      const unlock = await mutex.acquire(name, { signal, waitMs })
      if (!unlock) throw timeout(database, waitMs)
      try {
        const client = await database.reserve(isOfCall)
        return await holdLock(client, { database, name, waitMs: Math.max(1, waitMs - (performance.now() - started)), signal }, work)
      } finally {
        unlock()
      }
    },
  }
}

/** The part of a database used by locks. */
type LockDatabase = Pick<Database, 'location' | 'schema' | 'reserve'>

interface Wanted {
  readonly database: LockDatabase
  readonly name: string
  readonly waitMs: number
  readonly signal: AbortSignal | undefined
}

async function holdLock<T>(client: PoolClient, wanted: Wanted, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { database, signal } = wanted
  let signs: ReturnType<typeof setInterval> | undefined
  const lost = new AbortController()
  const lose = () => {
    lost.abort(toDatabaseError(new Error('Connection terminated'), database.location))
  }
  // Closing the connection stops its wait.
  const giveUp = () => void client.end()
  client.on('error', lose).on('end', lose)
  signal?.addEventListener('abort', giveUp, { once: true })
  try {
    signal?.throwIfAborted()
    await takeLock(client, wanted)
    signal?.removeEventListener('abort', giveUp)
    signs = setInterval(() => void client.query('select 1').catch(() => undefined), signMs)
    return await work(lost.signal)
  } catch (error) {
    if (signal?.aborted === true) throw abortReason(signal)
    throw error
  } finally {
    clearInterval(signs)
    signal?.removeEventListener('abort', giveUp)
    const isReleased = !lost.signal.aborted && (await client.query('rollback').then(Boolean, () => false))
    client.off('error', lose).off('end', lose)
    client.release(!isReleased)
  }
}

async function takeLock(client: PoolClient, { database, name, waitMs }: Wanted): Promise<void> {
  const settings = `set local lock_timeout = ${Math.ceil(waitMs)}; set local idle_in_transaction_session_timeout = ${maxHeldMs}`
  const lock = `select pg_advisory_xact_lock(${lockNumber(`lock ${database.schema} ${name}`)})`
  try {
    await client.query(`begin; ${settings}; ${lock}`)
  } catch (error) {
    throw isLockTimeout(error) ? timeout(database, waitMs) : toDatabaseError(error, database.location)
  }
}

function timeout({ location }: LockDatabase, waitMs: number): StoreError {
  return new StoreError('locked', location, `Another call has held a lock in ${location} for ${Math.round(waitMs / 1000)} seconds.`)
}
