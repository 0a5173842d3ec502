import { type Transaction, aliveReplicas } from '@mcp-toolkits/team/postgres'
import { integer, text } from '@mcp-toolkits/sqlite'
import type { Sealer } from '@mcp-toolkits/team/vault'
import { readMessageIds } from '../../outbox/outbox-rows.ts'
import { columnsOf, type Destination, type Entry, type NewEntry } from '../../outbox/outbox-store.ts'
import { boolean, contextOf, type Enqueuer, isOurs, messageKey } from './rows.ts'

/** An entry to insert, with the known facts about it. */
export interface Insertion {
  readonly entry: NewEntry
  readonly destination: Destination
  /** The previous part's entry. */
  readonly earlierPart: number | undefined
  /** True to claim the entry unless it must wait for another. */
  readonly claims: boolean
  readonly isProbe: boolean
}

export interface Inserted {
  readonly stored: Entry
  readonly isClaimed: boolean
}

/**
 * Inserts entries with their dependent rows. The entries that the new ones wait for are locked, in id order, so that none can be settled
 * before the new rows are visible.
 */
const insert = `
  with new as materialized (select * from unnest(:numbers::integer[], :deliveryIds::text[], :parts::integer[], :origins::text[], :keyHashes::text[], :owners::text[],
      :calls::text[], :areStrict::boolean[], :areIdentified::boolean[], :bodies::text[], :bodyHashes::text[], :messageIds::text[], :added::text[],
      :earlierParts::bigint[], :claims::boolean[], :areProbes::boolean[])
    as new (number, delivery_id, part, origin, key_hash, owner, call, strict, identified, body, body_hash, message_ids, added, earlier_part, claims, is_probe)),
  about as materialized (select * from unnest(:personNumbers::integer[], :persons::text[]) as about (number, person)),
  older as materialized (select number, newest.id from about cross join lateral (
      select entries.id from schema.persons join schema.entries on entries.id = entry_id
      where persons.person = about.person and entries.state = 'open' order by entry_id desc limit 1) as newest
    union select number, earlier_part from new where earlier_part <> 0),
  locked as materialized (select id from schema.entries where id = any(array(select id from older)) and state = 'open' order by id for share),
  waiting as materialized (select number, id from older join locked using (id)),
  entry as (
    insert into schema.entries (delivery_id, part, origin, key_hash, owner, call, strict, identified, body, body_hash, message_ids, added,
      next_attempt_at, is_blocked, awaited_by, created_at, begun_at, sender, claimed_at, in_call, attempts, http_status)
    select delivery_id, part, origin, key_hash, owner, call, strict, identified, decode(body, 'base64'), body_hash, message_ids, added,
      now(), is_blocked, :me::uuid, now(), now(), case when is_claimed then :me::uuid end, case when is_claimed then now() end, is_claimed,
      case when is_claimed then 1 else 0 end, case when is_claimed and is_probe then 429 end
    from (select *, claims and not is_blocked and :me::uuid in ${aliveReplicas} as is_claimed
      from (select *, number in (select number from waiting) as is_blocked from new) as placed) as state
    returning id, delivery_id, part, created_at, sender is not null as is_claimed),
  numbered as materialized (select entry.*, number from entry join new using (delivery_id, part)),
  of_messages as (insert into schema.messages select id, message_id, given_hash, sent_hash from numbered
    join unnest(:messageNumbers::integer[], :ids::text[], :givenHashes::text[], :sentHashes::text[]) as message (number, message_id, given_hash, sent_hash) using (number)),
  of_persons as (insert into schema.persons select person, id from numbered join about using (number)),
  of_order as (insert into schema.waits select numbered.id, waiting.id from numbered join waiting using (number))
  select number, id, (extract(epoch from created_at) * 1000)::bigint as created_ms, is_claimed from numbered`

