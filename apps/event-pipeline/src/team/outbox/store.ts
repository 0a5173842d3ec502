import { type Clock, systemClock } from '@mcp-toolkits/core/base'
import type { Backlog } from '@mcp-toolkits/core/upstream'
import { integer, nullable, text } from '@mcp-toolkits/sqlite'
import { aliveReplicas, type Database, type ReplicaStoreOptions, sharedSql, type Transaction } from '@mcp-toolkits/team/postgres'
import { plainSealer, type Sealer } from '@mcp-toolkits/team/vault'
import { backlogColumns, tallyEntries, toBacklog } from '../../outbox/backlog.ts'
import { readError, writeError } from '../../outbox/outbox-rows.ts'
import {
  type Claimant,
  columnsOf,
  type DeliveryDecision,
  type Destination,
  type EnqueueResult,
  type Entry,
  leaseName,
  type OutboxStore,
  type ParkReason,
  type Tally,
  type Wait,
  type WaitingDestination,
} from '../../outbox/outbox-store.ts'
import { adoptEntries } from './adopt.ts'
import { Batches, fulfilled } from './batches.ts'
import { Claims } from './claims.ts'
import { changeSignal, type ChangeSignal } from './changes.ts'
import { Enqueuing, type Unknown } from './enqueue.ts'
import { findUnknown, parkUnknown, purgeDelivered, type AcceptedEntry, recordDeliveries, selectAccepted } from './deliveries.ts'
import { deleteEntries } from './insertion.ts'
import { readHashKey, columnNames, columns, contextOf, idsOf, isOurs, isUnclaimed, selectByIds, selectWait, toEntry } from './rows.ts'
import { isConfirmed, selectOverview, setConfirmed } from './keys.ts'
import { findWaiting } from './due-entries.ts'
import { linkAgain, personKeys, releaseForgotten, releaseWaiting } from './order.ts'

/** Interval, in milliseconds, between purges. */
const purgeIntervalMs = 60_000

/** Maximum number of outcomes, or claims, that share a message. */
const maxTogether = 100

/** The outbox in PostgreSQL, shared by replicas on several machines. Only the database's clock counts. */
export class PostgresOutboxStore implements OutboxStore {
  readonly #database: Database
  readonly #me: string
  readonly #sealer: Sealer
  readonly #clock: Clock
  readonly #changes: ChangeSignal
  readonly #enqueuing: Enqueuing
  readonly #accepted: Batches<AcceptedEntry, undefined>
  readonly #answered: Batches<readonly number[], undefined>
  readonly #claims: Claims
  /** Entries that failed calls may have stored anyway. */
  readonly #unknown: Unknown[] = []
  #looks = 0
  #purgedAt = -Infinity

