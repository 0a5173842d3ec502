import type { Clock } from '@mcp-toolkits/core/base'
import type { Backlog } from '@mcp-toolkits/core/upstream'
import {
  type AsyncStore,
  integer,
  type Moment,
  nullable,
  presentMoment,
  runSteps,
  sharedSql,
  type Steps,
  type Store,
  StoreError,
  text,
} from '@mcp-toolkits/sqlite'
import { backlogColumns, tallyEntries, toBacklog } from '../backlog.ts'
import { deleteReplaced } from '../duplicates.ts'
import {
  applyDecision,
  columnNames,
  columns,
  endHold,
  findHold,
  insertEntry,
  isDeliverable,
  isUnclaimed,
  selectByIds,
  selectEntries,
  selectWait,
  toEntry,
  writeError,
} from '../outbox-rows.ts'
import { findIntactDuplicates, parkIfDamaged, purgeEntries } from './damage.ts'
import { adoptEntries, confirm, isAnyAccepted, isConfirmed, parkEntries, readHashKey, readOverview, reopenEntries } from './keys.ts'
import { destinationsIn, dueMs, findDue } from './due-entries.ts'
import {
  type Claimant,
  type DeliveryDecision,
  type Destination,
  destinationOf,
  type EnqueueResult,
  type Entry,
  leaseName,
  OutboxLocked,
  type OutboxStore,
  type ParkReason,
  type Tally,
  throwOutboxLocked,
  type Wait,
  type WaitingDestination,
} from '../outbox-store.ts'
import { liveWorkers, type WorkerRegistration } from '../workers.ts'

/** Time, in milliseconds, for which delivered ids are stored to recognize repeats. */
const retentionMs = 7 * 24 * 60 * 60 * 1000

/** Maximum number of entries purged at a time, so that no call waits for a purge, and the pause after the last purge, in milliseconds. */
const maxPurged = 500
const purgeIntervalMs = 60_000

/** Maximum number of calls stored at once: more calls, at up to 32 KB each, would take too long for one turn of the event loop. */
const maxCallsAtOnce = 32

interface Claim {
  readonly id: number
  readonly by: Claimant
  readonly now: number
}

/** The outbox in a file shared by several processes. */
export class SqliteOutboxStore implements OutboxStore {
  readonly #store: AsyncStore
  readonly #clock: Clock
  readonly #worker: WorkerRegistration
  readonly #opened: { readonly now: number; readonly monotonic: number }
  #purgedAt = -Infinity

  constructor(store: AsyncStore, worker: WorkerRegistration, clock: Clock) {
    this.#store = store
    this.#worker = worker
    this.#clock = clock
    this.#opened = { now: clock.now(), monotonic: clock.monotonic() }
  }

  hashKey(): Promise<string> {
    return this.#write(readHashKey)
  }

  enqueue(...[request, plan]: Parameters<OutboxStore['enqueue']>): Promise<EnqueueResult | undefined> {
    const work = (store: Store, now: number) => this.#enqueueInSteps(store, now, [request, plan])
    // A small submission shares its transaction with others.
    return request.fingerprints.length <= maxCallsAtOnce
      ? this.#write((store, now) => runSteps(work(store, now)))
      : this.#writeInSteps(work, request.signal)
  }

