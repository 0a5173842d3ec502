import { randomBytes } from 'node:crypto'
import type { Clock } from '@mcp-toolkits/core/clock'
import { type AsyncStore, integer, nullable, openAsyncStore, type Store, StoreLocked, text } from '@mcp-toolkits/store'
import {
  columnNames,
  columns,
  insertEntry,
  isBlocked,
  isDeliverable,
  isOurs,
  isUnclaimed,
  migrations,
  selectEntries,
  toEntry,
  writeError,
} from './outbox-rows.ts'
import {
  type DeliveryDecision,
  type Destination,
  type Duplicates,
  type EnqueueResult,
  type EnqueueRequest,
  type Entry,
  type StoredCall,
  OutboxLocked,
  type OutboxStore,
} from './outbox-store.ts'
import { aliveWorkers, WorkerRegistration } from './workers.ts'

/** How long delivered ids are stored to recognize repeats, in milliseconds. */
const retentionMs = 7 * 24 * 60 * 60 * 1000

/** How many entries are purged at a time, and how often, in milliseconds, so that no call waits for a purge. */
const maxPurged = 500
const purgeIntervalMs = 60_000

/** Opens the outbox in a file. */
export async function openOutboxStore({ file, clock }: { readonly file: string; readonly clock: Clock }): Promise<OutboxStore> {
  const store = await openAsyncStore({ file, migrations, clock }).catch(throwOutboxLocked)
  const outbox = new SqliteOutboxStore(store, clock)
  await outbox.purge()
  return outbox
}

class SqliteOutboxStore implements OutboxStore {
  readonly #store: AsyncStore
  readonly #clock: Clock
  readonly #worker = new WorkerRegistration()
  #purgedAt = 0

