import { ageMs, integer, type Moment, nullable, type RowOf, type Steps, type Store, text } from '@mcp-toolkits/sqlite'
import { isOurs, selectByIds, selectInSteps, slicesOf } from './outbox-rows.ts'
import { columnsOf, type Destination, type Duplicates, type EnqueueRequest, type StoredCall } from './outbox-store.ts'
import type { WorkerRegistration } from './workers.ts'

/** Time, in milliseconds, for which an unanswered call can be continued. */
export const repeatWindowMs = 10 * 60 * 1000

export interface DuplicatesContext {
  readonly present: Moment
  /** The requesting worker. */
  readonly worker: WorkerRegistration
}

/** An entry with the same body. In rows from the first version, `uptime` and `boot` are null. */
const equalColumns = {
  id: integer,
  delivery_id: text,
  awaited_by: nullable(text),
  at: integer,
  uptime: nullable(integer),
  boot: nullable(text),
}

type EqualRow = RowOf<typeof equalColumns>

/** Condition for an entry that will never be sent as is. */
const isReplaceable = `(state = 'refused' or reason is 'damaged')`

/** Finds a submission's entries that are already in the outbox. */
export function* findDuplicates(store: Store, request: EnqueueRequest, context: DuplicatesContext): Steps<Duplicates> {
  const destination = columnsOf(request.destination)
  // Unless told which index to use, SQLite picks the one for all entries with the same body, which can be many thousands a week.
  const select = (condition: string, index = 'given') => {
    const sql = `select id, delivery_id, awaited_by, coalesce(begun_at, created_at) as at, begun_uptime as uptime, begun_boot as boot
      from entries indexed by ${index} where given_hash = :bodyHash and ${isOurs} and reason is not 'damaged' ${condition}`
    const rows = store.rows(equalColumns, sql, { ...destination, bodyHash: request.bodyHash })
    return request.isKeyed ? rows : rows.filter((row) => ageMs(row, context.present) < repeatWindowMs)
  }
  // Validation is one of the call's arguments, so calls with and without it are not identical.
  const rows = request.isKeyed
    ? select('order by id')
    : select(`and answered = 0 and strict = ${request.isStrict ? 1 : 0} order by id`, 'unanswered')
  const deliveries = [...Map.groupBy(rows, (row) => row.delivery_id).values()]
  const continued =
    deliveries.find((parts) => request.isKeyed || !parts.some((row) => request.hasCaller(row.id) || isAwaitedElsewhere(row, context))) ?? []
  const [latest] = select('order by id desc limit 1')
  return {
    storedCalls: yield* findStoredCalls(store, request),
    continued: yield* selectInSteps(
      store,
      continued.map(({ id }) => id),
    ),
    latest: latest && selectByIds(store, [latest.id])[0],
    awaited: request.isKeyed ? [] : rows.filter((row) => isAwaitedElsewhere(row, context)).map(({ id }) => id),
  }
}

function isAwaitedElsewhere({ awaited_by: by }: EqualRow, { worker }: DuplicatesContext): boolean {
  return by !== null && by !== worker.id && worker.isAlive(by)
}

/** The latest entry containing each call. Refused and damaged entries do not count: their calls may be sent again under the same id. */
function* findStoredCalls(store: Store, { destination, fingerprints }: EnqueueRequest): Steps<(StoredCall | undefined)[]> {
  const ids = fingerprints.flatMap(({ messageId }) => messageId ?? [])
  if (ids.length === 0) return fingerprints.map(() => undefined)
  const latest = new Map<string, { readonly entry_id: number; readonly given_hash: string; readonly sent_hash: string }>()
  for (const slice of slicesOf(ids)) {
    const rows = store.rows(
      { entry_id: integer, message_id: text, given_hash: text, sent_hash: text },
      `select entry_id, message_id, messages.given_hash as given_hash, sent_hash from messages join entries on entries.id = entry_id
       where message_id in (select value from json_each(:ids)) and ${isOurs} and not ${isReplaceable} order by entry_id`,
      { ...columnsOf(destination), ids: JSON.stringify(slice) },
    )
    for (const row of rows) latest.set(row.message_id, row)
    yield
  }
  const entryIds = new Set([...latest.values()].map((row) => row.entry_id))
  const found = yield* selectInSteps(store, [...entryIds])
  const entries = new Map(found.map((entry) => [entry.id, entry]))
  return fingerprints.map(({ messageId }) => {
    const row = messageId === undefined ? undefined : latest.get(messageId)
    const entry = row && entries.get(row.entry_id)
    return row && entry && { entry, hashes: [row.given_hash, row.sent_hash] }
  })
}

/** Deletes refused and damaged entries whose calls have all been sent again. */
export function deleteReplaced(store: Store, destination: Destination, messageIds: readonly string[]): void {
  store.run(
    `delete from entries where id in (select entry_id from messages where message_id in (select value from json_each(:ids)))
       and ${isReplaceable} and ${isOurs} and message_ids != '[]'
       and not exists (select 1 from json_each(entries.message_ids) where value not in (select value from json_each(:ids)))`,
    { ...columnsOf(destination), ids: JSON.stringify(messageIds) },
  )
}
