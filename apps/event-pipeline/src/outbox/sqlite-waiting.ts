import { integer, nullable, type Store, text } from '@mcp-toolkits/store'
import { findHold, isBlocked, isDeliverable, isOurs, isUnclaimed, ownWaitMs } from './outbox-rows.ts'
import { columnsOf, type Destination, destinationOf } from './outbox-store.ts'
import { lookIntervalMs, type WorkerView } from './workers.ts'

/** The destinations with open entries, each found at once however many entries it has. */
export function destinationsIn(store: Store): Destination[] {
  const found: Destination[] = []
  const sql = `select origin, key_hash from entries indexed by waiting where state = 'open' and (origin, key_hash) > (:origin, :keyHash)
    order by origin, key_hash limit 1`
  for (;;) {
    const [row] = store.rows({ origin: text, key_hash: text }, sql, columnsOf(found.at(-1) ?? { origin: '', keyHash: '' }))
    if (!row) return found
    found.push(destinationOf(row))
  }
}

/** How long until an entry of a destination may be due, in milliseconds; undefined when none is open except those that this worker sends. */
export function dueMs(store: Store, destination: Destination, { me, now, alive }: WorkerView): number | undefined {
  const hold = findHold(store, destination, { now, alive })?.ms ?? 0
  const columns = columnsOf(destination)
  const anyDue = `select id from entries where ${isOurs} and ${isDeliverable} order by id limit 1`
  // It is found at once in a long queue, of which everything else takes longer to read.
  if (store.rows({ id: integer }, anyDue, { ...columns, now, alive }).length > 0) return hold
  // An entry that another worker is sending becomes due if that worker dies.
  const [row] = store.rows(
    { ms: nullable(integer) },
    `select min(case when ${isUnclaimed} then ${ownWaitMs} else max(${ownWaitMs}, ${lookIntervalMs}) end) as ms
     from entries where state = 'open' and ${isOurs} and (sender is null or sender != :me) and not ${isBlocked}
       and (identified = 1 or sender is null)`,
    { ...columns, now, alive, me },
  )
  const ms = row?.ms ?? undefined
  return ms === undefined ? undefined : Math.max(ms, hold)
}