  constructor(store: AsyncStore, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  hashKey(): Promise<string> {
    return this.#write((store) => {
      store.run(`insert or ignore into secrets values ('hash', :value)`, { value: randomBytes(32).toString('hex') })
      return store.rows({ value: text }, `select value from secrets where name = 'hash'`)[0]?.value ?? ''
    })
  }

  enqueue(request: EnqueueRequest, plan: Parameters<OutboxStore['enqueue']>[1]): Promise<EnqueueResult> {
    return this.#write((store, now) => {
      this.#worker.heartbeat(store, now)
      const { joined, created, ...enqueued } = plan(findDuplicates(store, request, now))
      if (created.length > 0)
        deleteReplaced(
          store,
          request.destination,
          created.flatMap(({ messageIds }) => messageIds),
        )
      const owner = { destination: request.destination, now }
      const createdIds = created.map((entry) => insertEntry(store, entry, owner))
      for (const id of [...joined.map((entry) => entry.id), ...createdIds]) this.#join(store, id, { strict: request.isStrict ? 1 : 0, now })
      return { ...enqueued, entries: [...joined, ...selectByIds(store, createdIds)] }
    })
  }

  /** Reopens a refused or parked entry, and adds strict validation if this call requests it. */
  #join(store: Store, id: number, { strict, now }: { readonly strict: number; readonly now: number }): void {
    store.run(`update entries set awaited_by = :sender where id = :id`, { id, sender: this.#worker.id })
    store.run(
      `update entries set strict = max(strict, :strict), next_attempt_at = case state when 'open' then next_attempt_at else :now end,
         http_status = case state when 'open' then http_status end, error = case state when 'open' then error end,
         state = 'open', reason = null, sender = null, settled_at = null
       where id = :id and state != 'delivered' and ${isUnclaimed}`,
      { id, strict, now },
    )
  }

  entries(ids: readonly number[]): Promise<Entry[]> {
    return this.#read((store) => selectByIds(store, ids))
  }

  undelivered(): Promise<Entry[]> {
    return this.#read((store) => selectEntries(store, `state != 'delivered' order by id`))
  }

  async claim(id: number, by: 'call' | 'background'): Promise<Entry | undefined> {
    const isClaimable = await this.#read(
      (store, now) => store.rows({ id: integer }, `select id from entries where id = :id and ${isDeliverable}`, { id, now }).length > 0,
    )
    return isClaimable ? this.#write((store, now) => this.#claim(store, { id, by, now })) : undefined
  }

  claimNext({ origin, keyHash }: Destination): Promise<Entry | undefined> {
    return this.#write((store, now) => {
      const sql = `select id from entries where ${isOurs} and ${isDeliverable} order by id limit 1`
      const [next] = store.rows({ id: integer }, sql, { origin, keyHash, now })
      return next && this.#claim(store, { id: next.id, by: 'background', now })
    })
  }

  #claim(
    store: Store,
    { id, by, now }: { readonly id: number; readonly by: 'call' | 'background'; readonly now: number },
  ): Entry | undefined {
    this.#worker.heartbeat(store, now)
    const [claimed] = store.rows(
      columns,
      `update entries set sender = :sender, in_call = :inCall, attempts = attempts + 1 where id = :id and ${isDeliverable} returning ${columnNames}`,
      { id, sender: this.#worker.id, inCall: by === 'call' ? 1 : 0, now },
    )
    return claimed && toEntry(claimed)
  }

  nextDue({ origin, keyHash }: Destination): Promise<number | undefined> {
    // An entry that another worker is sending becomes due if that worker dies.
    const aliveUntil = `coalesce((select alive_until from senders where senders.id = entries.sender), 0)`
    return this.#read((store, now) => {
      const [row] = store.rows(
        { due: nullable(integer) },
        `select min(case when ${isUnclaimed} then next_attempt_at else max(next_attempt_at, ${aliveUntil} + 1) end) as due
         from entries where state = 'open' and ${isOurs} and (sender is null or sender != :me) and not ${isBlocked}
           and (identified = 1 or sender is null)`,
        { origin, keyHash, now, me: this.#worker.id },
      )
      return row?.due ?? undefined
    })
  }

  notBefore(id: number): Promise<number> {
    return this.#read((store) => {
      const [row] = store.rows(
        { own: integer, older: nullable(integer) },
        `select mine.next_attempt_at as own, (select max(older.next_attempt_at) from entries as older where older.state = 'open' and older.id < mine.id
           and older.origin = mine.origin and older.key_hash = mine.key_hash and (older.delivery_id = mine.delivery_id
             or exists (select 1 from persons as theirs join persons as ours on ours.person = theirs.person
               where theirs.entry_id = older.id and ours.entry_id = mine.id))) as older
         from entries as mine where id = :id`,
        { id },
      )
      return row ? Math.max(row.own, row.older ?? 0) : 0
    })
  }

  recordDelivered(id: number, httpStatus: number): Promise<void> {
    return this.#write((store, now) => {
      store.run(
        `update entries set state = 'delivered', reason = null, error = null, body = null, http_status = :httpStatus, sender = null, settled_at = :now
         where id = :id and sender = :sender`,
        { id, httpStatus, now, sender: this.#worker.id },
      )
      store.run(`delete from persons where entry_id = :id`, { id })
    })
  }

  recordFailure(...[id, error, decide]: Parameters<OutboxStore['recordFailure']>): Promise<DeliveryDecision | undefined> {
    return this.#write((store, now) => {
      const [entry] = selectEntries(store, `id = :id and sender = :sender`, { id, sender: this.#worker.id })
      if (!entry) return undefined
      const decision = decide(entry)
      // An interrupted attempt says nothing about the vendor: an entry that stays open keeps the error of the attempt before.
      if (error || decision.state !== 'open') {
        const failure = { error: error ? writeError(error) : null, status: error?.details.httpStatus ?? null }
        store.run(`update entries set error = :error, http_status = :status where id = :id`, { id, ...failure })
      }
      applyDecision(store, id, decision, now)
      return decision
    })
  }

  recordAnswered(ids: readonly number[]): Promise<void> {
    return this.#write((store) => {
      for (const id of ids) store.run(`update entries set answered = 1, awaited_by = null where id = :id`, { id })
    })
  }

  parkCancelled(ids: readonly number[], isAbandoned: (id: number) => boolean): Promise<void> {
    return this.#write((store, now) => {
      for (const id of ids.filter(isAbandoned)) {
        store.run(`update entries set awaited_by = null where id = :id`, { id })
        store.run(
          `update entries set state = 'parked', reason = 'cancelled', settled_at = :now
           where id = :id and state = 'open' and answered = 0 and ${isUnclaimed}`,
          { id, now },
        )
      }
    })
  }

  retry(ids: readonly number[]): Promise<void> {
    const isHeldBack = `delivery_id = (select delivery_id from entries where id = :id) and reason = 'earlier_part_refused'`
    return this.#write((store, now) => {
      for (const id of ids) {
        store.run(
          `update entries set state = 'open', reason = null, http_status = null, error = null, sender = null, settled_at = null, next_attempt_at = :now
           where (id = :id or (${isHeldBack})) and state != 'delivered' and (${isUnclaimed} or state != 'open')`,
          { id, now },
        )
      }
    })
  }

  drop(id: number): Promise<boolean> {
    return this.#write((store, now) => {
      const sql = `delete from entries where id = :id and state != 'delivered' and ${isUnclaimed} returning id`
      return store.rows({ id: integer }, sql, { id, now }).length > 0
    })
  }

  async purge(): Promise<void> {
    const now = this.#now
    if (now - this.#purgedAt < purgeIntervalMs) return
    this.#purgedAt = now
    await this.#write((store) => {
      const old = `select id from entries where state = 'delivered' and settled_at < :before limit :max`
      store.run(`delete from entries where id in (${old})`, { before: now - retentionMs, max: maxPurged })
      store.run(
        `update entries set state = 'parked', reason = 'unknown_outcome', error = null, http_status = null, sender = null, settled_at = :now
         where state = 'open' and identified = 0 and sender is not null and sender not in ${aliveWorkers}`,
        { now },
      )
    })
  }

  heartbeat(): Promise<void> {
    return this.#write((store, now) => {
      this.#worker.heartbeat(store, now)
    })
  }

  async acquireLease(): Promise<boolean> {
    // A read first: waiting workers would otherwise compete with the one that delivers for the write lock.
    const isTaken = await this.#read((store, now) => this.#worker.isLeaseTaken(store, now))
    return isTaken ? false : this.#write((store, now) => this.#worker.acquireLease(store, now))
  }

  releaseLease(): Promise<void> {
    return this.#write((store) => {
      this.#worker.releaseLease(store)
    })
  }

  watch(): ReturnType<OutboxStore['watch']> {
    return this.#store.watch().catch(throwOutboxLocked)
  }

  async close(): Promise<void> {
    await this.#write((store, now) => {
      this.#worker.remove(store, now)
    })
    await this.#store.close()
  }

  /** The columns hold whole milliseconds. */
  get #now(): number {
    return Math.floor(this.#clock.now())
  }

  #read<T>(work: (store: Store, now: number) => T): Promise<T> {
    return this.#store.read((store) => work(store, this.#now)).catch(throwOutboxLocked)
  }

  #write<T>(work: (store: Store, now: number) => T): Promise<T> {
    return this.#store.write((store) => work(store, this.#now)).catch(throwOutboxLocked)
  }
}

