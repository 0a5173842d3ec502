import { randomUUID } from 'node:crypto'
import type { Clock, Timer } from '@mcp-toolkits/core/clock'
import { type Store, text } from '@mcp-toolkits/store'

/** How long a worker counts as alive after a heartbeat, in milliseconds. */
export const workerLifetimeMs = 5_000

/** The workers that are alive; needs `:now`. */
export const aliveWorkers = `(select id from senders where alive_until > :now)`

/** A worker of an outbox: its heartbeat, and the lease for delivery in the background. */
export class WorkerRegistration {
  readonly id = randomUUID()

  heartbeat(store: Store, now: number): void {
    store.run(`insert into senders values (:id, :until) on conflict (id) do update set alive_until = :until`, {
      id: this.id,
      until: now + workerLifetimeMs,
    })
  }

  isLeaseTaken(store: Store, now: number): boolean {
    const sql = `select holder from leases where name = 'drain' and holder != :holder and holder in ${aliveWorkers}`
    return store.rows({ holder: text }, sql, { holder: this.id, now }).length > 0
  }

  acquireLease(store: Store, now: number): boolean {
    this.heartbeat(store, now)
    const acquired = store.rows(
      { holder: text },
      `insert into leases values ('drain', :holder) on conflict (name) do update set holder = :holder
       where holder = :holder or holder not in ${aliveWorkers} returning holder`,
      { holder: this.id, now },
    )
    return acquired.length > 0
  }

  releaseLease(store: Store): void {
    store.run(`delete from leases where holder = :holder`, { holder: this.id })
  }

  /** Removes this worker and those that died. */
  remove(store: Store, now: number): void {
    this.releaseLease(store)
    store.run(`update entries set sender = null where sender = :sender and identified = 1`, { sender: this.id })
    store.run(`delete from senders where id = :sender or alive_until < :now`, { sender: this.id, now })
  }
}

/** Calls `beat` regularly while `isNeeded`, without keeping the process alive. */
export class Heartbeat {
  readonly #timer: Timer

  constructor(clock: Clock, isNeeded: () => boolean, beat: () => Promise<void>) {
    this.#timer = clock.timer(workerLifetimeMs / 5, () => {
      if (isNeeded()) void beat()
      this.#timer.restart()
    })
    this.#timer.unref()
  }

  stop(): void {
    this.#timer.cancel()
  }
}