  *#enqueueInSteps(store: Store, now: number, [request, plan]: Parameters<OutboxStore['enqueue']>): Steps<EnqueueResult | undefined> {
    const { destination } = request
    const alive = this.#worker.alive(store, now)
    const present = presentMoment(this.#clock)
    const duplicates = yield* findIntactDuplicates(store, request, { present, worker: this.#worker })
    const planned = plan(duplicates)
    if (!planned) return undefined
    const { joined, created, ...enqueued } = planned
    // Updates would rewrite the bodies, and reading them back would take just as long.
    const inserted: Entry[] = []
    for (const entry of created) inserted.push(yield* insertEntry(store, entry, { destination, present, awaitedBy: this.#worker.id }))
    const ids = inserted.flatMap(({ messageIds }) => messageIds)
    if (inserted.length > 0) deleteReplaced(store, destination, ids)
    yield
    for (const { id } of joined) {
      this.#join(store, id, { strict: request.isStrict ? 1 : 0, present, alive })
      yield
    }
    const entries = [...joined, ...inserted]
    request.onStored(entries.map(({ id }) => id))
    const next = entries.find(({ state }) => state !== 'delivered')
    return { ...enqueued, entries, claimed: next && this.#claim(store, { id: next.id, by: 'call', now }) }
  }

  /** Reopens a refused or parked entry, and adds strict validation if this call requests it. */
  #join(store: Store, id: number, call: { readonly strict: number; readonly present: Moment; readonly alive: string }): void {
    const { strict, present, alive } = call
    const sql = `update entries set awaited_by = :worker, begun_at = :at, begun_uptime = :uptime, begun_boot = :boot where id = :id`
    store.run(sql, { id, worker: this.#worker.id, ...present })
    store.run(
      `update entries set strict = max(strict, :strict), next_attempt_at = case state when 'open' then next_attempt_at else :now end,
         scheduled_at = case state when 'open' then scheduled_at else :now end,
         http_status = case state when 'open' then http_status end, error = case state when 'open' then error end,
         state = 'open', reason = null, sender = null, settled_at = null
       where id = :id and state != 'delivered' and (sender is null or sender not in ${liveWorkers})`,
      { id, strict, now: present.at, alive },
    )
  }

  entries(ids: readonly number[]): Promise<Entry[]> {
    return this.#read((store) => selectByIds(store, ids))
  }

  undelivered(): Promise<Entry[]> {
    return this.#read((store) => selectEntries(store, `state != 'delivered' order by id`))
  }

  overview(...given: Parameters<OutboxStore['overview']>): Promise<Entry[]> {
    return this.#read((store) => readOverview(store, ...given))
  }

  tally(): Promise<readonly Tally[]> {
    return tallyEntries(sharedSql(this.#store)).catch(throwOutboxLocked)
  }

  adopt(from: Destination, to: Destination): Promise<number> {
    return this.#write((store, now) => adoptEntries(store, { from, to, now, alive: this.#worker.alive(store, now) }))
  }

  backlog(): Promise<Backlog[]> {
    const sql = `select state, count(*) as entries, :now - min(created_at) as age_ms from entries where state != 'delivered' group by state`
    return this.#read((store, now) => toBacklog(store.rows(backlogColumns, sql, { now })))
  }

  async claim(id: number, by: Claimant): Promise<Entry | undefined> {
    // Read first: calls waiting for a hold to end would otherwise write on every check.
    const isClaimable = await this.#read((store, now) => this.#claimability(store, { id, by, now }) !== undefined)
    return isClaimable ? this.#write((store, now) => this.#claim(store, { id, by, now })) : undefined
  }

  claimNext(destination: Destination): Promise<Entry | undefined> {
    return this.#write((store, now) => {
      const alive = this.#worker.alive(store, now)
      for (;;) {
        const id = findDue(store, destination, { now, alive })
        if (id === undefined) return undefined
        if (!parkIfDamaged(store, id, now)) return this.#claim(store, { id, by: 'background', now })
      }
    })
  }

  /** Undefined if the entry may not be sent now; `isProbe` is true for the first one after a hold. */
  #claimability(store: Store, { id, by, now }: Claim): { readonly isProbe: boolean } | undefined {
    const alive = this.#worker.alive(store, now)
    const sql = `select origin, key_hash from entries where id = :id and ${isDeliverable}`
    const [found] = store.rows({ origin: text, key_hash: text }, sql, { id, now, alive })
    if (!found) return undefined
    const hold = findHold(store, destinationOf(found), { now, alive })
    return hold && hold.ms > 0 && by !== 'operator' ? undefined : { isProbe: hold !== undefined }
  }

  #claim(store: Store, claim: Claim): Entry | undefined {
    const found = this.#claimability(store, claim)
    if (!found || (claim.by !== 'background' && parkIfDamaged(store, claim.id, claim.now))) return undefined
    // After a hold, sending this entry shows whether the vendor accepts requests again. Its status keeps the other entries waiting.
    const [claimed] = store.rows(
      columns,
      `update entries set sender = :sender, in_call = :inCall, attempts = attempts + 1, http_status = case :isProbe when 1 then 429 else http_status end
       where id = :id returning ${columnNames}`,
      { id: claim.id, sender: this.#worker.id, inCall: claim.by === 'call' ? 1 : 0, isProbe: found.isProbe ? 1 : 0 },
    )
    return claimed && toEntry(claimed)
  }

  untilNextDue(destination: Destination): Promise<number | undefined> {
    return this.#read((store, now) => dueMs(store, destination, this.#worker.view(store, now)))
  }

  waiting(): Promise<readonly WaitingDestination[]> {
    return this.#read((store, now) => {
      const view = this.#worker.view(store, now)
      return destinationsIn(store).flatMap((destination) => {
        const ms = dueMs(store, destination, view)
        return ms === undefined ? [] : [{ destination, ms }]
      })
    })
  }

  waitOf(id: number): Promise<Wait> {
    return this.#read((store, now) => {
      const [entry] = selectByIds(store, [id])
      if (!entry) return { ms: 0, isHeld: false, holdError: undefined }
      const [row] = store.rows({ own: integer, of_parts: nullable(integer), of_persons: nullable(integer) }, selectWait, { id, now })
      const hold = findHold(store, entry.destination, { now, alive: this.#worker.alive(store, now) })
      const ms = Math.max(row?.own ?? 0, row?.of_parts ?? 0, row?.of_persons ?? 0)
      return hold && hold.ms > 0 && hold.ms >= ms
        ? { ms: hold.ms, isHeld: true, holdError: hold.error }
        : { ms, isHeld: false, holdError: undefined }
    })
  }

  recordDelivered(id: number, httpStatus: number): Promise<void> {
    return this.#write((store, now) => {
      endHold(store, id, { sender: this.#worker.id, now })
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
      // An interrupted attempt says nothing about the vendor: if the entry stays open, it keeps the previous attempt's error.
      if (error || decision.state !== 'open') {
        const failure = { error: error ? writeError(error) : null, status: error?.details.httpStatus ?? null }
        store.run(`update entries set error = :error, http_status = :status where id = :id`, { id, ...failure })
      }
      applyDecision(store, id, { decision, now, alive: this.#worker.alive(store, now) })
      return decision
    })
  }

  recordAnswered(ids: readonly number[]): Promise<void> {
    return this.#writeRelaxed((store) => {
      for (const id of ids) store.run(`update entries set answered = 1, awaited_by = null where id = :id`, { id })
    })
  }

  recordAbandoned(...[ids, { isCancelled, hasCaller }]: Parameters<OutboxStore['recordAbandoned']>): Promise<void> {
    return this.#writeRelaxed((store, now) => {
      const alive = this.#worker.alive(store, now)
      for (const id of ids.filter((each) => !hasCaller(each))) {
        store.run(`update entries set awaited_by = null where id = :id and awaited_by = :worker`, { id, worker: this.#worker.id })
        if (!isCancelled) continue
        store.run(
          `update entries set state = 'parked', reason = 'cancelled', settled_at = :now
           where id = :id and state = 'open' and answered = 0 and ${isUnclaimed}`,
          { id, now, alive },
        )
      }
    })
  }

  retry(ids: readonly number[]): Promise<void> {
    const isHeldBack = `delivery_id = (select delivery_id from entries where id = :id) and reason = 'earlier_part_refused'`
    return this.#write((store, now) => {
      const alive = this.#worker.alive(store, now)
      for (const id of ids) {
        store.run(
          `update entries set state = 'open', reason = null, http_status = null, error = null, attempts = 0, sender = null, settled_at = null, next_attempt_at = :now, scheduled_at = :now
           where (id = :id or (${isHeldBack})) and state != 'delivered' and (${isUnclaimed} or state != 'open')`,
          { id, now, alive },
        )
      }
    })
  }

  park(destination: Destination, reason: ParkReason, owner?: string): Promise<number> {
    return this.#write((store, now) => parkEntries(store, { destination, owner, reason, now, alive: this.#worker.alive(store, now) }))
  }

  reopen(destination: Destination, reason: ParkReason): Promise<number> {
    return this.#write((store, now) => reopenEntries(store, { destination, reason, now }))
  }

  hasAccepted(...[entry, ago]: Parameters<OutboxStore['hasAccepted']>): Promise<boolean> {
    return this.#read((store, now) => isAnyAccepted(store, entry, { from: now - ago.fromMs, to: now - ago.toMs }))
  }

  isKeyConfirmed(destination: Destination): Promise<boolean> {
    return this.#read((store, now) => isConfirmed(store, destination, now))
  }

  setKeyConfirmed(...[destination, isRight]: Parameters<OutboxStore['setKeyConfirmed']>): Promise<void> {
    return this.#write((store, now) => {
      confirm(store, destination, isRight ? now : undefined)
    })
  }

