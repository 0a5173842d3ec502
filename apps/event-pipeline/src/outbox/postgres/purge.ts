import { integer } from '@mcp-toolkits/store'
import { aliveReplicas, type Database, type Transaction } from '@mcp-toolkits/store/postgres'
import type { Claims } from './claims.ts'
import { deleteEntries } from './insertion.ts'
import { releaseWaiting } from './order.ts'
import { isLost } from './rows.ts'

/** How long delivered ids are stored to recognize repeats, in milliseconds. */
const retentionMs = 7 * 24 * 60 * 60 * 1000

/** How many entries are purged at a time, so that no call waits for a purge. */
const maxPurged = 500

/** Deletes some of the entries that were delivered long ago, and says whether there may be more. */
export async function purgeDelivered(database: Database): Promise<{ readonly isFull: boolean }> {
  const sql = `select id from schema.entries where state = 'delivered' and settled_at < now() - :retentionMs * interval '1 ms'
    limit ${maxPurged} for update skip locked`
  const ids = (await database.rows({ id: integer }, sql, { retentionMs })).map(({ id }) => id)
  if (ids.length > 0) await deleteEntries(database, ids)
  return { isFull: ids.length === maxPurged }
}

type Claimant = Claims['claimant']

/** What a dead worker was sending that must not be sent twice. */
const isUnknown = `state = 'open' and not identified and sender is not null and (sender not in ${aliveReplicas} or ${isLost})`

export async function findUnknown({ reading }: Database, claimant: Claimant): Promise<number[]> {
  const rows = await reading.rows({ id: integer }, `select id from schema.entries where ${isUnknown}`, { ...claimant })
  return rows.map(({ id }) => id)
}

export async function parkUnknown(transaction: Transaction, claimant: Claimant): Promise<void> {
  const sql = `update schema.entries set state = 'parked', reason = 'unknown_outcome', error = null, http_status = null, sender = null,
    settled_at = now() where ${isUnknown} returning id`
  const parked = await transaction.rows({ id: integer }, sql, { ...claimant })
  await releaseWaiting(
    transaction,
    parked.map(({ id }) => id),
  )
}
