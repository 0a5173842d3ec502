import { type Clock, type ExpiringRecords, type RecordKey, systemClock } from '@mcp-toolkits/core/base'
import { plainSealer, type Sealer } from '../vault/sealer.ts'
import { HeldNames } from '@mcp-toolkits/server/storage'
import { recordContext } from '../vault/sealed-rows.ts'
import { blob, text } from '@mcp-toolkits/sqlite'
import type { Database } from './database.ts'
import { aliveReplicas, type Replica } from './replica.ts'

/** A replica's use of a database. */
export interface ReplicaStoreOptions {
  readonly database: Database
  readonly replica: Pick<Replica, 'id'>
  readonly sealer?: Sealer
  readonly clock?: Clock
}

const isSame = 'owner = :owner and kind = :kind and name = :name'

/** Interval, in milliseconds, at which expired rows are deleted, and batch size. */
const cleanIntervalMs = 60_000
const maxExpired = 1_000

/** Deletes expired rows in the background, at most once per interval. After an error, the next call retries. */
export function cleaner(clock: Clock, clean: () => Promise<unknown>): () => void {
  let cleanedAt = -Infinity
  return () => {
    if (clock.monotonic() - cleanedAt < cleanIntervalMs) return
    cleanedAt = clock.monotonic()
    clean().catch(() => undefined)
  }
}

/** Expiring records in PostgreSQL. Their text is sealed. */
export function postgresRecords({ database, replica, sealer = plainSealer, clock = systemClock }: ReplicaStoreOptions): ExpiringRecords {
  /** Names held by this process. Any other record with this replica's id was held by a request whose answer never arrived. */
  const held = new HeldNames()
  const clean = cleaner(clock, async () => {
    const sql = `delete from schema.expiring_records where (owner, kind, name) in
      (select owner, kind, name from schema.expiring_records where expires_at <= now() limit ${maxExpired} for update skip locked)`
    let deleted = maxExpired
    while (deleted === maxExpired) deleted = await database.run(sql)
  })
  const open = (key: RecordKey, rows: readonly { readonly value: Uint8Array }[]) =>
    rows[0] && sealer.open(rows[0].value, recordContext(key))
  return {
    async get(key) {
      const sql = `select value from schema.expiring_records where ${isSame} and expires_at > now()`
      return open(key, await database.reading.rows({ value: blob }, sql, { ...key }))
    },
    async set(key, value, ms) {
      const sql = `insert into schema.expiring_records (owner, kind, name, value, expires_at)
        values (:owner, :kind, :name, :value, now() + :ms * interval '1 ms')
        on conflict (owner, kind, name) do update set value = excluded.value, expires_at = excluded.expires_at`
      await database.run(sql, { ...key, value: sealer.seal(value, recordContext(key)), ms })
      clean()
    },
    async delete(key) {
      held.release(recordContext(key))
      await database.run(`delete from schema.expiring_records where ${isSame}`, { ...key })
    },
    async take(key) {
      const sql = `delete from schema.expiring_records where ${isSame} and expires_at > now() returning value`
      return open(key, await database.rows({ value: blob }, sql, { ...key }))
    },
    async list({ owner, kind }) {
      const sql = `select name, value from schema.expiring_records where owner = :owner and kind = :kind and expires_at > now() order by name`
      const rows = await database.reading.rows({ name: text, value: blob }, sql, { owner, kind })
      return rows.map(({ name, value }) => ({ name, text: sealer.open(value, recordContext({ owner, kind, name })) }))
    },
    hold: (key) =>
      held.hold(recordContext(key), async () => {
        const sql = `update schema.expiring_records set holder = :me where ${isSame} and expires_at > now()
          and (holder is null or holder = :me or holder not in ${aliveReplicas}) returning value`
        return open(key, await database.rows({ value: blob }, sql, { ...key, me: replica.id }))
      }),
    async release(key) {
      if (!held.release(recordContext(key))) return
      await database.run(`update schema.expiring_records set holder = null where ${isSame} and holder = :me`, { ...key, me: replica.id })
    },
  }
}