/** Stores entries with one statement, and returns the claimed ones. No two entries may be about the same person. */
export async function insertEntries(
  transaction: Transaction,
  insertions: readonly Insertion[],
  { sealer, me }: Enqueuer,
): Promise<Inserted[]> {
  const entries = insertions.map(({ entry }) => entry)
  const persons = insertions.flatMap(({ entry, destination }, number) =>
    personDigests(entry, destination, sealer).map((person) => ({ number, person })),
  )
  const messages = entries.flatMap((entry, number) => entry.messages.map((message) => ({ number, ...message })))
  const rows = await transaction.rows({ number: integer, id: integer, created_ms: integer, is_claimed: boolean }, insert, {
    me,
    numbers: insertions.map((_, number) => number),
    deliveryIds: entries.map(({ deliveryId }) => deliveryId),
    parts: entries.map(({ part }) => part),
    origins: insertions.map(({ destination }) => destination.origin),
    keyHashes: insertions.map(({ destination }) => columnsOf(destination).keyHash),
    owners: entries.map(({ owner }) => owner),
    calls: entries.map(({ call }) => call),
    areStrict: entries.map(({ isStrict }) => `${isStrict}`),
    areIdentified: entries.map(({ isIdentified }) => `${isIdentified}`),
    bodies: entries.map((entry) =>
      Buffer.from(sealer.seal(entry.body, contextOf('body', { delivery_id: entry.deliveryId, part: entry.part }))).toString('base64'),
    ),
    bodyHashes: entries.map(({ bodyHash }) => bodyHash),
    messageIds: entries.map(({ messageIds }) => JSON.stringify(messageIds)),
    added: entries.map(({ added }) => JSON.stringify(added)),
    earlierParts: insertions.map(({ earlierPart }) => earlierPart ?? 0),
    claims: insertions.map(({ claims }) => `${claims}`),
    areProbes: insertions.map(({ isProbe }) => `${isProbe}`),
    personNumbers: persons.map(({ number }) => number),
    persons: persons.map(({ person }) => person),
    messageNumbers: messages.map(({ number }) => number),
    ids: messages.flatMap(({ messageId }) => messageKey(messageId) ?? []),
    givenHashes: messages.map(({ callerHash }) => callerHash),
    sentHashes: messages.map(({ sentHash }) => sentHash),
  })
  return rows
    .toSorted((a, b) => a.number - b.number)
    .flatMap((row) => {
      const insertion = insertions[row.number]
      return insertion ? [insertedEntry(insertion, row)] : []
    })
}

interface InsertedRow {
  readonly id: number
  readonly created_ms: number
  readonly is_claimed: boolean
}

function insertedEntry({ entry, destination, isProbe }: Insertion, row: InsertedRow): Inserted {
  const { owner, call, isStrict, isIdentified, body, messageIds, added } = entry
  const unsettled = { state: 'open', reason: undefined, error: undefined, isAnswered: false } as const
  const attempt = { attempts: row.is_claimed ? 1 : 0, httpStatus: row.is_claimed && isProbe ? 429 : undefined }
  const stored = { id: row.id, destination, owner, call, isStrict, isIdentified, body, messageIds, added, createdAt: row.created_ms }
  return { stored: { ...stored, ...unsettled, ...attempt }, isClaimed: row.is_claimed }
}

/** Digests of an entry's people, who are never stored by name. They differ between destinations. */
export function personDigests({ persons }: Pick<NewEntry, 'persons'>, destination: Destination, sealer: Sealer): string[] {
  const { origin, keyHash } = columnsOf(destination)
  return [...new Set(persons)].map((person) => sealer.digest(JSON.stringify([origin, keyHash, person])))
}

/** Deletes refused entries whose calls have all been sent again. */
export async function deleteReplaced(transaction: Transaction, destination: Destination, messageIds: readonly string[]): Promise<void> {
  const sql = `select distinct id, message_ids from schema.entries join schema.messages on entry_id = id
    where message_id = any(:messageIds::text[]) and state = 'refused' and ${isOurs}`
  const keys = messageIds.flatMap((id) => messageKey(id) ?? [])
  const refused = await transaction.rows({ id: integer, message_ids: text }, sql, { ...columnsOf(destination), messageIds: keys })
  const sent = new Set(messageIds)
  const replaced = refused.filter((row) => readMessageIds(row.message_ids).every((id) => sent.has(id))).map(({ id }) => id)
  if (replaced.length > 0) await deleteEntries(transaction, replaced)
}

/** Deletes entries with their dependent rows. No entry may still be waiting for them. */
export async function deleteEntries(transaction: Pick<Transaction, 'run'>, ids: readonly number[]): Promise<void> {
  await transaction.run(
    `with of_messages as (delete from schema.messages where entry_id = any(:ids::bigint[])),
       of_persons as (delete from schema.persons where entry_id = any(:ids::bigint[])),
       of_order as (delete from schema.waits where entry_id = any(:ids::bigint[]) or for_id = any(:ids::bigint[]))
     delete from schema.entries where id = any(:ids::bigint[])`,
    { ids },
  )
}
