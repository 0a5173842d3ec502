import { aliveReplicas, type Database, type SqlValues, type Transaction } from '@mcp-toolkits/team/postgres'
import { type Claimant, columnsOf, type Destination, type Entry } from '../../outbox/outbox-store.ts'
import { Batches, fulfilled } from './batches.ts'
import { columnNames, columns, type Enqueuer, heldMs, isHeld, isOurs, isUnclaimed, toEntry } from './rows.ts'

/** Maximum number of entries claimed at a time. */
const maxTogether = 100

/** The entries that a replica is sending. */
export class Claims {
  readonly #options: Enqueuer & { readonly database: Database }
  readonly #sending = new Set<number>()
  /** Entries sent to find out whether a hold has ended. */
  readonly #probes = new Set<number>()
  readonly #next: Batches<Destination, Entry | undefined>

  constructor(options: Enqueuer & { readonly database: Database }) {
    this.#options = options
    this.#next = new Batches({ run: (destinations) => this.#claimNext(destinations), maxWeight: maxTogether })
  }

  /** This replica and the entries that it is sending, for SQL conditions. */
  get claimant(): { readonly me: string; readonly sending: readonly number[] } {
    return { me: this.#options.me, sending: [...this.#sending] }
  }

  isProbe(id: number): boolean {
    return this.#probes.has(id)
  }

  /** Records that an entry is being sent. */
  start(claimed: Entry | undefined): Entry | undefined {
    if (!claimed) return undefined
    this.#sending.add(claimed.id)
    if (claimed.httpStatus === 429) this.#probes.add(claimed.id)
    return claimed
  }

  stop(id: number): void {
    this.#sending.delete(id)
    this.#probes.delete(id)
  }

  /** Claims the oldest due entry. */
  next(destination: Destination): Promise<Entry | undefined> {
    return this.#next.add(destination)
  }

  async #claimNext(destinations: readonly Destination[]): Promise<PromiseSettledResult<Entry | undefined>[]> {
    const claimed = new Map<string, Entry[]>()
    for (const [name, each] of Map.groupBy(destinations, nameOf)) {
      const [destination] = each
      if (destination) claimed.set(name, await this.#claimDue(destination, each.length))
    }
    return fulfilled(destinations.map((destination) => claimed.get(nameOf(destination))?.shift()))
  }

  async one(statements: Pick<Transaction, 'rows'>, id: number, by: Claimant): Promise<Entry | undefined> {
    const isWanted = `id = :id and next_attempt_at <= now() and not is_blocked and ${isUnclaimed}`
    const [entry] = await this.#take(statements, { isWanted, values: { id }, by })
    return entry
  }

  /** Claims up to `most` due entries, oldest first; after a hold, only one. */
  async #claimDue(destination: Destination, most: number): Promise<Entry[]> {
    const isWanted = `id in (select id from schema.entries where ${isOurs} and state = 'open' and not is_blocked and sender is null
      and next_attempt_at <= now() order by next_attempt_at, id
      limit (select case when exists (select 1 from holds where origin = :origin and key_hash = :keyHash) then 1 else :most::integer end)
      for update skip locked)`
    const entries = await this.#take(this.#options.database, { isWanted, values: { ...columnsOf(destination), most }, by: 'background' })
    return entries.toSorted((a, b) => a.id - b.id)
  }

  /**
   * Claims entries unless their destination is on hold. The first entry after a hold keeps the other entries waiting until it is accepted.
   */
  async #take(
    statements: Pick<Transaction, 'rows'>,
    { isWanted, values, by }: { readonly isWanted: string; readonly values: SqlValues; readonly by: Claimant },
  ): Promise<Entry[]> {
    const hold = '(select max(ms) from holds where holds.origin = entries.origin and holds.key_hash = entries.key_hash)'
    // A replica that no longer counts as alive must claim nothing: another replica takes over the entries it is sending.
    const rows = await statements.rows(
      columns,
      `with holds as materialized (select origin, key_hash, ${heldMs} as ms from schema.entries where ${isHeld})
       update schema.entries set sender = :me, claimed_at = now(), in_call = :inCall, attempts = attempts + 1,
         http_status = case when ${hold} is null then http_status else 429 end
       where ${isWanted} and state = 'open' and (:isForced or coalesce(${hold}, 0) = 0) and :me::uuid in ${aliveReplicas}
       returning ${columnNames}`,
      { ...values, ...this.claimant, inCall: by === 'call', isForced: by === 'operator' },
    )
    return rows.map((row) => toEntry(row, this.#options.sealer))
  }
}

const nameOf = (destination: Destination) => JSON.stringify(columnsOf(destination))
