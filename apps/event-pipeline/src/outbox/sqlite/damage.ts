import { integer, nullable, type Steps, type Store, text } from '@mcp-toolkits/sqlite'
import { type DuplicatesContext, findDuplicates } from '../duplicates.ts'
import { hashOfBody } from '../outbox-rows.ts'
import { columnsOf, type Duplicates, type EnqueueRequest } from '../outbox-store.ts'
import { liveWorkers, type WorkerView } from '../workers.ts'
import { destinationsIn } from './due-entries.ts'

/** Parks an entry if its body has changed since it was stored; true if it has. Bodies from earlier versions have no hash. */
export function parkIfDamaged(store: Store, id: number, now: number): boolean {
  const sql = `select body, body_hash from entries where id = :id and state != 'delivered'`
  const [row] = store.rows({ body: nullable(text), body_hash: nullable(text) }, sql, { id })
  const stored = row?.body_hash ?? undefined
  if (stored === undefined || stored === hashOfBody(row?.body ?? '')) return false
  store.run(
    `update entries set state = 'parked', reason = 'damaged', http_status = null, error = null, sender = null, settled_at = :now where id = :id`,
    { id, now },
  )
  return true
}

/** A submission's entries in the outbox, except damaged ones, whose content is stored again. */
export function* findIntactDuplicates(store: Store, request: EnqueueRequest, context: DuplicatesContext): Steps<Duplicates> {
  const found = yield* findDuplicates(store, request, context)
  const ids = new Set([...found.continued, ...found.storedCalls.flatMap((call) => call?.entry ?? [])].map(({ id }) => id))
  const damaged = [...ids].filter((id) => parkIfDamaged(store, id, context.present.at))
  return damaged.length === 0 ? found : yield* findDuplicates(store, request, context)
}

/**
 * Rebuilds the indexes if the one for due entries lacks a destination's entries: SQLite assumes that an index is complete, so those entries
 * would wait forever.
 */
function repairIndexes(store: Store): void {
  const found = destinationsIn(store).map(columnsOf)
  const sql = `select distinct origin, key_hash from entries indexed by undelivered where state = 'open' and state != 'delivered'`
  const open = store.rows({ origin: text, key_hash: text }, sql)
  const isFound = (row: (typeof open)[number]) => found.some(({ origin, keyHash }) => origin === row.origin && keyHash === row.key_hash)
  if (open.length !== found.length || !open.every(isFound)) store.script('reindex')
}

interface Purge extends Pick<WorkerView, 'now' | 'alive'> {
  readonly before: number
  readonly max: number
}

/** Deletes delivered entries, parks a dead process's entries that must not be sent again, and returns the number deleted. */
export function purgeEntries(store: Store, { before, max, now, alive }: Purge): number {
  repairIndexes(store)
  const old = `select id from entries where state = 'delivered' and settled_at < :before limit :max`
  const deleted = store.rows({ id: integer }, `delete from entries where id in (${old}) returning id`, { before, max })
  store.run(
    `update entries set state = 'parked', reason = coalesce(reason, 'unknown_outcome'), error = null, http_status = null, sender = null, settled_at = :now
     where state = 'open' and (identified = 0 or reason is not null) and sender is not null and sender not in ${liveWorkers}`,
    { now, alive },
  )
  return deleted.length
}
