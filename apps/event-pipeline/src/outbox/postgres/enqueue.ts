import type { Transaction } from '@mcp-toolkits/store/postgres'
import { aliveReplicas } from '@mcp-toolkits/store/postgres'
import { integer, nullable, type RowOf, text } from '@mcp-toolkits/store'
import type { Sealer } from '@mcp-toolkits/store/sealer'
import type { Destination, Duplicates, EnqueueRequest, Entry, NewEntry } from '../outbox-store.ts'
import { readMessageIds } from '../outbox-rows.ts'
import { repeatWindowMs } from '../duplicates.ts'
import { contextOf, heldMs, isHeld, isOurs, selectByIds } from './rows.ts'

/** Who enqueues. */
export interface Enqueuer {
  readonly sealer: Sealer
  /** The id of the replica. */
  readonly me: string
}

/** What the outbox has of a submission, and whether its destination is on hold. */
export interface Facts {
  readonly duplicates: Duplicates
  /** Whether some of its calls were refused before under the same ids. */
  readonly hasRefused: boolean
  /** How long the destination is on hold, in milliseconds; undefined when it is not. */
  readonly holdMs: number | undefined
}

const factColumns = {
  found: text,
  id: nullable(integer),
  /** Of a message, the state of its entry. */
  group: nullable(text),
  is_awaited: nullable((value: unknown): value is boolean => typeof value === 'boolean'),
  message_id: nullable(text),
  given_hash: nullable(text),
  sent_hash: nullable(text),
  ms: nullable(integer),
}
type FactRow = RowOf<typeof factColumns>

const none = (...types: readonly string[]) => types.map((type) => `null::${type}`).join(', ')

/** Everything that a plan depends on, with one statement. */
const selectFacts = `
  select 'same'::text as found, id, delivery_id as "group", awaited_by <> :me::uuid and awaited_by in ${aliveReplicas} as is_awaited,
      null::text as message_id, null::text as given_hash, null::text as sent_hash, null::bigint as ms
    from schema.entries where body_hash = :bodyHash and ${isOurs}
      and (:isKeyed::boolean or not answered and strict = :isStrict::boolean and begun_at > now() - ${repeatWindowMs} * interval '1 ms')
  union all (select 'latest', id, ${none('text', 'boolean', 'text', 'text', 'text', 'bigint')}
    from schema.entries where body_hash = :bodyHash and ${isOurs} order by id desc limit 1)
  union all select 'message', entry_id, state, null::boolean, message_id, given_hash, sent_hash, null::bigint
    from schema.messages join schema.entries on id = entry_id
    where message_id = any(:messageIds::text[]) and ${isOurs}
  union all select 'hold', ${none('bigint', 'text', 'boolean', 'text', 'text', 'text')}, max(${heldMs})
    from schema.entries where ${isOurs} and ${isHeld}
  order by id nulls last`

/** Reads what decides about a submission. */
export async function findFacts(transaction: Transaction, request: EnqueueRequest, { sealer, me }: Enqueuer): Promise<Facts> {
  const { destination, fingerprints, bodyHash, isKeyed, isStrict, hasCaller } = request
  const messageIds = fingerprints.flatMap(({ messageId }) => messageId ?? [])
  const values = { ...destination, me, bodyHash, isKeyed, isStrict, messageIds }
  const rows = await transaction.rows(factColumns, selectFacts, values)
  const deliveries = [
    ...Map.groupBy(
      rows.filter(({ found }) => found === 'same'),
      (row) => row.group,
    ).values(),
  ]
  const isAwaited = ({ id, is_awaited: isAwaitedElsewhere }: FactRow) => isAwaitedElsewhere === true || (id !== null && hasCaller(id))
  const continued = deliveries.find((parts) => isKeyed || !parts.some(isAwaited)) ?? []
  const latest = rows.find(({ found }) => found === 'latest')
  const ofMessages = rows.filter(({ found }) => found === 'message')
  // One that was refused does not count: its calls may be corrected under the same id.
  const messages = new Map(ofMessages.filter(({ group }) => group !== 'refused').map((row) => [row.message_id, row]))
  const ids = [...continued, ...(latest ? [latest] : []), ...messages.values()].flatMap(({ id }) => id ?? [])
  const entries = new Map((await selectByIds(transaction, sealer, [...new Set(ids)])).map((entry) => [entry.id, entry]))
  const entryOf = (row: FactRow | undefined) => (typeof row?.id === 'number' ? entries.get(row.id) : undefined)
  return {
    hasRefused: ofMessages.some(({ group }) => group === 'refused'),
    holdMs: rows.find(({ found }) => found === 'hold')?.ms ?? undefined,
    duplicates: {
      storedCalls: fingerprints.map(({ messageId }) => {
        const row = messageId === undefined ? undefined : messages.get(messageId)
        const entry = entryOf(row)
        return row && entry && { entry, hashes: [row.given_hash ?? '', row.sent_hash ?? ''] }
      }),
      continued: continued.flatMap((row) => entryOf(row) ?? []),
      latest: entryOf(latest),
    },
  }
}

/** What is known when an entry is inserted. */
export interface Insertion extends Enqueuer {
  readonly destination: Destination
  /** The entry of the part before it. */
  readonly earlierPart: number | undefined
  /** Whether it is claimed unless it has to wait for another one, and whether it then is the first one after a hold. */
  readonly claims: boolean
  readonly isProbe: boolean
}

