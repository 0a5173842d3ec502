import { randomUUID } from 'node:crypto'
import { type Clock, systemClock } from '@mcp-toolkits/core/base'
import type { Database } from './database.ts'

/** One process that works on the database. Its locks and work go to others when it closes, or some seconds after it dies. */
export interface Replica {
  /** Never used again. Store it beside this process's work. */
  readonly id: string
  /** Releases its locks and work to others, at once. */
  readonly close: () => Promise<void>
}

export interface ReplicaOptions {
  readonly clock?: Clock
  /** Time that a replica counts as alive after its latest heartbeat, in milliseconds; 5 seconds by default. */
  readonly lifetimeMs?: number
}

/**
 * The ids of live replicas, for a condition. Only the database's clock counts, not the machines'; unlike `now()`, it advances within a
 * transaction.
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
      // While the database is down, no replica can take over anything.
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
