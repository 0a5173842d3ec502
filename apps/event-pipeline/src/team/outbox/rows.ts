import { randomBytes } from 'node:crypto'
import { aliveReplicas, type Database, type SqlValues, type Statements } from '@mcp-toolkits/team/postgres'
import { blob, integer, nullable, type RowOf, text } from '@mcp-toolkits/sqlite'
import type { Sealer } from '@mcp-toolkits/team/vault'
import { maxOlder, probeMs, readError, sharedColumns, sharedFields } from '../../outbox/outbox-rows.ts'
import type { Entry } from '../../outbox/outbox-store.ts'

export { isOurs } from '../../outbox/outbox-rows.ts'

export const boolean = (value: unknown): value is boolean => typeof value === 'boolean'

/** The enqueuing replica, and the sealer of its data. */
export interface Enqueuer {
  readonly sealer: Sealer
  /** The replica's id. */
  readonly me: string
}

/** A `messageId`, stored for lookups as JSON, because text in PostgreSQL cannot contain every character. */
export const messageKey = (messageId: string | undefined): string | undefined =>
  messageId === undefined ? undefined : JSON.stringify(messageId)

/** Wait, in milliseconds, before an open entry's next attempt, regardless of other entries. */
export const ownWaitMs = `ceil(greatest(0, extract(epoch from next_attempt_at - now()) * 1000))::bigint`

/**
 * Condition for an entry that this replica unknowingly claimed, because the database's response was lost. Needs `:me` and
 * `:sending`.
 */
export const isLost = `(sender = :me and id <> all(:sending::bigint[]) and claimed_at < now() - interval '1 minute')`

/**
 * Condition for an entry that no live worker is sending. An entry without ids, or a forgotten person's, is not taken over from a dead
 * worker. Needs `:me` and `:sending`.
 */
export const isUnclaimed = `(sender is null or identified and reason is null and (sender not in ${aliveReplicas} or ${isLost}))`

/** Time, in milliseconds, for which an entry on hold keeps its destination's other entries waiting. */
export const heldMs = `greatest(${ownWaitMs}, case when sender in ${aliveReplicas} then ${probeMs} else 0 end)`

/** Condition for entries that got a 429 and so put their destination on hold. */
export const isHeld = `state = 'open' and http_status = 429`

/** Ends a hold: once the vendor has accepted the first entry after it, the other entries need not wait. */
export const endHold = `update schema.entries set http_status = null where (origin, key_hash) = (select origin, key_hash from schema.entries
  where id = :id and sender = :me) and ${isHeld} and next_attempt_at <= now()`

/** An entry's wait, and its destination's hold. Needs `:id`. */
export const selectWait = `select greatest(mine.ms, coalesce((select max(older.ms) from (
           (select ${ownWaitMs} as ms from schema.persons as ours
              cross join lateral (select entry_id from schema.persons where person = ours.person and entry_id < :id order by entry_id limit ${maxOlder}) as theirs
              join schema.entries on entries.id = theirs.entry_id where ours.entry_id = :id and state = 'open')
           union all select ${ownWaitMs} from schema.entries where delivery_id = mine.delivery_id and part < mine.part and state = 'open') as older), 0)) as ms,
         held.ms as hold, held.error, held.delivery_id, held.part
       from (select ${ownWaitMs} as ms, origin, key_hash, delivery_id, part from schema.entries where id = :id) as mine
       left join lateral (select ${heldMs} as ms, error, delivery_id, part from schema.entries
         where origin = mine.origin and key_hash = mine.key_hash and ${isHeld} order by ms desc, error is null limit 1) as held on true`

export const columns = {
  ...sharedColumns,
  delivery_id: text,
  part: integer,
  strict: boolean,
  identified: boolean,
  body: nullable(blob),
  error: nullable(blob),
  created_ms: integer,
  answered: boolean,
}
export const columnNames = Object.keys(columns)
  .map((name) => (name === 'created_ms' ? '(extract(epoch from created_at) * 1000)::bigint as created_ms' : name))
  .join(', ')

/** The columns without the bodies, which are large. */
export const bodilessNames = columnNames.replace(/\bbody\b/, 'null as body')

/** Context that an entry's sealed bytes are bound to. */
export const contextOf = (part: 'body' | 'error', row: { readonly delivery_id: string; readonly part: number }) =>
  `outbox ${part} ${row.delivery_id} ${row.part}`

export function toEntry(row: RowOf<typeof columns>, sealer: Sealer): Entry {
  return {
    ...sharedFields(row),
    isStrict: row.strict,
    isIdentified: row.identified,
    body: row.body ? sealer.open(row.body, contextOf('body', row)) : undefined,
    error: row.error ? readError(sealer.open(row.error, contextOf('error', row))) : undefined,
    createdAt: row.created_ms,
    isAnswered: row.answered,
  }
}

/** The ids in the rows that a statement returns. */
export async function idsOf(statements: Pick<Statements, 'rows'>, sql: string, values: SqlValues): Promise<number[]> {
  return (await statements.rows({ id: integer }, sql, values)).map(({ id }) => id)
}

/** The entries with these ids that still exist, oldest first. */
export async function selectByIds(statements: Pick<Statements, 'rows'>, sealer: Sealer, ids: readonly number[]): Promise<Entry[]> {
  if (ids.length === 0) return []
  const sql = `select ${columnNames} from schema.entries where id = any(:ids::bigint[]) order by id`
  return (await statements.rows(columns, sql, { ids })).map((row) => toEntry(row, sealer))
}

/** Context that the sealed key is bound to. */
export const hashKeyContext = 'outbox hash key'

/** The key that all replicas hash API keys with; the first replica creates it. */
export async function readHashKey(database: Pick<Database, 'run' | 'reading'>, sealer: Sealer): Promise<string> {
  const value = sealer.seal(randomBytes(32).toString('hex'), hashKeyContext)
  await database.run(`insert into schema.secrets values ('hash', :value) on conflict do nothing`, { value })
  const [row] = await database.reading.rows({ value: blob }, `select value from schema.secrets where name = 'hash'`)
  const stored = row?.value ?? value
  const resealed = sealer.reseal(stored, hashKeyContext)
  if (resealed) {
    const sql = `update schema.secrets set value = :resealed where name = 'hash' and value = :stored`
    await database.run(sql, { resealed, stored })
  }
  return sealer.open(stored, hashKeyContext)
}