  drop(id: number): Promise<boolean> {
    return this.#write((store, now) => {
      // Parked first, so that entries waiting for it continue.
      const sql = `update entries set state = 'parked' where id = :id and state != 'delivered' and ${isUnclaimed} returning id`
      const isFound = store.rows({ id: integer }, sql, { id, alive: this.#worker.alive(store, now) }).length > 0
      if (isFound) store.run(`delete from entries where id = :id`, { id })
      return isFound
    })
  }

  async purge(): Promise<void> {
    const monotonic = this.#clock.monotonic()
    if (monotonic - this.#purgedAt < purgeIntervalMs) return
    this.#purgedAt = monotonic
    const purged = await this.#write((store, now) => {
      const before = Math.min(now, this.#steadyNow) - retentionMs
      return purgeEntries(store, { before, max: maxPurged, now, alive: this.#worker.alive(store, now) })
    })
    if (purged === maxPurged) this.#purgedAt = -Infinity
  }

  changes(): Promise<number> {
    return this.#read((store) => store.rows({ data_version: integer }, 'pragma data_version')[0]?.data_version ?? 0)
  }

  async acquireLease(destination: Destination): Promise<boolean> {
    const name = leaseName(destination)
    // Read first: waiting workers would otherwise compete with the delivering worker for the write lock.
    const isTaken = await this.#read((store, now) => this.#worker.isLeaseTaken(store, { name, alive: this.#worker.alive(store, now) }))
    return isTaken ? false : this.#write((store, now) => this.#worker.acquireLease(store, { name, alive: this.#worker.alive(store, now) }))
  }

  releaseLease(destination: Destination): Promise<void> {
    return this.#write((store) => {
      this.#worker.releaseLease(store, leaseName(destination))
    })
  }

