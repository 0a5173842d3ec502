import { type Clock, systemClock } from '@mcp-toolkits/core/clock'
import { integer, nullable, text } from '@mcp-toolkits/store'
import { aliveReplicas, type Database, type Replica, type SqlValues, type Transaction } from '@mcp-toolkits/store/postgres'
import { plainSealer, type Sealer } from '@mcp-toolkits/store/sealer'
import { readError, writeError } from '../outbox-rows.ts'
import type { Claimant, DeliveryDecision, Destination, EnqueueResult, Entry, OutboxStore, Wait } from '../outbox-store.ts'
import { lookIntervalMs } from '../workers.ts'
import { changeSignal, type ChangeSignal } from './changes.ts'
import { deleteEntries, deleteReplaced, findFacts, insertEntry, personDigests } from './enqueue.ts'
import { readHashKey } from './hash-key.ts'
import { deliveredScript, linkAgain, personKey, personKeys, releaseForgotten, releaseWaiting } from './order.ts'
import {
  columnNames,
  columns,
  contextOf,
  endHold,
  heldMs,
  isHeld,
  isLost,
  isOurs,
  isUnclaimed,
  ownWaitMs,
  selectByIds,
  selectWait,
  toEntry,
} from './rows.ts'

/** How long delivered ids are stored to recognize repeats, in milliseconds. */
const retentionMs = 7 * 24 * 60 * 60 * 1000

/** How many entries are purged at a time, and how long after the last of them, in milliseconds. */
const maxPurged = 500
const purgeIntervalMs = 60_000

export interface PostgresOutboxOptions {
  readonly database: Database
  readonly replica: Pick<Replica, 'id'>
  readonly sealer?: Sealer
  readonly clock?: Clock
}

/** The outbox in PostgreSQL, which the replicas on several machines share. The clock that counts is that of the database. */
export class PostgresOutboxStore implements OutboxStore {
  readonly #database: Database
  readonly #me: string
  readonly #sealer: Sealer
  readonly #clock: Clock
  readonly #changes: ChangeSignal
  /** The entries that this process is sending. */
  readonly #sending = new Set<number>()
  /** Those of them that find out whether a hold has ended. */
  readonly #probes = new Set<number>()
  #looks = 0
  #purgedAt = -Infinity

  constructor({ database, replica, sealer = plainSealer, clock = systemClock }: PostgresOutboxOptions) {
    this.#database = database
    this.#me = replica.id
    this.#sealer = sealer
    this.#clock = clock
    this.#changes = changeSignal(clock)
  }

