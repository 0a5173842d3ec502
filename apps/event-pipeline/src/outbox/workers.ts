import { randomUUID } from 'node:crypto'
import type { Clock, Timer } from '@mcp-toolkits/core/clock'
import { integer, type Store, text } from '@mcp-toolkits/store'

/** How long a worker counts as alive after a heartbeat, in milliseconds. */
export const workerLifetimeMs = 5_000

const heartbeatIntervalMs = workerLifetimeMs / 5

/** The workers that are alive; needs `:alive`, the JSON of `WorkerRegistration.alive`. */
export const aliveWorkers = `(select value from json_each(:alive))`

interface Observation {
  readonly aliveUntil: number
  /** When the heartbeat was seen first, on this machine's monotonic clock. */
  readonly at: number
}

/** A worker of an outbox: its heartbeat, and the lease for delivery in the background. */
export class WorkerRegistration {
  readonly id = randomUUID()
  readonly #clock: Clock
  readonly #observed = new Map<string, Observation>()
  #excusedTo = -Infinity

  constructor(clock: Clock) {
    this.#clock = clock
  }

  heartbeat(store: Store, now: number): void {
    store.run(`insert into senders values (:id, :until) on conflict (id) do update set alive_until = :until`, {
      id: this.id,
      until: now + workerLifetimeMs,
    })
  }

  /**
   * The ids of the workers that are alive, as JSON. A worker is alive as long as its heartbeat changes; the time in it only counts
   * when this worker has not seen the other one before, because a clock that jumps would end all lives or extend them.
   */
  alive(store: Store, now: number): string {
    const monotonic = this.#clock.monotonic()
    const workers = store.rows({ id: text, alive_until: integer }, 'select id, alive_until from senders')
    for (const { id, alive_until: aliveUntil } of workers) {
      const known = this.#observed.get(id)
      if (known?.aliveUntil === aliveUntil) continue
      const remaining = known || aliveUntil > now + workerLifetimeMs ? workerLifetimeMs : aliveUntil - now
      this.#observed.set(id, { aliveUntil, at: monotonic - (workerLifetimeMs - remaining) })
    }
    const isAlive = (id: string) => monotonic - (this.#observed.get(id)?.at ?? -Infinity) < workerLifetimeMs
    return JSON.stringify(workers.map(({ id }) => id).filter(isAlive))
  }

  /** A write has waited for the lock since `since`, on the monotonic clock. No other worker could write a heartbeat either. */
  excuseSilence(since: number): void {
    const to = this.#clock.monotonic()
    const lockedMs = to - Math.max(since, this.#excusedTo)
    if (lockedMs < heartbeatIntervalMs) return
    this.#excusedTo = to
    for (const [id, { aliveUntil, at }] of this.#observed) this.#observed.set(id, { aliveUntil, at: at + lockedMs })
  }

  isLeaseTaken(store: Store, alive: string): boolean {
    const sql = `select holder from leases where name = 'drain' and holder != :holder and holder in ${aliveWorkers}`
    return store.rows({ holder: text }, sql, { holder: this.id, alive }).length > 0
  }

  acquireLease(store: Store, { now, alive }: { readonly now: number; readonly alive: string }): boolean {
    this.heartbeat(store, now)
    const acquired = store.rows(
      { holder: text },
      `insert into leases values ('drain', :holder) on conflict (name) do update set holder = :holder
       where holder = :holder or holder not in ${aliveWorkers} returning holder`,
      { holder: this.id, alive },
    )
    return acquired.length > 0
  }

  releaseLease(store: Store): void {
    store.run(`delete from leases where holder = :holder`, { holder: this.id })
  }

  /** Removes this worker and those that died. */
  remove(store: Store, alive: string): void {
    this.releaseLease(store)
    store.run(`update entries set sender = null where sender = :sender and identified = 1`, { sender: this.id })
    store.run(`delete from senders where id = :sender or id not in ${aliveWorkers}`, { sender: this.id, alive })
  }
}

/** Calls `beat` regularly while `isNeeded`, without keeping the process alive. */
export class Heartbeat {
  readonly #timer: Timer

  constructor(clock: Clock, isNeeded: () => boolean, beat: () => Promise<void>) {
    this.#timer = clock.timer(heartbeatIntervalMs, () => {
      if (isNeeded()) void beat()
      this.#timer.restart()
    })
    this.#timer.unref()
  }

  stop(): void {
    this.#timer.cancel()
  }
}