function selectByIds(store: Store, ids: readonly number[]): Entry[] {
  return selectEntries(store, `id in (select value from json_each(:ids)) order by id`, { ids: JSON.stringify(ids) })
}

function findDuplicates(store: Store, { destination, fingerprints, bodyHash, since }: EnqueueRequest, now: number): Duplicates {
  const { origin, keyHash } = destination
  const earlier = selectEntries(
    store,
    `delivery_id = (select delivery_id from entries where given_hash = :bodyHash and ${isOurs} and created_at > :since order by id desc limit 1) order by part`,
    { origin, keyHash, bodyHash, since },
  )
  return {
    storedCalls: fingerprints.map(({ messageId }) =>
      messageId === undefined ? undefined : findCall(store, destination, { messageId, since: now - retentionMs }),
    ),
    equalEntries: earlier,
    isCallWaiting:
      earlier[0] !== undefined &&
      store.rows({ id: integer }, `select id from entries where id = :id and awaited_by in ${aliveWorkers}`, { id: earlier[0].id, now })
        .length > 0,
  }
}

/** The latest entry with a call. One that was refused does not count: its calls may be corrected under the same id. */
function findCall(
  store: Store,
  { origin, keyHash }: Destination,
  { messageId, since }: { readonly messageId: string; readonly since: number },
): StoredCall | undefined {
  const [found] = store.rows(
    { ...columns, given_hash: text, sent_hash: text },
    `select ${columnNames}, messages.given_hash as given_hash, messages.sent_hash as sent_hash
     from messages join (select ${columnNames}, settled_at from entries) as entry on entry.id = messages.entry_id
     where message_id = :messageId and ${isOurs} and state != 'refused' and (state != 'delivered' or settled_at > :since) order by id desc limit 1`,
    { origin, keyHash, messageId, since },
  )
  return found && { entry: toEntry(found), hashes: [found.given_hash, found.sent_hash] }
}

/** Deletes refused entries whose calls have all been sent again. */
function deleteReplaced(store: Store, { origin, keyHash }: Destination, messageIds: readonly string[]): void {
  store.run(
    `delete from entries where state = 'refused' and ${isOurs} and message_ids != '[]'
       and not exists (select 1 from json_each(entries.message_ids) where value not in (select value from json_each(:ids)))`,
    { origin, keyHash, ids: JSON.stringify(messageIds) },
  )
}

function applyDecision(store: Store, id: number, decision: DeliveryDecision, now: number): void {
  if (decision.state === 'open') {
    store.run(`update entries set sender = null, next_attempt_at = :at where id = :id`, { id, at: now + decision.backoffMs })
    return
  }
  const reason = decision.state === 'parked' ? decision.reason : null
  store.run(`update entries set state = :state, reason = :reason, sender = null, settled_at = :now where id = :id`, {
    id,
    state: decision.state,
    reason,
    now,
  })
  if (reason === 'cancelled') return
  store.run(
    `update entries set state = 'parked', reason = 'earlier_part_refused', error = null, http_status = null, settled_at = :now where state = 'open' and ${isUnclaimed}
       and delivery_id = (select delivery_id from entries where id = :id) and part > (select part from entries where id = :id)`,
    { id, now },
  )
}

function throwOutboxLocked(error: unknown): never {
  if (error instanceof StoreLocked)
    throw new OutboxLocked('Another program keeps the outbox locked; nothing was stored or sent. Call again in a moment.')
  throw error
}
