import { integer, type Store, text } from '@mcp-toolkits/sqlite'
import { clockSlackMs, findHold, isOurs, isUnclaimed, ownWaitMs } from '../outbox-rows.ts'
import { columnsOf, type Destination, destinationOf } from '../outbox-store.ts'
import { lookIntervalMs, type WorkerView } from '../workers.ts'

/** The destinations with open entries, each found by one index lookup. */
export function destinationsIn(store: Store): Destination[] {
  const found: Destination[] = []
  // Each such destination has an entry that is not blocked.
  const sql = `select origin, key_hash from entries indexed by due where ${isUnblocked} and (origin, key_hash) > (:origin, :keyHash)
    order by origin, key_hash limit 1`
  for (;;) {
    const [row] = store.rows({ origin: text, key_hash: text }, sql, columnsOf(found.at(-1) ?? { origin: '', keyHash: '' }))
    if (!row) return found
    found.push(destinationOf(row))
  }
}

const isUnblocked = `state = 'open' and is_blocked = 0`

/** Entries scheduled before the clock was set back; needs `:now`, like the queries below. An index makes each lookup immediate. */
const overdue = `select id from entries indexed by scheduled where ${isOurs} and ${isUnblocked} and scheduled_at > :now + ${clockSlackMs}
  and ${isUnclaimed} order by scheduled_at limit 1`
const due = `select id from entries indexed by due where ${isOurs} and ${isUnblocked} and next_attempt_at <= :now
  and ${isUnclaimed} order by next_attempt_at, id limit 1`
const next = `select ${ownWaitMs} as ms from entries indexed by due where ${isOurs} and ${isUnblocked} and sender is null
  order by next_attempt_at limit 1`
/** An entry that another worker is sending becomes due if that worker dies. */
const sentByOthers = `select max(${ownWaitMs}, ${lookIntervalMs}) as ms from entries indexed by claimed
  where sender is not null and sender != :me and ${isOurs} and ${isUnblocked} and identified = 1 order by ms limit 1`

/** The id of a destination's oldest due entry; ignores holds. */
export function findDue(store: Store, destination: Destination, { now, alive }: Pick<WorkerView, 'now' | 'alive'>): number | undefined {
  const parameters = { ...columnsOf(destination), now, alive }
  for (const sql of [due, overdue]) {
    const [row] = store.rows({ id: integer }, sql, parameters)
    if (row) return row.id
  }
  return undefined
}

/**
 * Time, in milliseconds, until one of a destination's entries may be due; undefined if the only open entries are those this worker is
 * sending.
 */
export function dueMs(store: Store, destination: Destination, { me, now, alive }: WorkerView): number | undefined {
  const hold = findHold(store, destination, { now, alive })?.ms ?? 0
  if (findDue(store, destination, { now, alive }) !== undefined) return hold
  const columns = columnsOf(destination)
  const waits = [
    ...store.rows({ ms: integer }, next, { ...columns, now }),
    ...store.rows({ ms: integer }, sentByOthers, { ...columns, now, me }),
  ]
  return waits.length === 0 ? undefined : Math.max(hold, Math.min(...waits.map(({ ms }) => ms)))
}