  watch(): ReturnType<OutboxStore['watch']> {
    return this.#store.watch().catch(throwOutboxLocked)
  }

  async close(): Promise<void> {
    await this.#write((store) => {
      this.#worker.release(store)
    }).catch((error: unknown) => {
      // Other workers will notice that this one is dead.
      if (!(error instanceof OutboxLocked || error instanceof StoreError)) throw error
    })
    await this.#store.close()
    this.#worker.close()
  }

  /** The current time; columns store whole milliseconds. */
  get #now(): number {
    return Math.floor(this.#clock.now())
  }

  /** The time, measured by this process's monotonic clock: setting the system clock forward makes nothing look old. */
  get #steadyNow(): number {
    return Math.floor(this.#opened.now + this.#clock.monotonic() - this.#opened.monotonic)
  }

  #read<T>(work: (store: Store, now: number) => T): Promise<T> {
    return this.#store.read((store) => work(store, this.#now)).catch(throwOutboxLocked)
  }

  #write<T>(work: (store: Store, now: number) => T): Promise<T> {
    return this.#store.write((store) => work(store, this.#now)).catch(throwOutboxLocked)
  }

  /** Runs a write that survives the process's death but not the machine's, and does not wait for the disk. */
  #writeRelaxed<T>(work: (store: Store, now: number) => T): Promise<T> {
    return this.#store.write((store) => work(store, this.#now), { isDurable: false }).catch(throwOutboxLocked)
  }

  #writeInSteps<T>(work: (store: Store, now: number) => Steps<T>, signal: AbortSignal): Promise<T> {
    return this.#store.writeInSteps((store) => work(store, this.#now), signal).catch(throwOutboxLocked)
  }
}