  hashKey(): Promise<string> {
    return readHashKey(this.#database, this.#sealer)
  }

  async enqueue(...[request, plan]: Parameters<OutboxStore['enqueue']>): Promise<EnqueueResult> {
    const { destination, persons, fingerprints, bodyHash, signal } = request
    const { sealer, me } = { sealer: this.#sealer, me: this.#me }
    const keys = [
      `body ${bodyHash}`,
      ...fingerprints.flatMap(({ messageId }) => (messageId === undefined ? [] : [`message ${messageId}`])),
      ...personDigests({ persons }, destination, sealer).map(personKey),
    ]
    const work = async (transaction: Transaction): Promise<EnqueueResult> => {
      signal.throwIfAborted()
      const { duplicates, hasRefused, holdMs } = await findFacts(transaction, request, { sealer, me })
      const { joined, created, ...enqueued } = plan(duplicates)
      const mayClaim = joined.every(({ state }) => state === 'delivered') && (holdMs === undefined || holdMs === 0)
      const inserted: Awaited<ReturnType<typeof insertEntry>>[] = []
      for (const entry of created) {
        const isFirst = inserted.length === 0
        const order = { earlierPart: inserted.at(-1)?.stored.id, claims: mayClaim && isFirst, isProbe: holdMs !== undefined }
        inserted.push(await insertEntry(transaction, entry, { destination, sealer, me, ...order }))
        signal.throwIfAborted()
      }
      const stored = inserted.map(({ stored }) => stored)
      const messageIds = stored.flatMap((entry) => entry.messageIds)
      if (hasRefused && messageIds.length > 0) await deleteReplaced(transaction, destination, messageIds)
      if (joined.length > 0) await this.#join(transaction, joined, request.isStrict)
      const entries = [...joined, ...stored]
      request.onStored(entries.map(({ id }) => id))
      const next = joined.find(({ state }) => state !== 'delivered')
      const claimed = next ? await this.#claim(transaction, next.id, 'call') : inserted.find(({ isClaimed }) => isClaimed)?.stored
      return { ...enqueued, entries, claimed }
    }
    const result = await this.#database.transaction(work, { keys })
    this.#changes.notify()
    this.#startSending(result.claimed)
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
      { ids, isStrict, ...this.#claimant },
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

  async claim(id: number, by: Claimant): Promise<Entry | undefined> {
    const claimed = await this.#claim(this.#database, id, by)
    return this.#startSending(claimed)
  }

  async #claim(statements: Pick<Transaction, 'rows'>, id: number, by: Claimant): Promise<Entry | undefined> {
    const isWanted = `id = :id and next_attempt_at <= now() and not is_blocked and ${isUnclaimed}`
    return this.#take(statements, { isWanted, values: { id }, by })
  }

  async claimNext(destination: Destination): Promise<Entry | undefined> {
    const isWanted = `id = (select id from schema.entries where ${isOurs} and state = 'open' and not is_blocked and sender is null
      and next_attempt_at <= now() order by next_attempt_at, id limit 1 for update skip locked)`
    const claimed = await this.#take(this.#database, { isWanted, values: { ...destination }, by: 'background' })
    return this.#startSending(claimed)
  }

  /** Claims an entry unless its destination is on hold. The first one after a hold keeps the others waiting until it was accepted. */
  async #take(
    statements: Pick<Transaction, 'rows'>,
    { isWanted, values, by }: { readonly isWanted: string; readonly values: SqlValues; readonly by: Claimant },
  ): Promise<Entry | undefined> {
    const hold = '(select max(ms) from holds where holds.origin = entries.origin and holds.key_hash = entries.key_hash)'
    // A replica that no longer counts as alive would be overtaken by one that takes over what it sends.
    const [row] = await statements.rows(
      columns,
      `with holds as materialized (select origin, key_hash, ${heldMs} as ms from schema.entries where ${isHeld})
       update schema.entries set sender = :me, claimed_at = now(), in_call = :inCall, attempts = attempts + 1,
         http_status = case when ${hold} is null then http_status else 429 end
       where ${isWanted} and state = 'open' and (:isForced or coalesce(${hold}, 0) = 0) and :me::uuid in ${aliveReplicas}
       returning ${columnNames}`,
      { ...values, ...this.#claimant, inCall: by === 'call', isForced: by === 'operator' },
    )
    return row && toEntry(row, this.#sealer)
  }

  async untilNextDue(destination: Destination): Promise<number | undefined> {
    const [row] = await this.#database.reading.rows(
      { own: nullable(integer), others: nullable(integer), hold: nullable(integer) },
      `select (select ${ownWaitMs} from schema.entries where ${isOurs} and state = 'open' and not is_blocked and sender is null
           order by next_attempt_at limit 1) as own,
         (select min(case when ${isUnclaimed} then ${ownWaitMs} else greatest(${ownWaitMs}, ${lookIntervalMs}) end) from schema.entries
           where ${isOurs} and sender is not null and state = 'open' and not is_blocked and identified
             and not (sender = :me and id = any(:sending::bigint[]))) as others,
         (select max(${heldMs}) from schema.entries where ${isOurs} and ${isHeld}) as hold`,
      { ...destination, ...this.#claimant },
    )
    const due = [row?.own ?? undefined, row?.others ?? undefined].filter((ms) => ms !== undefined)
    return due.length === 0 ? undefined : Math.max(Math.min(...due), row?.hold ?? 0)
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
    const isMine = `id = ${Math.trunc(id)} and sender = '${this.#me}'`
    if (this.#probes.has(id)) await this.#database.run(endHold, { id, me: this.#me })
    // One message. Its last statement sees what began to wait while the first one waited for the row.
    const waiting = await this.#database.script(`
      update schema.entries set state = 'delivered', reason = null, error = null, body = null, http_status = ${Math.trunc(httpStatus)},
        sender = null, is_blocked = false, settled_at = now() where ${isMine};
      ${deliveredScript(Math.trunc(id))}`)
    if (waiting > 0) await this.#database.transaction((transaction) => releaseWaiting(transaction, [id]))
    this.#stopSending(id)
  }

  async recordFailure(...[id, error, decide]: Parameters<OutboxStore['recordFailure']>): Promise<DeliveryDecision | undefined> {
    const decision = await this.#reorder([id], async (transaction) => {
      const select = `select ${columnNames} from schema.entries where id = :id and sender = :me for update`
      const [row] = await transaction.rows(columns, select, { id, me: this.#me })
      if (!row) return undefined
      const decided = decide(toEntry(row, this.#sealer))
      // An interrupted attempt says nothing about the vendor: an entry that stays open keeps the error of the attempt before.
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
      where state = 'open' and ${isUnclaimed} and (delivery_id, part) in (select later.delivery_id, later.part from schema.entries as first
        join schema.entries as later on later.delivery_id = first.delivery_id and later.part > first.part where first.id = :id) returning id`
    const parked = reason === 'cancelled' ? [] : await transaction.rows({ id: integer }, later, { id, ...this.#claimant })
    await releaseWaiting(transaction, [id, ...parked.map((row) => row.id)])
  }

  async recordAnswered(ids: readonly number[]): Promise<void> {
    await this.#database.run('update schema.entries set answered = true, awaited_by = null where id = any(:ids::bigint[])', { ids })
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
      const sql = `update schema.entries set state = 'parked', reason = 'cancelled', settled_at = now()
        where id = any(:ids::bigint[]) and state = 'open' and not answered and ${isUnclaimed} returning id`
      const parked = await transaction.rows({ id: integer }, sql, { ids, ...this.#claimant })
      await releaseWaiting(
        transaction,
        parked.map(({ id }) => id),
      )
    })
    this.#changes.notify()
  }

  async retry(ids: readonly number[]): Promise<void> {
    await this.#reorder(ids, async (transaction) => {
      const isHeldBack = `reason = 'earlier_part_refused' and delivery_id in (select delivery_id from schema.entries where id = any(:ids::bigint[]))`
      const isWanted = `(id = any(:ids::bigint[]) or ${isHeldBack}) and state <> 'delivered' and (${isUnclaimed} or state <> 'open')`
      const closed = `select id from schema.entries where ${isWanted} and state <> 'open' for update`
      const reopened = await transaction.rows({ id: integer }, closed, { ids, ...this.#claimant })
      await transaction.run(
        `update schema.entries set state = 'open', reason = null, http_status = null, error = null, sender = null, settled_at = null, next_attempt_at = now()
         where ${isWanted}`,
        { ids, ...this.#claimant },
      )
      await linkAgain(
        transaction,
        reopened.map(({ id }) => id),
      )
    })
    this.#changes.notify()
  }

  async drop(id: number): Promise<boolean> {
    const isDropped = await this.#reorder([id], async (transaction) => {
      const sql = `update schema.entries set state = 'parked' where id = :id and state <> 'delivered' and ${isUnclaimed} returning id`
      const found = await transaction.rows({ id: integer }, sql, { id, ...this.#claimant })
      if (found.length === 0) return false
      await releaseWaiting(transaction, [id])
      await deleteEntries(transaction, [id])
      return true
    })
    this.#changes.notify()
    return isDropped
  }

  async purge(): Promise<void> {
    if (this.#clock.monotonic() - this.#purgedAt < purgeIntervalMs) return
    this.#purgedAt = this.#clock.monotonic()
    const old = `select id from schema.entries where state = 'delivered' and settled_at < now() - :retentionMs * interval '1 ms'
      limit ${maxPurged} for update skip locked`
    const found = await this.#database.rows({ id: integer }, old, { retentionMs })
    if (found.length > 0)
      await deleteEntries(
        this.#database,
        found.map(({ id }) => id),
      )
    if (found.length === maxPurged) this.#purgedAt = -Infinity
    await this.#parkUnknown()
    await this.#database.run(releaseForgotten)
  }

  /** Parks what a dead worker was sending that must not be sent twice. */
  async #parkUnknown(): Promise<void> {
    const isUnknown = `state = 'open' and not identified and sender is not null and (sender not in ${aliveReplicas} or ${isLost})`
    const found = await this.#database.reading.rows({ id: integer }, `select id from schema.entries where ${isUnknown}`, this.#claimant)
    if (found.length === 0) return
    await this.#reorder(
      found.map(({ id }) => id),
      async (transaction) => {
        const sql = `update schema.entries set state = 'parked', reason = 'unknown_outcome', error = null, http_status = null, sender = null,
        settled_at = now() where ${isUnknown} returning id`
        const parked = await transaction.rows({ id: integer }, sql, this.#claimant)
        await releaseWaiting(
          transaction,
          parked.map(({ id }) => id),
        )
      },
    )
  }

  /** Every look counts as a change: it costs one statement to see what a dead replica has left. */
  changes(): Promise<number> {
    this.#looks += 1
    return Promise.resolve(this.#looks)
  }

  async acquireLease(destination: Destination): Promise<boolean> {
    const acquired = await this.#database.rows(
      { holder: text },
      `insert into schema.leases as mine values (:name, :me::uuid) on conflict (name) do update set holder = excluded.holder
       where mine.holder = :me or mine.holder not in ${aliveReplicas} returning holder::text`,
      { name: JSON.stringify(['drain', destination.origin, destination.keyHash]), me: this.#me },
    )
    if (acquired.length === 0) return false
    const left = `update schema.entries set sender = null where ${isOurs} and sender is not null and state = 'open' and identified and ${isUnclaimed}`
    await this.#database.run(left, { ...destination, ...this.#claimant })
    return true
  }

  async releaseLease(): Promise<void> {
    await this.#database.run('delete from schema.leases where holder = :me', { me: this.#me })
  }

  watch(): ReturnType<OutboxStore['watch']> {
    return Promise.resolve(this.#changes.watch())
  }

  /** Leaves the entries and the lease of this replica to others. The database stays open. */
  async close(): Promise<void> {
    await this.releaseLease().catch(() => undefined)
    await this.#database
      .run('update schema.entries set sender = null where sender = :me and identified', { me: this.#me })
      .catch(() => undefined)
  }

  /** Runs `work` alone among all that change the order of entries about the same people. */
  async #reorder<T>(ids: readonly number[], work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const keys = await personKeys(this.#database.reading, ids)
    return this.#database.transaction(work, { keys })
  }

  #startSending(claimed: Entry | undefined): Entry | undefined {
    if (!claimed) return undefined
    this.#sending.add(claimed.id)
    if (claimed.httpStatus === 429) this.#probes.add(claimed.id)
    return claimed
  }

  #stopSending(id: number): void {
    this.#sending.delete(id)
    this.#probes.delete(id)
    this.#changes.notify()
  }

  get #claimant(): { readonly me: string; readonly sending: readonly number[] } {
    return { me: this.#me, sending: [...this.#sending] }
  }
}
