import { hash } from 'node:crypto'
import { isObject, member, parseJson } from '@mcp-toolkits/core/base'
import { errorFromJson, errorToJson, type ToolError, withDetails } from '@mcp-toolkits/core/errors'
import { integer, type Moment, nullable, type RowOf, type SqlParameters, type Steps, type Store, text } from '@mcp-toolkits/sqlite'
import { type AddedFields, type CallName, callNames } from '../pipelines/calls.ts'
import {
  columnsOf,
  type DeliveryDecision,
  type Destination,
  destinationOf,
  type Entry,
  type EntryState,
  entryStates,
  type NewEntry,
  parkReasons,
} from './outbox-store.ts'
import { liveWorkers } from './workers.ts'

/** Condition for a destination's entries; needs `:origin` and `:keyHash`. */
export const isOurs = `origin = :origin and key_hash = :keyHash`

/**
 * Condition for an entry that no live worker is sending. Two kinds are not taken over from a dead worker: entries without ids, because
 * the vendor may have accepted them, and a forgotten person's entries. Needs `:alive`.
 */
export const isUnclaimed = `(sender is null or (identified = 1 and reason is null and sender not in ${liveWorkers}))`

/** Maximum time, in milliseconds, by which the clock can be set back unnoticed. */
export const clockSlackMs = 1_000

/**
 * Wait, in milliseconds, before an open entry's next attempt, regardless of other entries. If an entry's wait was set later than the
 * current time, the clock has been set back since, so the entry is due. Needs `:now`.
 */
export const ownWaitMs = `case when next_attempt_at <= :now or scheduled_at > :now + ${clockSlackMs} then 0 else next_attempt_at - :now end`

/** Maximum number of older entries about a person that are read to find an entry's wait. */
export const maxOlder = 20

/** An entry's own wait, and its wait for earlier parts and older entries about its people. Needs `:id` and `:now`. */
export const selectWait = `select ${ownWaitMs} as own,
    (select max(${ownWaitMs}) from entries as older where older.delivery_id = mine.delivery_id and older.part < mine.part and older.state = 'open') as of_parts,
    (select max(${ownWaitMs}) from (select older.* from persons as ours
         cross join persons as theirs on theirs.person = ours.person and theirs.entry_id < ours.entry_id
         cross join entries as older on older.id = theirs.entry_id
         where ours.entry_id = mine.id and older.state = 'open' and older.origin = mine.origin and older.key_hash = mine.key_hash
         order by theirs.entry_id limit ${maxOlder})) as of_persons
  from entries as mine where id = :id`

/** Condition for an entry that can be sent now, if its destination is not on hold. Needs `:now` and `:alive`. */
export const isDeliverable = `state = 'open' and is_blocked = 0 and ${ownWaitMs} = 0 and ${isUnclaimed}`

const isCall = (value: unknown): value is CallName => callNames.some((name) => name === value)
export const isState = (value: unknown): value is EntryState => entryStates.some((state) => state === value)

/** Columns that have the same type in every database. */
export const sharedColumns = {
  id: integer,
  origin: text,
  key_hash: text,
  owner: text,
  call: isCall,
  state: isState,
  reason: nullable(text),
  http_status: nullable(integer),
  message_ids: text,
  added: text,
  attempts: integer,
}

export const sharedFields = (row: RowOf<typeof sharedColumns>) => ({
  id: row.id,
  destination: destinationOf(row),
  owner: row.owner,
  call: row.call,
  state: row.state,
  reason: parkReasons.find((reason) => reason === row.reason),
  httpStatus: row.http_status ?? undefined,
  messageIds: readMessageIds(row.message_ids),
  added: readArray(row.added).filter(isAddedFields),
  attempts: row.attempts,
})

export const columns = {
  ...sharedColumns,
  strict: integer,
  identified: integer,
  body: nullable(text),
  error: nullable(text),
  created_at: integer,
  answered: integer,
}
export const columnNames = Object.keys(columns).join(', ')
/** The columns without the bodies, which are large. */
export const bodilessNames = columnNames.replace(/\bbody\b/, 'null as body')

export function toEntry(row: RowOf<typeof columns>): Entry {
  return {
    ...sharedFields(row),
    isStrict: row.strict === 1,
    isIdentified: row.identified === 1,
    body: row.body ?? undefined,
    error: row.error === null ? undefined : readError(row.error),
    createdAt: row.created_at,
    isAnswered: row.answered === 1,
  }
}

/** The entries that match a condition, which may include an order. */
export function selectEntries(store: Store, condition: string, parameters: SqlParameters = {}): Entry[] {
  return store.rows(columns, `select ${columnNames} from entries where ${condition}`, parameters).map(toEntry)
}

export function selectByIds(store: Store, ids: readonly number[]): Entry[] {
  return selectEntries(store, `id in (select value from json_each(:ids)) order by id`, { ids: JSON.stringify(ids) })
}

/** Like `selectEntries`, but in steps, because each entry may be half a megabyte. */
export function* selectInSteps(store: Store, ids: readonly number[]): Steps<Entry[]> {
  const entries: Entry[] = []
  for (const slice of slicesOf(ids, 4)) {
    entries.push(...selectByIds(store, slice))
    yield
  }
  return entries
}

/** A list in slices; a statement takes about two milliseconds per slice of ids. */
export function* slicesOf<Item>(list: readonly Item[], size = 400): Generator<Item[]> {
  for (let start = 0; start < list.length; start += size) yield list.slice(start, start + size)
}

