import { integer, nullable, text } from '@mcp-toolkits/sqlite'
import type { Database } from '@mcp-toolkits/team/postgres'
import { columnsOf, type Destination, destinationOf, type WaitingDestination } from '../../outbox/outbox-store.ts'
import { lookIntervalMs } from '../../outbox/workers.ts'
import type { Claims } from './claims.ts'
import { heldMs, isHeld, isUnclaimed, ownWaitMs } from './rows.ts'

const isOfWaiting = 'origin = waiting.origin and key_hash = waiting.key_hash'
const isQueued = 'not is_blocked and sender is null'
const isSent = 'sender is not null'

/** The destinations with open entries of one kind, each found immediately in its index, no matter how many entries it has. */
const destinationsWith = (condition: string, name: string) => `
  ${name} as (
    (select origin, key_hash from schema.entries where state = 'open' and ${condition} order by origin, key_hash limit 1)
    union all select next.* from ${name} cross join lateral (select origin, key_hash from schema.entries
      where state = 'open' and ${condition} and (origin, key_hash) > (${name}.origin, ${name}.key_hash) order by origin, key_hash limit 1) as next)`

/** All waiting destinations: a blocked entry waits for something queued or being sent. */
const allWaiting = `with recursive ${destinationsWith(isQueued, 'queued')}, ${destinationsWith(isSent, 'sent')},
  waiting as (select * from queued union select * from sent)`

const oneWaiting = 'with waiting as (select :origin::text as origin, :keyHash::text as key_hash)'

const selectDue = `select origin, key_hash,
    (select ${ownWaitMs} from schema.entries where ${isOfWaiting} and state = 'open' and ${isQueued} order by next_attempt_at limit 1) as own,
    (select min(case when ${isUnclaimed} then ${ownWaitMs} else greatest(${ownWaitMs}, ${lookIntervalMs}) end) from schema.entries
      where ${isOfWaiting} and ${isSent} and state = 'open' and not is_blocked and identified
        and not (sender = :me and id = any(:sending::bigint[]))) as others,
    (select max(${heldMs}) from schema.entries where ${isOfWaiting} and ${isHeld}) as hold
  from waiting`

const columns = { origin: text, key_hash: text, own: nullable(integer), others: nullable(integer), hold: nullable(integer) }

/**
 * Finds destinations with open entries besides those this replica is sending, and the time until an entry may be due; for all
 * destinations, or for one.
 */
export async function findWaiting(
  { reading }: Database,
  claimant: Claims['claimant'],
  destination?: Destination,
): Promise<readonly WaitingDestination[]> {
  const rows = await reading.rows(columns, `${destination ? oneWaiting : allWaiting} ${selectDue}`, {
    ...(destination && columnsOf(destination)),
    ...claimant,
  })
  return rows.flatMap(({ own, others, hold, ...row }) => {
    const due = [own ?? undefined, others ?? undefined].filter((ms) => ms !== undefined)
    return due.length === 0 ? [] : [{ destination: destinationOf(row), ms: Math.max(Math.min(...due), hold ?? 0) }]
  })
}
