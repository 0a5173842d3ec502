import { type Transaction, aliveReplicas } from '@mcp-toolkits/team/postgres'
import { integer, nullable, type RowOf, text } from '@mcp-toolkits/sqlite'
import { repeatWindowMs } from '../../outbox/duplicates.ts'
import {
  columnsOf,
  type Destination,
  destinationOf,
  type Duplicates,
  type EnqueueRequest,
  type Entry,
  isSameDestination,
  type StoredCall,
} from '../../outbox/outbox-store.ts'
import { boolean, type Enqueuer, heldMs, isHeld, messageKey, selectByIds } from './rows.ts'

/** A submission's entries in the outbox, and its destination's hold. */
export interface Facts {
  readonly duplicates: Duplicates
  /** True if some of the submission's calls have already been refused under the same ids. */
  readonly hasRefused: boolean
  /** Remaining time of the destination's hold, in milliseconds; undefined if there is none. */
  readonly holdMs: number | undefined
}

const bodyColumns = {
  number: integer,
  found: text,
  id: nullable(integer),
  delivery_id: nullable(text),
  is_awaited: boolean,
  ms: nullable(integer),
}
type BodyRow = RowOf<typeof bodyColumns>

const isOfAsked = 'body_hash = asked.body_hash and origin = asked.origin and key_hash = asked.key_hash'

/**
 * Selects entries by submitted body, and holds. Each submission is looked up separately: a join would do a full scan of any
 * table never analyzed.
 */
const selectBodies = (areKeyed: boolean) => `
  with asked as (select * from unnest(:numbers::integer[], :origins::text[], :keyHashes::text[], :bodyHashes::text[], :areStrict::boolean[])
    as asked (number, origin, key_hash, body_hash, is_strict))
  select number, 'same' as found, same.id, delivery_id, coalesce(awaited_by <> :me::uuid and awaited_by in ${aliveReplicas}, false) as is_awaited, null::bigint as ms
    from asked cross join lateral (select id, delivery_id, awaited_by from schema.entries where ${isOfAsked}
      ${areKeyed ? '' : `and not answered and strict = is_strict and begun_at > now() - ${repeatWindowMs} * interval '1 ms'`} offset 0) as same
  union all select number, 'latest', latest.id, null, false, null
    from asked cross join lateral (select id from schema.entries where ${isOfAsked} order by id desc limit 1) as latest
  union all select number, 'hold', null, null, false, held.ms
    from asked cross join lateral (select max(${heldMs}) as ms from schema.entries
      where origin = asked.origin and key_hash = asked.key_hash and ${isHeld}) as held where held.ms is not null
  order by id nulls last`

const messageColumns = { id: integer, origin: text, key_hash: text, state: text, message_id: text, given_hash: text, sent_hash: text }
type MessageRow = RowOf<typeof messageColumns>

const selectMessages = `select entries.id, origin, key_hash, state, message_id, given_hash, sent_hash
  from unnest(:messageIds::text[]) as asked (wanted) cross join lateral (select * from schema.messages where message_id = wanted offset 0) as messages
  join schema.entries on entries.id = entry_id order by entries.id`

/** Reads the facts needed to plan some submissions, either all with idempotency keys or all without. */
export async function findFacts(transaction: Transaction, requests: readonly EnqueueRequest[], { sealer, me }: Enqueuer): Promise<Facts[]> {
  const bodies = await transaction.rows(bodyColumns, selectBodies(requests[0]?.isKeyed === true), {
    me,
    numbers: requests.map((_, number) => number),
    origins: requests.map(({ destination }) => destination.origin),
    keyHashes: requests.map(({ destination }) => columnsOf(destination).keyHash),
    bodyHashes: requests.map(({ bodyHash }) => bodyHash),
    areStrict: requests.map(({ isStrict }) => `${isStrict}`),
  })
  const messageIds = requests.flatMap(({ fingerprints }) => fingerprints.flatMap(({ messageId }) => messageKey(messageId) ?? []))
  const messages = messageIds.length === 0 ? [] : await transaction.rows(messageColumns, selectMessages, { messageIds })
  const found = requests.map((request, number) => ({
    request,
    ...sortBodies(
      request,
      bodies.filter((row) => row.number === number),
    ),
    messages: messages.filter((row) => isOf(row, request.destination)),
  }))
  const ids = found.flatMap(({ continued, latest, messages: ofRequest }) =>
    [...continued, ...latest, ...ofRequest].flatMap(({ id }) => id ?? []),
  )
  const entries = new Map((await selectByIds(transaction, sealer, [...new Set(ids)])).map((entry) => [entry.id, entry]))
  return found.map(({ request, continued, latest, awaited, holdMs, messages: ofRequest }) => ({
    holdMs,
    hasRefused: ofRequest.some(({ state }) => state === 'refused'),
    duplicates: {
      awaited,
      storedCalls: storedCalls(request, ofRequest, entries),
      continued: continued.flatMap(({ id }) => entries.get(id ?? 0) ?? []),
      latest: entries.get(latest[0]?.id ?? 0),
    },
  }))
}

/** Groups submission rows. */
function sortBodies({ isKeyed, hasCaller }: EnqueueRequest, rows: readonly BodyRow[]) {
  const same = rows.filter(({ found }) => found === 'same')
  const deliveries = [...Map.groupBy(same, (row) => row.delivery_id).values()]
  const isAwaited = (row: BodyRow) => row.is_awaited || hasCaller(row.id ?? 0)
  return {
    continued: deliveries.find((parts) => isKeyed || !parts.some(isAwaited)) ?? [],
    awaited: isKeyed ? [] : same.filter((row) => row.is_awaited).flatMap(({ id }) => id ?? []),
    latest: rows.filter(({ found }) => found === 'latest'),
    holdMs: rows.find(({ found }) => found === 'hold')?.ms ?? undefined,
  }
}

const isOf = (row: MessageRow, destination: Destination) => isSameDestination(destinationOf(row), destination)

function storedCalls(
  { fingerprints }: EnqueueRequest,
  rows: readonly MessageRow[],
  entries: ReadonlyMap<number, Entry>,
): (StoredCall | undefined)[] {
  // A refused entry does not count: its calls may be corrected under the same id.
  const latest = new Map(rows.filter(({ state }) => state !== 'refused').map((row) => [row.message_id, row]))
  return fingerprints.map(({ messageId }) => {
    const row = latest.get(messageKey(messageId) ?? '')
    const entry = row && entries.get(row.id)
    return row && entry && { entry, hashes: [row.given_hash, row.sent_hash] }
  })
}
