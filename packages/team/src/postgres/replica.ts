import { randomUUID } from 'node:crypto'
import { type Clock, systemClock } from '@mcp-toolkits/core/base'
import type { Database } from './database.ts'

/** One process that works on the database. Its locks and work pass to others when it closes, or a few seconds after it dies. */
export interface Replica {
  /** Never reused. Store it with this process's work. */
  readonly id: string
  /** Releases this process's locks and work to others at once. */
  readonly close: () => Promise<void>
}

export interface ReplicaOptions {
  readonly clock?: Clock
  /** Time, in milliseconds, that a replica counts as alive after its latest heartbeat; 5 seconds by default. */
  readonly lifetimeMs?: number
}

/**
 * The ids of live replicas, for a condition. It uses only the database's clock, not the machines'. Unlike `now()`,
 * `clock_timestamp()` advances within a transaction.
 */
export const aliveReplicas = '(select id from schema.replicas where alive_until > clock_timestamp())'

/** Registers this process as a replica until it is closed. The store's tables must exist. */
export async function openReplica(database: Database, { clock = systemClock, lifetimeMs = 5_000 }: ReplicaOptions = {}): Promise<Replica> {
  const id = randomUUID()
  const beat = async () => {
    const sql = `insert into schema.replicas values (:id, clock_timestamp() + :lifetimeMs * interval '1 ms')
      on conflict (id) do update set alive_until = excluded.alive_until`
    await database.run(sql, { id, lifetimeMs })
  }
  await beat()
  await database.run(`delete from schema.replicas where alive_until < clock_timestamp() - interval '1 day'`)
  let isClosed = false
  let beating: Promise<void> | undefined
  const timer = clock.timer(lifetimeMs / 5, () => {
    beating = beat()
      // While the database is down, no replica can take anything over.
      .catch(() => undefined)
      .finally(() => {
        if (!isClosed) timer.restart()
      })
  })
  timer.unref()
  return {
    id,
    async close() {
      isClosed = true
      timer.cancel()
      await beating
      await database.run('delete from schema.replicas where id = :id', { id }).catch(() => undefined)
    },
  }
}
