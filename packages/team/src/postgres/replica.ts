import { randomUUID } from 'node:crypto'
import { type Clock, systemClock } from '@mcp-toolkits/core/base'
import type { Database } from './database.ts'

/** One process that works on the database. What it holds is left to others when it closes, and some seconds after it has died. */
export interface Replica {
  /** Never used again. Store it beside this process's work. */
  readonly id: string
  /** Leaves its locks and work to others, at once. */
  readonly close: () => Promise<void>
}

export interface ReplicaOptions {
  readonly clock?: Clock
  /** Time that a replica counts as alive after its latest sign of life, in milliseconds; 5 seconds by default. */
  readonly lifetimeMs?: number
}

/**
 * The ids of the replicas that are alive, for a condition. Whatever the clocks of the machines show, only that of the database counts, and
 * it goes on within a transaction.
 */
export const aliveReplicas = '(select id from schema.replicas where alive_until > clock_timestamp())'

/** Makes this process known to the others until it is closed. The tables of the store must exist. */
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