/** Locks the entries that it waits for, so that they cannot be settled before it is seen to wait. */
const insert = `
  with older as materialized (
    select newest.id from unnest(:persons::text[]) as about (person) cross join lateral (
      select entries.id from schema.persons join schema.entries on entries.id = entry_id
      where persons.person = about.person and entries.state = 'open' order by entry_id desc limit 1 for share of entries) as newest
    union select :earlierPart::bigint where :earlierPart::bigint is not null),
  entry as (
    insert into schema.entries (delivery_id, part, origin, key_hash, call, strict, identified, body, body_hash, message_ids, added,
      next_attempt_at, is_blocked, awaited_by, created_at, begun_at, sender, claimed_at, in_call, attempts, http_status)
    select :deliveryId, :part::integer, :origin, :keyHash, :call, :isStrict::boolean, :isIdentified::boolean, :body::bytea, :bodyHash, :messageIds, :added,
      now(), is_blocked, :me::uuid, now(), now(), case when is_claimed then :me::uuid end, case when is_claimed then now() end, is_claimed, case when is_claimed then 1 else 0 end,
      case when is_claimed and (:isProbe::boolean) then 429 end
    from (select count(*) > 0 as is_blocked, count(*) = 0 and :claims::boolean and :me::uuid in ${aliveReplicas} as is_claimed from older) as state
    returning id, created_at, sender is not null as is_claimed),
  of_messages as (insert into schema.messages select entry.id, message_id, given_hash, sent_hash
    from entry, unnest(:ids::text[], :givenHashes::text[], :sentHashes::text[]) as message (message_id, given_hash, sent_hash)),
  of_persons as (insert into schema.persons select person, entry.id from entry, unnest(:persons::text[]) as person),
  of_order as (insert into schema.waits select entry.id, older.id from entry, older)
  select id, (extract(epoch from created_at) * 1000)::bigint as created_ms, is_claimed from entry`

/** Stores an entry with all that belongs to it, with one statement, and says whether it is claimed. */
export async function insertEntry(transaction: Transaction, entry: NewEntry, insertion: Insertion) {
  const { sealer, me, destination, earlierPart = null, claims, isProbe } = insertion
  const { deliveryId, part, call, isStrict, isIdentified, body, bodyHash, messageIds, added, messages } = entry
  const [row] = await transaction.rows(
    { id: integer, created_ms: integer, is_claimed: (value: unknown): value is boolean => typeof value === 'boolean' },
    insert,
    {
      ...{ deliveryId, part, ...destination, call, isStrict, isIdentified, bodyHash, me, earlierPart, claims, isProbe },
      body: sealer.seal(body, contextOf('body', { delivery_id: deliveryId, part })),
      messageIds: JSON.stringify(messageIds),
      added: JSON.stringify(added),
      ids: messages.map(({ messageId }) => messageId),
      givenHashes: messages.map(({ callerHash }) => callerHash),
      sentHashes: messages.map(({ sentHash }) => sentHash),
      persons: personDigests(entry, destination, sealer),
    },
  )
  if (!row) throw new Error('An insert returns its row.')
  const unsettled = { state: 'open', reason: undefined, error: undefined, isAnswered: false } as const
  const attempt = { attempts: row.is_claimed ? 1 : 0, httpStatus: row.is_claimed && isProbe ? 429 : undefined }
  const stored: Entry = {
    ...{ id: row.id, destination, call, isStrict, isIdentified, body, messageIds, added, createdAt: row.created_ms },
    ...unsettled,
    ...attempt,
  }
  return { stored, isClaimed: row.is_claimed }
}

/** The people of an entry, who are never stored by name. Entries of other destinations have other ones. */
export function personDigests({ persons }: Pick<NewEntry, 'persons'>, { origin, keyHash }: Destination, sealer: Sealer): string[] {
  return [...new Set(persons)].map((person) => sealer.digest(JSON.stringify([origin, keyHash, person])))
}

/** Deletes refused entries whose calls have all been sent again. */
export async function deleteReplaced(transaction: Transaction, destination: Destination, messageIds: readonly string[]): Promise<void> {
  const sql = `select distinct id, message_ids from schema.entries join schema.messages on entry_id = id
    where message_id = any(:messageIds::text[]) and state = 'refused' and ${isOurs}`
  const refused = await transaction.rows({ id: integer, message_ids: text }, sql, { ...destination, messageIds })
  const sent = new Set(messageIds)
  const replaced = refused.filter((row) => readMessageIds(row.message_ids).every((id) => sent.has(id))).map(({ id }) => id)
  if (replaced.length > 0) await deleteEntries(transaction, replaced)
}

/** Deletes entries with all that belongs to them. Nothing may wait for them any more. */
export async function deleteEntries(transaction: Pick<Transaction, 'run'>, ids: readonly number[]): Promise<void> {
  await transaction.run(
    `with of_messages as (delete from schema.messages where entry_id = any(:ids::bigint[])),
       of_persons as (delete from schema.persons where entry_id = any(:ids::bigint[])),
       of_order as (delete from schema.waits where entry_id = any(:ids::bigint[]) or for_id = any(:ids::bigint[]))
     delete from schema.entries where id = any(:ids::bigint[])`,
    { ids },
  )
}
