import { integer, nullable, text, type ListRange, type RowOf, type Store } from '@mcp-toolkits/emulator'
import { semanticEffect } from './calls.ts'
import { isPresent, valueAt } from './checks.ts'
import type { EventItem, ItemResult } from './items.ts'

/** An event's outcome; the vendor returns 200 even for a `dropped` event. */
export type Outcome = 'accepted' | 'duplicate' | 'dropped' | 'refused'

const isOutcome = (value: unknown): value is Outcome => ['accepted', 'duplicate', 'dropped', 'refused'].some((one) => one === value)

/** Scripts that create the tables, one per version. */
export const migrations = [
  `create table events (
    id integer primary key,
    request_id integer not null, position integer,
    type text not null, message_id text, user_id text, anonymous_id text, group_id text, previous_id text, event text,
    timestamp text, received_at text not null,
    outcome text not null, reason text, notes text not null, semantic text, duplicate_of integer references events,
    context text, body text not null, bytes integer not null
  ) strict;
  create unique index accepted_message on events (message_id) where outcome = 'accepted' and message_id is not null;`,
  `alter table events add column source text default 'default';
  drop index accepted_message;
  create unique index accepted_message on events (source, message_id) where outcome = 'accepted' and message_id is not null;`,
  `alter table events add column call text;
  create index events_user on events (user_id) where user_id is not null;
  create index events_identify on events (user_id) where type = 'identify' and outcome = 'accepted';
  create index events_anonymous on events (anonymous_id) where anonymous_id is not null;
  create index events_previous on events (previous_id) where previous_id is not null;`,
]

const shape = {
  id: integer,
  /** The request that contained it. */
  request_id: integer,
  position: nullable(integer),
  type: text,
  message_id: nullable(text),
  user_id: nullable(text),
  anonymous_id: nullable(text),
  group_id: nullable(text),
  previous_id: nullable(text),
  event: nullable(text),
  timestamp: nullable(text),
  received_at: text,
  /** The tool that sent it; null if unknown. */
  call: nullable(text),
  /** The source's name; null for an invalid key. */
  source: nullable(text),
  outcome: isOutcome,
  reason: nullable(text),
  /** One per line. */
  notes: text,
  /** Effect at the vendor besides recording the event. */
  semantic: nullable(text),
  duplicate_of: nullable(integer),
  /** The context that applies, as JSON: the event's own, or the batch's. */
  context: nullable(text),
  /** The event exactly as written. */
  body: text,
  bytes: integer,
}

const columns = Object.keys(shape).join(', ')

/** A stored event. */
export type PipelinesEvent = RowOf<typeof shape>

/** The events selected by a clause. */
export function selectEvents(store: Store, clause: string, values: Readonly<Record<string, string | number>>): PipelinesEvent[] {
  return store.rows(shape, `select ${columns} from events ${clause}`, values)
}

/** Events after the one with the id `after`, oldest first. */
export const listEvents = (store: Store, { after = 0, limit = -1 }: ListRange = {}): PipelinesEvent[] =>
  selectEvents(store, 'where id > :after order by id limit :limit', { after, limit })

/** The request that contained an event, and its time. */
export interface Arrival {
  readonly source: string | null
  readonly requestId: number
  readonly receivedAt: string
  /** The tool that sent it; null if unknown. */
  readonly call: string | null
}

/** Stores an event; if the source has already accepted its `messageId`, it becomes a duplicate, whatever its content. */
export function storeEvent(store: Store, result: ItemResult, arrival: Arrival): void {
  const messageId = textOf(result.item, 'messageId')
  const first = result.outcome === 'accepted' && messageId !== null ? firstAccepted(store, arrival.source, messageId) : undefined
  insertRows(store, [rowOf(result, arrival, first)])
}

/** Stores a source's first events in a new database, with the same result as `storeEvent` for each. */
export function storeFirstEvents(store: Store, events: readonly (readonly [ItemResult, Arrival])[]): void {
  const accepted = new Map<string, FirstEvent>()
  const rows = events.map(([result, arrival], index) => {
    const messageId = result.outcome === 'accepted' ? textOf(result.item, 'messageId') : null
    const first = accepted.get(messageId ?? '')
    if (messageId !== null && first === undefined) accepted.set(messageId, { id: index + 1, body: result.item.text })
    return rowOf(result, arrival, first)
  })
  insertRows(store, rows)
}

/** Inserts rows with the same columns in the same order. */
function insertRows(store: Store, rows: readonly ReturnType<typeof rowOf>[]): void {
  const names = Object.keys(rows[0] ?? {})
  const sql = `insert into events (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`
  if (rows.length > 0)
    store.runAll(
      sql,
      rows.map((row) => Object.values(row)),
    )
}

function rowOf({ item, outcome, reason }: ItemResult, { source, requestId, receivedAt, call }: Arrival, first: FirstEvent | undefined) {
  const differs = first !== undefined && first.body !== item.text
  const notes = [...item.notes, ...(differs ? ['its body differs from the one that was accepted'] : [])]
  return {
    request_id: requestId,
    position: item.position,
    type: item.type,
    message_id: textOf(item, 'messageId'),
    user_id: textOf(item, 'userId'),
    anonymous_id: textOf(item, 'anonymousId'),
    group_id: textOf(item, 'groupId'),
    previous_id: textOf(item, 'previousId'),
    event: textOf(item, 'event'),
    timestamp: textOf(item, 'timestamp'),
    received_at: receivedAt,
    call,
    source,
    outcome: first === undefined ? outcome : 'duplicate',
    reason: first === undefined ? reason : `messageId was accepted before, as event ${first.id}`,
    notes: notes.join('\n'),
    semantic: item.type === 'track' ? (semanticEffect(item.call) ?? null) : null,
    duplicate_of: first?.id ?? null,
    context: item.context === undefined ? null : JSON.stringify(item.context),
    body: item.text,
    bytes: item.bytes,
  }
}

/** The event that a source accepted with a `messageId`. */
interface FirstEvent {
  readonly id: number
  readonly body: string
}

function firstAccepted(store: Store, source: string | null, messageId: string): FirstEvent | undefined {
  const sql = "select id, body from events where source is :source and message_id = :messageId and outcome = 'accepted'"
  return store.rows({ id: integer, body: text }, sql, { source, messageId })[0]
}

/** A field as text; an empty one counts as absent. */
function textOf({ call }: EventItem, field: string): string | null {
  const value = valueAt(call, field)
  return isPresent(call, field) && (typeof value === 'string' || typeof value === 'number') ? String(value) : null
}