  constructor({ database, replica, sealer = plainSealer, clock = systemClock }: ReplicaStoreOptions) {
    this.#database = database
    this.#me = replica.id
    this.#sealer = sealer
    this.#clock = clock
    this.#changes = changeSignal(clock)
    this.#claims = new Claims({ database, sealer, me: this.#me })
    this.#enqueuing = new Enqueuing({
      ...{ database, sealer, me: this.#me },
      join: (transaction, joined, isStrict) => this.#join(transaction, joined, isStrict),
      claim: (transaction, id) => this.#claims.one(transaction, id, 'call'),
      onUnknown: (unknown) => this.#unknown.push(unknown),
    })
    this.#accepted = new Batches({
      run: async (accepted) => {
        await recordDeliveries(database, accepted, this.#me)
        return fulfilled(accepted.map(() => undefined))
      },
      maxWeight: maxTogether,
    })
    this.#answered = new Batches({
      run: async (calls) => {
        const sql = 'update schema.entries set answered = true, awaited_by = null where id = any(:ids::bigint[])'
        await database.run(sql, { ids: calls.flat().toSorted((a, b) => a - b) })
        return fulfilled(calls.map(() => undefined))
      },
      maxWeight: maxTogether,
    })
  }

  hashKey(): Promise<string> {
    return readHashKey(this.#database, this.#sealer)
  }

  async enqueue(...[request, plan]: Parameters<OutboxStore['enqueue']>): Promise<EnqueueResult | undefined> {
    const result = await this.#enqueuing.enqueue(request, plan)
    this.#changes.notify()
    this.#claims.start(result?.claimed)
    return result
  }

  /** Reopens refused and parked entries, and adds strict validation if this call requests it. */
  async #join(transaction: Transaction, joined: readonly Entry[], isStrict: boolean): Promise<void> {
    const ids = joined.map(({ id }) => id)
    await transaction.run('update schema.entries set awaited_by = :me, begun_at = now() where id = any(:ids::bigint[])', {
      ids,
      me: this.#me,
    })
    await transaction.run(
      `update schema.entries set strict = strict or :isStrict, next_attempt_at = case state when 'open' then next_attempt_at else now() end,
         http_status = case state when 'open' then http_status end, error = case state when 'open' then error end,
         state = 'open', reason = null, sender = null, settled_at = null
       where id = any(:ids::bigint[]) and state <> 'delivered' and (sender is null or sender not in ${aliveReplicas} or ${isUnclaimed})`,
      { ids, isStrict, ...this.#claims.claimant },
    )
    await linkAgain(
      transaction,
      joined.filter(({ state }) => state === 'refused' || state === 'parked').map(({ id }) => id),
    )
  }

  entries(ids: readonly number[]): Promise<Entry[]> {
    return selectByIds(this.#database.reading, this.#sealer, ids)
  }

  async undelivered(): Promise<Entry[]> {
    const sql = `select ${columnNames} from schema.entries where state <> 'delivered' order by id`
    return (await this.#database.reading.rows(columns, sql)).map((row) => toEntry(row, this.#sealer))
  }

  overview(...given: Parameters<OutboxStore['overview']>): Promise<Entry[]> {
    return selectOverview(this.#database.reading, this.#sealer, ...given)
  }

  tally(): Promise<readonly Tally[]> {
    return tallyEntries(sharedSql(this.#database))
  }

  async adopt(from: Destination, to: Destination): Promise<number> {
    const adopted = await adoptEntries({ database: this.#database, sealer: this.#sealer, claimant: this.#claims.claimant }, from, to)
    this.#changes.notify()
    return adopted
  }

  async backlog(): Promise<Backlog[]> {
    const sql = `select state, count(*) as entries, (extract(epoch from now() - min(created_at)) * 1000)::bigint as age_ms
      from schema.entries where state <> 'delivered' group by state`
    return toBacklog(await this.#database.reading.rows(backlogColumns, sql))
  }

  async claim(id: number, by: Claimant): Promise<Entry | undefined> {
    return this.#claims.start(await this.#claims.one(this.#database, id, by))
  }

  async claimNext(destination: Destination): Promise<Entry | undefined> {
    return this.#claims.start(await this.#claims.next(destination))
  }

  async untilNextDue(destination: Destination): Promise<number | undefined> {
    const [waiting] = await findWaiting(this.#database, this.#claims.claimant, destination)
    return waiting?.ms
  }

  waiting(): Promise<readonly WaitingDestination[]> {
    return findWaiting(this.#database, this.#claims.claimant)
  }

  async waitOf(id: number): Promise<Wait> {
    const [row] = await this.#database.reading.rows(
      { ms: integer, hold: nullable(integer), error: columns.error, delivery_id: nullable(text), part: nullable(integer) },
      selectWait,
      { id },
    )
    const { ms = 0, hold = null } = row ?? {}
    if (!row || hold === null || hold === 0 || hold < ms) return { ms, isHeld: false, holdError: undefined }
    const { error, delivery_id: deliveryId, part } = row
    const isReadable = error instanceof Uint8Array && deliveryId !== null && part !== null
    const json = isReadable ? this.#sealer.open(error, contextOf('error', { delivery_id: deliveryId, part })) : undefined
    return { ms: hold, isHeld: true, holdError: json === undefined ? undefined : readError(json) }
  }

  async recordDelivered(id: number, httpStatus: number): Promise<void> {
    await this.#accepted.add({ id, httpStatus, isProbe: this.#claims.isProbe(id) })
    this.#stopSending(id)
  }

  async recordFailure(...[id, error, decide]: Parameters<OutboxStore['recordFailure']>): Promise<DeliveryDecision | undefined> {
    const decision = await this.#reorder([id], async (transaction) => {
      const select = `select ${columnNames} from schema.entries where id = :id and sender = :me for update`
      const [row] = await transaction.rows(columns, select, { id, me: this.#me })
      if (!row) return undefined
      const decided = decide(toEntry(row, this.#sealer))
      // An interrupted attempt says nothing about the vendor: if the entry stays open, it keeps the previous attempt's error.
      if (error || decided.state !== 'open') {
        const failure = {
          error: error ? this.#sealer.seal(writeError(error), contextOf('error', row)) : null,
          status: error?.details.httpStatus ?? null,
        }
        await transaction.run('update schema.entries set error = :error, http_status = :status where id = :id', { id, ...failure })
      }
      await this.#apply(transaction, id, decided)
      return decided
    })
    this.#stopSending(id)
    return decision
  }

  async #apply(transaction: Transaction, id: number, decision: DeliveryDecision): Promise<void> {
    if (decision.state === 'open') {
      const sql = `update schema.entries set sender = null, next_attempt_at = now() + :ms * interval '1 ms' where id = :id`
      await transaction.run(sql, { id, ms: decision.backoffMs })
      return
    }
    const reason = decision.state === 'parked' ? decision.reason : null
    const sql = 'update schema.entries set state = :state, reason = :reason, sender = null, settled_at = now() where id = :id'
    await transaction.run(sql, { id, state: decision.state, reason })
    const later = `update schema.entries set state = 'parked', reason = 'earlier_part_refused', error = null, http_status = null, settled_at = now()
      from (select delivery_id as first_delivery, part as first_part from schema.entries where id = :id) as first
      where state = 'open' and ${isUnclaimed} and delivery_id = first_delivery and part > first_part returning id`
    const parked = reason === 'cancelled' ? [] : await idsOf(transaction, later, { id, ...this.#claims.claimant })
    await releaseWaiting(transaction, [id, ...parked])
  }

  recordAnswered(ids: readonly number[]): Promise<void> {
    return this.#answered.add(ids)
  }

  async recordAbandoned(...[all, { isCancelled, hasCaller }]: Parameters<OutboxStore['recordAbandoned']>): Promise<void> {
    const ids = all.filter((id) => !hasCaller(id))
    if (ids.length === 0) return
    await this.#reorder(ids, async (transaction) => {
      await transaction.run('update schema.entries set awaited_by = null where id = any(:ids::bigint[]) and awaited_by = :me', {
        ids,
        me: this.#me,
      })
      if (!isCancelled) return
      await this.#park(transaction, ids, { reason: 'cancelled', isWanted: 'not answered' })
    })
    this.#changes.notify()
  }

  async park(destination: Destination, reason: ParkReason, owner?: string): Promise<number> {
    const isTheirs = owner === undefined ? '' : 'and owner = :owner'
    const waiting = `select id from schema.entries where ${isOurs} ${isTheirs} and (state = 'open' or state = 'parked' and reason = 'key_ended')`
    const values = { ...columnsOf(destination), ...(owner !== undefined && { owner }) }
    const ids = await idsOf(this.#database, waiting, values)
    const ended = `update schema.entries set reason = :reason where id = any(:ids::bigint[]) and state = 'parked' and reason = 'key_ended' returning id`
    const sent = `update schema.entries set reason = :reason where id = any(:ids::bigint[]) and state = 'open'`
    const parked = await this.#reorder(ids, async (transaction) => {
      const already = await idsOf(transaction, ended, { ids, reason })
      const found = already.length + (await this.#park(transaction, ids, { reason, isWanted: 'true' }))
      if (reason === 'person_forgotten') await transaction.run(sent, { ids, reason })
      return found
    })
    this.#changes.notify()
    return parked
  }

  async #park(
    transaction: Transaction,
    ids: readonly number[],
    { reason, isWanted }: { readonly reason: ParkReason; readonly isWanted: string },
  ): Promise<number> {
    const sql = `update schema.entries set state = 'parked', reason = :reason, settled_at = now()
      where id = any(:ids::bigint[]) and state = 'open' and ${isWanted} and ${isUnclaimed} returning id`
    const parked = await idsOf(transaction, sql, { ids, reason, ...this.#claims.claimant })
    await releaseWaiting(transaction, parked)
    return parked.length
  }

  async reopen(destination: Destination, reason: ParkReason): Promise<number> {
    const parked = `select id from schema.entries where ${isOurs} and state = 'parked' and reason = :reason`
    const ids = await idsOf(this.#database, parked, { ...columnsOf(destination), reason })
    await this.retry(ids)
    return ids.length
  }

  async retry(ids: readonly number[]): Promise<void> {
    await this.#reorder(ids, async (transaction) => {
      const isHeldBack = `reason = 'earlier_part_refused' and delivery_id in (select delivery_id from schema.entries where id = any(:ids::bigint[]))`
      const isWanted = `(id = any(:ids::bigint[]) or ${isHeldBack}) and state <> 'delivered' and (${isUnclaimed} or state <> 'open')`
      const closed = `select id from schema.entries where ${isWanted} and state <> 'open' for update`
      const reopened = await idsOf(transaction, closed, { ids, ...this.#claims.claimant })
      await transaction.run(
        `update schema.entries set state = 'open', reason = null, http_status = null, error = null, attempts = 0, sender = null, settled_at = null, next_attempt_at = now()
         where ${isWanted}`,
        { ids, ...this.#claims.claimant },
      )
      await linkAgain(transaction, reopened)
    })
    this.#changes.notify()
  }

  async hasAccepted(...[{ call, destination }, ago]: Parameters<OutboxStore['hasAccepted']>): Promise<boolean> {
    return (await idsOf(this.#database.reading, selectAccepted, { ...columnsOf(destination), call, ...ago })).length > 0
  }

  isKeyConfirmed(destination: Destination): Promise<boolean> {
    return isConfirmed(this.#database.reading, destination)
  }

  setKeyConfirmed(destination: Destination, isRight: boolean): Promise<void> {
    return setConfirmed(this.#database, destination, isRight)
  }

  async drop(id: number): Promise<boolean> {
    const isDropped = await this.#reorder([id], async (transaction) => {
      const sql = `update schema.entries set state = 'parked' where id = :id and state <> 'delivered' and ${isUnclaimed} returning id`
      const found = await idsOf(transaction, sql, { id, ...this.#claims.claimant })
      if (found.length === 0) return false
      await releaseWaiting(transaction, [id])
      await deleteEntries(transaction, [id])
      return true
    })
    this.#changes.notify()
    return isDropped
  }

  async purge(): Promise<void> {
    await this.#disownUnknown()
    if (this.#clock.monotonic() - this.#purgedAt < purgeIntervalMs) return
    this.#purgedAt = this.#clock.monotonic()
    if ((await purgeDelivered(this.#database)).isFull) this.#purgedAt = -Infinity
    const ids = await findUnknown(this.#database, this.#claims.claimant)
    if (ids.length > 0) await this.#reorder(ids, (transaction) => parkUnknown(transaction, this.#claims.claimant))
    await this.#database.run(releaseForgotten)
  }

  /** Records that failed calls no longer wait for entries they may have stored or joined, so that repeats continue them. */
  async #disownUnknown(): Promise<void> {
    const unknown = [...this.#unknown]
    if (unknown.length === 0) return
    const sql = `update schema.entries set awaited_by = null where awaited_by = :me and not answered
      and (delivery_id = any(:deliveries::text[]) or id = any(:joined::bigint[]))`
    const deliveries = unknown.flatMap((each) => each.deliveries)
    await this.#database.run(sql, { me: this.#me, deliveries, joined: unknown.flatMap((each) => each.joined) })
    this.#unknown.splice(0, unknown.length)
  }

  /** Counts every check as a change: looking for a dead replica's entries takes only one statement. */
  changes(): Promise<number> {
    this.#looks += 1
    return Promise.resolve(this.#looks)
  }

  async acquireLease(destination: Destination): Promise<boolean> {
    const acquired = await this.#database.rows(
      { holder: text },
      `insert into schema.leases as mine values (:name, :me::uuid) on conflict (name) do update set holder = excluded.holder
       where mine.holder = :me or mine.holder not in ${aliveReplicas} returning holder::text`,
      { name: leaseName(destination), me: this.#me },
    )
    if (acquired.length === 0) return false
    const left = `update schema.entries set sender = null where ${isOurs} and sender is not null and state = 'open' and identified and ${isUnclaimed}`
    await this.#database.run(left, { ...columnsOf(destination), ...this.#claims.claimant })
    return true
  }

  async releaseLease(destination: Destination): Promise<void> {
    await this.#database.run('delete from schema.leases where holder = :me and name = :name', {
      me: this.#me,
      name: leaseName(destination),
    })
  }

  watch(): ReturnType<OutboxStore['watch']> {
    return Promise.resolve(this.#changes.watch())
  }

  /** Releases this replica's entries and leases to others. The database stays open. */
  async close(): Promise<void> {
    // Until the outcomes are recorded, answered calls look unanswered.
    await Promise.all([this.#enqueuing.settled(), this.#accepted.settled(), this.#answered.settled()])
    const { me, sending } = this.#claims.claimant
    await this.#database.run('delete from schema.leases where holder = :me', { me }).catch(() => undefined)
    if (sending.length === 0) return
    const sql =
      'update schema.entries set sender = null where id = any(:sending::bigint[]) and sender = :me and identified and reason is null'
    await this.#database.run(sql, { me, sending }).catch(() => undefined)
  }

  /** Runs `work` while nothing else can change the order of entries about the same people. */
  async #reorder<T>(ids: readonly number[], work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const keys = await personKeys(this.#database.reading, ids)
    return this.#database.transaction(work, { keys })
  }

  #stopSending(id: number): void {
    this.#claims.stop(id)
    this.#changes.notify()
  }
}
