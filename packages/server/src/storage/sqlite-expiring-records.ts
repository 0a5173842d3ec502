import type { ExpiringRecords, RecordKey } from '@mcp-toolkits/core/base'
import { HeldNames } from './in-process-locks.ts'
import {
  ageMs,
  type AsyncStore,
  integer,
  type Moment,
  nullable,
  type ProcessLock,
  type RowOf,
  type Store,
  text,
} from '@mcp-toolkits/sqlite'

/** The table of expiring records, one script per version. */
export const recordsTable = `create table expiring_records (
  owner text not null,
  kind text not null,
  name text not null,
  value text not null,
  holder text,
  at integer not null,
  uptime integer not null,
  boot text not null,
  lifetime integer not null,
  primary key (owner, kind, name)
) strict, without rowid`

const columns = { name: text, value: text, holder: nullable(text), at: integer, uptime: integer, boot: text, lifetime: integer }
const select = `select ${Object.keys(columns).join(', ')} from expiring_records where owner = :owner and kind = :kind`

/** Interval at which expired records are deleted, in milliseconds: a deletion reads every record. */
const cleanMs = 60_000

export interface SqliteRecordsOptions {
  readonly process: ProcessLock
  readonly present: () => Moment
}

/** Expiring records in a SQLite file. A record that a dead process held is free at once. */
export function sqliteRecords(store: AsyncStore, { process, present }: SqliteRecordsOptions): ExpiringRecords {
  const held = new HeldNames()
  let cleanedAt = -Infinity
  const clean = (tables: Store) => {
    const now = present()
    if (now.uptime - cleanedAt < cleanMs) return
    deleteExpired(tables, now)
    cleanedAt = now.uptime
  }
  const nameOf = ({ owner, kind, name }: RecordKey) => JSON.stringify([owner, kind, name])
  const isValid = (row: RowOf<typeof columns>) => ageMs(row, present()) < row.lifetime
  const find = (tables: Store, { owner, kind, name }: RecordKey) =>
    tables.rows(columns, `${select} and name = :name`, { owner, kind, name }).find(isValid)
  const hold = (key: RecordKey) => (tables: Store) => {
    const row = find(tables, key)
    if (!row || (row.holder !== null && row.holder !== process.id && process.isAlive(row.holder))) return undefined
    const sql = 'update expiring_records set holder = :holder where owner = :owner and kind = :kind and name = :name'
    tables.run(sql, { ...key, holder: process.id })
    return row.value
  }
  const remove = (tables: Store, key: RecordKey) =>
    tables.run('delete from expiring_records where owner = :owner and kind = :kind and name = :name', { ...key })
  return {
    get: (key) => store.read((tables) => find(tables, key)?.value),
    set: (key, value, ms) =>
      store.write((tables) => {
        clean(tables)
        // The holder of an expired record does not hold the record that replaces it.
        if (!find(tables, key)) remove(tables, key)
        tables.run(
          `insert into expiring_records (owner, kind, name, value, at, uptime, boot, lifetime)
           values (:owner, :kind, :name, :value, :at, :uptime, :boot, :lifetime) on conflict do update
           set value = :value, at = :at, uptime = :uptime, boot = :boot, lifetime = :lifetime`,
          { ...key, value, ...present(), lifetime: Math.ceil(ms) },
        )
      }),
    delete: (key) =>
      store.write((tables) => {
        held.release(nameOf(key))
        remove(tables, key)
      }),
    take: (key) =>
      store.write((tables) => {
        const row = find(tables, key)
        if (row) remove(tables, key)
        return row?.value
      }),
    list: ({ owner, kind }) =>
      store.read((tables) =>
        tables
          .rows(columns, `${select} order by name`, { owner, kind })
          .filter(isValid)
          .map(({ name, value }) => ({ name, text: value })),
      ),
    hold: (key) => held.hold(nameOf(key), () => store.write(hold(key), { isDurable: false })),
    async release(key) {
      if (!held.release(nameOf(key))) return
      const sql = `update expiring_records set holder = null where owner = :owner and kind = :kind and name = :name and holder = :holder`
      await store.write((tables) => tables.run(sql, { ...key, holder: process.id }), { isDurable: false })
    },
  }
}

/** Deletes expired records. Those from a different boot of the machine expire only by date. */
function deleteExpired(tables: Store, { at, uptime, boot }: Moment): void {
  const sql = `delete from expiring_records where case boot = :boot and uptime <= :uptime when true then uptime + lifetime <= :uptime
    else at + lifetime <= :at end`
  tables.run(sql, { at, uptime, boot })
}
