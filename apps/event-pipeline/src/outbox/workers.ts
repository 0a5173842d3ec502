import { type ProcessLock, type Store, text } from '@mcp-toolkits/sqlite'

/** Time, in milliseconds, for which a first-version worker, which has no lock, counts as alive after its heartbeat. */
const heartbeatLifetimeMs = 5_000

/** Interval, in milliseconds, at which to check for workers that died or left work behind. */
export const lookIntervalMs = 2_000

/** The live workers; needs `:alive`, the JSON of `WorkerRegistration.alive`. */
export const liveWorkers = `(select value from json_each(:alive))`

/** A worker's view at one moment: its id, the time in milliseconds since 1970, and the live workers as JSON. */
export interface WorkerView {
  readonly me: string
  readonly now: number
  readonly alive: string
}

interface Lease {
  readonly name: string
  readonly alive: string
}

/** Registers a process as an outbox worker: its lock, which shows others that it is alive, and its leases for background delivery. */
export class WorkerRegistration {
  readonly #lock: ProcessLock
  /** Other workers' state, kept for one turn of the event loop, in which all writes ask about the same few workers. */
  readonly #known = new Map<string, boolean>()

  constructor(lock: ProcessLock) {
    this.#lock = lock
  }

  get id(): string {
    return this.#lock.id
  }

  /** True if a worker's process is alive. Checks once per turn of the event loop. */
  isAlive(id: string): boolean {
    const known = this.#known.get(id)
    if (known !== undefined) return known
    const isAlive = this.#lock.isAlive(id)
    if (this.#known.size === 0)
      setImmediate(() => {
        this.#known.clear()
      })
    this.#known.set(id, isAlive)
    return isAlive
  }

  /** Ids of the live workers that are sending entries or have a lease, as JSON. */
  alive(store: Store, now: number): string {
    const ids = (sql: string, parameters = {}) => store.rows({ id: text }, sql, parameters).map(({ id }) => id)
    const busy = ids('select sender as id from entries where sender is not null union select holder from leases')
    const fresh = ids('select id from senders where alive_until between :now and :latest', { now, latest: now + heartbeatLifetimeMs })
    return JSON.stringify([...busy.filter((id) => this.isAlive(id)), ...fresh])
  }

  view(store: Store, now: number): WorkerView {
    return { me: this.id, now, alive: this.alive(store, now) }
  }

  isLeaseTaken(store: Store, { name, alive }: Lease): boolean {
    const sql = `select holder from leases where name = :name and holder != :holder and holder in ${liveWorkers}`
    return store.rows({ holder: text }, sql, { name, holder: this.id, alive }).length > 0
  }

  acquireLease(store: Store, { name, alive }: Lease): boolean {
    const acquired = store.rows(
      { holder: text },
      `insert into leases values (:name, :holder) on conflict (name) do update set holder = :holder
       where holder = :holder or holder not in ${liveWorkers} returning holder`,
      { name, holder: this.id, alive },
    )
    return acquired.length > 0
  }

  releaseLease(store: Store, name: string): void {
    store.run(`delete from leases where name = :name and holder = :holder`, { name, holder: this.id })
  }

  /** Releases this worker's entries and leases to others. */
  release(store: Store): void {
    store.run(`delete from leases where holder = :holder`, { holder: this.id })
    store.run(`update entries set sender = null where sender = :sender and identified = 1 and reason is null`, { sender: this.id })
  }

  /** Releases the lock: others see this worker as dead. */
  close(): void {
    this.#lock.close()
  }
}
