import { aliveReplicas, type Database, type Transaction } from '@mcp-toolkits/team/postgres'
import { releaseWaiting } from './order.ts'
import { endHold, idsOf, isLost, isOurs } from './rows.ts'
import type { Claims } from './claims.ts'
import { deleteEntries } from './insertion.ts'

/** An entry that the vendor accepted. */
export interface AcceptedEntry {
  readonly id: number
  readonly httpStatus: number
  /** True if the entry was sent to find out whether a hold has ended. */
  readonly isProbe: boolean
}

/**
 * Records deliveries, all in one message to the database, and releases the entries waiting for them. Deletes the bodies, but not the ids
 * and hashes.
 */
export async function recordDeliveries(database: Database, accepted: readonly AcceptedEntry[], me: string): Promise<void> {
  for (const { id } of accepted.filter(({ isProbe }) => isProbe)) await database.run(endHold, { id, me })
  const ids = accepted.map(({ id }) => Math.trunc(id)).join(', ')
  const statuses = accepted.map(({ id, httpStatus }) => `(${Math.trunc(id)}, ${Math.trunc(httpStatus)})`).join(', ')
  // Sent as one message, so that the last statement also sees entries that began to wait while earlier statements waited for row locks.
  const waiting = await database.script(`
    select id from schema.entries where id in (${ids}) order by id for update;
    update schema.entries set state = 'delivered', reason = null, error = null, body = null, http_status = accepted.status, sender = null,
      is_blocked = false, settled_at = now()
      from (values ${statuses}) as accepted (accepted_id, status) where id = accepted_id and sender = '${me}';
    delete from schema.persons where entry_id in (select id from schema.entries where id in (${ids}) and state = 'delivered');
    select 1 from schema.waits where for_id in (${ids}) limit 1`)
  if (waiting === 0) return
  await releaseWaiting(
    { script: (sql) => database.script(sql) },
    accepted.map(({ id }) => id),
  )
}

/**
 * Selects one entry, accepted within a time range, for an endpoint and a destination. Needs `:call`, and `:fromMs` and `:toMs` in
 * milliseconds before now.
 */
export const selectAccepted = `select id from schema.entries where state = 'delivered' and ${isOurs} and call = :call
  and settled_at between now() - :fromMs * interval '1 ms' and now() - :toMs * interval '1 ms' limit 1`

/** Time, in milliseconds, for which delivered ids are stored to recognize repeats. */
const retentionMs = 7 * 24 * 60 * 60 * 1000

/** Maximum number of entries purged at a time, so that no call waits for a purge. */
const maxPurged = 500

/** Deletes some entries delivered long ago; true if there may be more. */
export async function purgeDelivered(database: Database): Promise<{ readonly isFull: boolean }> {
  const sql = `select id from schema.entries where state = 'delivered' and settled_at < now() - :retentionMs * interval '1 ms'
    limit ${maxPurged} for update skip locked`
  const ids = await idsOf(database, sql, { retentionMs })
  if (ids.length > 0) await deleteEntries(database, ids)
  return { isFull: ids.length === maxPurged }
}

type Claimant = Claims['claimant']

/** Condition for entries that a dead worker was sending and that must not be sent again. */
const isUnknown = `state = 'open' and (not identified or reason is not null) and sender is not null and (sender not in ${aliveReplicas} or ${isLost})`

export function findUnknown({ reading }: Database, claimant: Claimant): Promise<number[]> {
  return idsOf(reading, `select id from schema.entries where ${isUnknown}`, { ...claimant })
}

export async function parkUnknown(transaction: Transaction, claimant: Claimant): Promise<void> {
  const sql = `update schema.entries set state = 'parked', reason = coalesce(reason, 'unknown_outcome'), error = null, http_status = null, sender = null,
    settled_at = now() where ${isUnknown} returning id`
  await releaseWaiting(transaction, await idsOf(transaction, sql, { ...claimant }))
}
