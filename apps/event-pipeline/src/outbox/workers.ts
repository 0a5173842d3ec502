import { type ProcessLock, type Store, text } from '@mcp-toolkits/sqlite'

/** Time that a worker of the first version, which has no lock, counts as alive after its heartbeat, in milliseconds. */
const heartbeatLifetimeMs = 5_000

/** Interval of looks for workers that have died or have left something behind, in milliseconds. */
export const lookIntervalMs = 2_000

/** The workers that are alive; needs `:alive`, the JSON of `WorkerRegistration.alive`. */
export const aliveWorkers = `(select value from json_each(:alive))`

/** View of a worker at a moment: itself, the time in milliseconds since 1970, and the workers that are alive, as JSON. */
export interface WorkerView {
  readonly me: string
  readonly now: number
  readonly alive: string
}

interface Lease {
  readonly name: string
  readonly alive: string
}

/** A process as a worker of an outbox: its lock, which shows others that it is alive, and its leases for delivery in the background. */
export class WorkerRegistration {
  readonly #lock: ProcessLock
  /** State of other workers, for the rest of this turn of the event loop: its writes all ask about the same few. */
  readonly #known = new Map<string, boolean>()

  constructor(lock: ProcessLock) {
    this.#lock = lock
  }

  get id(): string {
    return this.#lock.id
  }

  /** True if the process of a worker has it open. Looks once in a turn of the event loop. */
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

  /** The ids of those workers that send entries or have the lease and are alive, as JSON. */
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
    const sql = `select holder from leases where name = :name and holder != :holder and holder in ${aliveWorkers}`
    return store.rows({ holder: text }, sql, { name, holder: this.id, alive }).length > 0
  }

  acquireLease(store: Store, { name, alive }: Lease): boolean {
    const acquired = store.rows(
      { holder: text },
      `insert into leases values (:name, :holder) on conflict (name) do update set holder = :holder
       where holder = :holder or holder not in ${aliveWorkers} returning holder`,
      { name, holder: this.id, alive },
    )
    return acquired.length > 0
  }

  releaseLease(store: Store, name: string): void {
    store.run(`delete from leases where name = :name and holder = :holder`, { name, holder: this.id })
  }

  /** Leaves the entries and the leases of this worker to others. */
  release(store: Store): void {
    store.run(`delete from leases where holder = :holder`, { holder: this.id })
    store.run(`update entries set sender = null where sender = :sender and identified = 1 and reason is null`, { sender: this.id })
  }

  /** Ends the life of this worker. */
  close(): void {
    this.#lock.close()
  }
}
