import { randomBytes } from 'node:crypto'
import { integer, type Store, text } from '@mcp-toolkits/sqlite'
import { bodilessNames, columns, isOurs, isUnclaimed, toEntry } from '../outbox-rows.ts'
import { columnsOf, type Destination, type Entry, keyConfirmationMs, type OutboxStore, type ParkReason } from '../outbox-store.ts'
import type { WorkerView } from '../workers.ts'

/** The key that API keys are hashed with; the first process creates it. */
export function readHashKey(store: Store): string {
  store.run(`insert or ignore into secrets values ('hash', :value)`, { value: randomBytes(32).toString('hex') })
  return store.rows({ value: text }, `select value from secrets where name = 'hash'`)[0]?.value ?? ''
}

export function isConfirmed(store: Store, destination: Destination, now: number): boolean {
  const sql = `select confirmed_at from confirmed_keys where ${isOurs} and confirmed_at between :now - ${keyConfirmationMs} and :now`
  return store.rows({ confirmed_at: integer }, sql, { ...columnsOf(destination), now }).length > 0
}

/** Stores a confirmation; without a time, revokes it. */
export function confirm(store: Store, destination: Destination, now: number | undefined): void {
  if (now === undefined) store.run(`delete from confirmed_keys where ${isOurs}`, columnsOf(destination))
  else store.run(`insert or replace into confirmed_keys values (:origin, :keyHash, :now)`, { ...columnsOf(destination), now })
}

export function readOverview(store: Store, ...[destination, { owner, limit }]: Parameters<OutboxStore['overview']>): Entry[] {
  const isTheirs = owner === undefined ? '' : `and owner in (:owner, '')`
  const sql = `select ${bodilessNames} from entries where ${isOurs} and state != 'delivered' ${isTheirs} order by id limit :limit`
  return store.rows(columns, sql, { ...columnsOf(destination), limit, ...(owner !== undefined && { owner }) }).map(toEntry)
}

interface Adoption extends Pick<WorkerView, 'now' | 'alive'> {
  readonly from: Destination
  readonly to: Destination
}

/** Moves one destination's entries to another, and returns their number. */
export function adoptEntries(store: Store, { from, to, now, alive }: Adoption): number {
  const [old, next] = [columnsOf(from), columnsOf(to)]
  // Entries are parked while they are moved; when reopened, they take their place in the order.
  store.run(
    `update entries set state = 'parked', reason = 'adopted', sender = null
     where ${isOurs} and (state = 'open' and ${isUnclaimed} or state = 'parked' and reason = 'unauthenticated')`,
    { ...old, alive },
  )
  const moved = store.rows(
    { id: integer },
    `update entries set origin = :newOrigin, key_hash = :newHash where ${isOurs} and state in ('parked', 'refused') returning id`,
    { ...old, newOrigin: next.origin, newHash: next.keyHash },
  )
  store.run(
    `update entries set state = 'open', reason = null, http_status = null, error = null, settled_at = null, next_attempt_at = :now, scheduled_at = :now
     where ${isOurs} and state = 'parked' and reason = 'adopted'`,
    { ...next, now },
  )
  return moved.length
}

interface Reopening extends Pick<WorkerView, 'now'> {
  readonly destination: Destination
  readonly reason: ParkReason
}

interface Parking extends Reopening, Pick<WorkerView, 'alive'> {
  readonly owner: string | undefined
}

/**
 * Parks a destination's entries that are waiting but not being sent, or that were parked because its key had been removed, and returns
 * their number. A forgotten person's entries that are being sent get the reason, so that `unlessForgotten` sees it.
 */
export function parkEntries(store: Store, { destination, owner, reason, now, alive }: Parking): number {
  const isTheirs = owner === undefined ? '' : 'and owner = :owner'
  const sql = `update entries set state = 'parked', reason = :reason, sender = null, settled_at = :now
    where ${isOurs} ${isTheirs} and (state = 'open' and ${isUnclaimed} or state = 'parked' and reason = 'key_ended') returning id`
  const values = { ...columnsOf(destination), ...(owner !== undefined && { owner }), reason }
  const parked = store.rows({ id: integer }, sql, { ...values, now, alive }).length
  const sent = `update entries set reason = :reason where ${isOurs} ${isTheirs} and state = 'open'`
  if (reason === 'person_forgotten') store.run(sent, values)
  return parked
}

export function reopenEntries(store: Store, { destination, reason, now }: Reopening): number {
  const sql = `update entries set state = 'open', reason = null, settled_at = null, next_attempt_at = :now, scheduled_at = :now
    where ${isOurs} and state = 'parked' and reason = :reason returning id`
  return store.rows({ id: integer }, sql, { ...columnsOf(destination), reason, now }).length
}

type Accepted = Pick<Entry, 'call' | 'destination'>

export function isAnyAccepted(
  store: Store,
  { call, destination }: Accepted,
  time: { readonly from: number; readonly to: number },
): boolean {
  const sql = `select id from entries indexed by forgettable where state = 'delivered' and settled_at between :from and :to and ${isOurs} and call = :call limit 1`
  return store.rows({ id: integer }, sql, { ...columnsOf(destination), call, ...time }).length > 0
}