/** A period for which a destination's entries are held back, and the vendor's response that asked for it. */
export interface Hold {
  /** The hold's remaining time, in milliseconds. At 0, one entry may be sent to find out whether the vendor accepts requests again. */
  readonly ms: number
  readonly error: ToolError | undefined
}

/** Interval, in milliseconds, at which to check the outcome of the first entry sent after a hold. */
export const probeMs = 1_000

/** A destination's hold, which lasts until the last of its entries that got a 429 is due again and has been accepted. */
export function findHold(
  store: Store,
  destination: Destination,
  { now, alive }: { readonly now: number; readonly alive: string },
): Hold | undefined {
  const [row] = store.rows(
    { error: nullable(text), wait: integer },
    `select error, max(${ownWaitMs}, case when sender in ${liveWorkers} then ${probeMs} else 0 end) as wait
     from entries indexed by held where ${isOurs} and state = 'open' and http_status = 429 order by wait desc, error is null limit 1`,
    { ...columnsOf(destination), now, alive },
  )
  return row && { ms: row.wait, error: row.error === null ? undefined : readError(row.error) }
}

/** Ends a hold: once the vendor has accepted the first entry after it, the other entries need not wait. */
export function endHold(store: Store, id: number, { sender, now }: { readonly sender: string; readonly now: number }): void {
  const [entry] = selectEntries(store, `id = :id and sender = :sender and http_status = 429`, { id, sender })
  if (!entry) return
  const sql = `update entries indexed by held set http_status = null where ${isOurs} and state = 'open' and http_status = 429 and ${ownWaitMs} = 0`
  store.run(sql, { ...columnsOf(entry.destination), now })
}

/** A new entry's destination and time, and the worker whose call is waiting for it. */
export interface EntryOwner {
  readonly destination: Destination
  readonly present: Moment
  readonly awaitedBy: string
}

/** Hash stored with a body, because SQLite does not detect changed bits in text. */
export const hashOfBody = (body: string): string => hash('sha256', body, 'base64')

export function* insertEntry(store: Store, entry: NewEntry, { destination, present, awaitedBy }: EntryOwner): Steps<Entry> {
  const id = store.run(
    `insert into entries (delivery_id, part, origin, key_hash, owner, call, strict, identified, body, body_hash, given_hash, message_ids, added, state,
       next_attempt_at, scheduled_at, awaited_by, created_at, begun_at, begun_uptime, begun_boot)
     values (:deliveryId, :part, :origin, :keyHash, :owner, :call, :strict, :identified, :body, :bodyHash, :givenHash, :messageIds, :added, 'open', :at, :at,
       :awaitedBy, :at, :at, :uptime, :boot)`,
    {
      ...columnsOf(destination),
      deliveryId: entry.deliveryId,
      part: entry.part,
      owner: entry.owner,
      call: entry.call,
      strict: entry.isStrict ? 1 : 0,
      identified: entry.isIdentified ? 1 : 0,
      body: entry.body,
      bodyHash: hashOfBody(entry.body),
      givenHash: entry.bodyHash,
      messageIds: JSON.stringify(entry.messageIds),
      added: JSON.stringify(entry.added),
      awaitedBy,
      ...present,
    },
  )
  yield
  // Many rows at once, because a batch may contain thousands of calls.
  for (const slice of slicesOf(entry.messages)) {
    store.run(
      `insert into messages select :id, value ->> 'messageId', value ->> 'callerHash', value ->> 'sentHash' from json_each(:messages)`,
      { id, messages: JSON.stringify(slice) },
    )
    yield
  }
  for (const slice of slicesOf([...new Set(entry.persons)])) {
    store.run(`insert into persons select :id, value from json_each(:persons)`, { id, persons: JSON.stringify(slice) })
    yield
  }
  const { owner, call, isStrict, isIdentified, body, messageIds, added } = entry
  const unsent = { state: 'open', reason: undefined, httpStatus: undefined, error: undefined, attempts: 0, isAnswered: false } as const
  return { id, destination, owner, call, isStrict, isIdentified, body, messageIds, added, createdAt: present.at, ...unsent }
}

/** The outcome of an attempt. */
interface Outcome {
  readonly decision: DeliveryDecision
  readonly now: number
  readonly alive: string
}

export function applyDecision(store: Store, id: number, { decision, now, alive }: Outcome): void {
  if (decision.state === 'open') {
    store.run(`update entries set sender = null, next_attempt_at = :at, scheduled_at = :now where id = :id`, {
      id,
      at: now + decision.backoffMs,
      now,
    })
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
    { id, now, alive },
  )
}

export function writeError(error: ToolError): string {
  return JSON.stringify(errorToJson(error))
}

/**
 * Reads a stored error. In rows from the first version, the vendor's messages follow our own sentence after a colon, and `text` is absent.
 */
export function readError(json: string): ToolError | undefined {
  const stored = parseJson(json)
  const error = errorFromJson(stored)
  const messages = error?.details.errors ?? []
  if (!error || messages.length === 0 || member(stored, 'text') !== undefined) return error
  return withDetails(error, error.message.replace(`: ${messages.join('; ')}`, ''), error.details)
}

export function readMessageIds(json: string): string[] {
  return readArray(json).filter((id) => typeof id === 'string')
}

function readArray(json: string): unknown[] {
  const value = parseJson(json)
  return Array.isArray(value) ? value : []
}

function isAddedFields(value: unknown): value is AddedFields {
  return isObject(value) && typeof value['at'] === 'string'
}
