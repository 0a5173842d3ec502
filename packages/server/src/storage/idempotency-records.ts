import { type BegunRecord, keyLifetimeMs, type KeyState, type OperationRequest, unkeyedLifetimeMs } from '@mcp-toolkits/core/tool'
import { ageMs, integer, type Moment, nullable, type ProcessLock, type RowOf, type Steps, type Store, text } from '@mcp-toolkits/sqlite'
import { type FreeRecord, type RecordEnd, stateOf } from './keyed-records.ts'

/**
 * A record is running while it has a holder, done when it has a result, and abandoned when it has neither. A record that is taken over gets
 * a new id, so that its previous holder can no longer change it. Ids start at a random number, so that an id from a replaced database does
 * not match a record in the new one.
 */
export const migrations = [
  `create table operations (
    id integer primary key autoincrement,
    account text not null,
    tool text not null,
    arguments_hash text not null,
    idempotency_key text,
    identity text not null,
    holder text,
    at integer not null,
    uptime integer not null,
    boot text not null,
    lifetime integer not null,
    result text
  ) strict;
  create unique index operations_by_key on operations (account, tool, idempotency_key) where idempotency_key is not null;
  create index operations_by_arguments on operations (account, tool, arguments_hash) where idempotency_key is null;
  create index operations_by_boot on operations (boot, uptime);
  create index operations_by_holder on operations (holder) where holder is not null;
  create index operations_by_end on operations (uptime + lifetime) where holder is null;
  insert into sqlite_sequence values ('operations', random() & 0xffffffffff)`,
]

const momentColumns = { id: integer, at: integer, uptime: integer, boot: text }
const columns = {
  ...momentColumns,
  arguments_hash: text,
  identity: text,
  holder: nullable(text),
  result: nullable(text),
  lifetime: integer,
}
const selectSame = `select ${Object.keys(columns).join(', ')} from operations where account = :account and tool = :tool`
const isOver = 'uptime + lifetime <= :uptime'

type RecordRow = RowOf<typeof columns>

/** Maximum number of expired records, and of bytes of results, deleted at a time: other processes wait meanwhile. */
const maxExpired = 50
const maxExpiredBytes = 256 * 1024

/** The outcome of one deletion of expired records. */
export interface Expiry {
  readonly deleted: number
  readonly hasMore: boolean
}

/** The operation records, as one process sees and changes them after `carryOver`. */
export class OperationRecords {
  readonly #lock: ProcessLock
  readonly #present: () => Moment
  /** Ids of the records on which this process's calls are working. Any other row with this process's lock is free. */
  readonly #running = new Set<string>()
  /** Operations' ends that may not be on disk yet. */
  readonly #ends = new Map<string, RecordEnd>()

  constructor(lock: ProcessLock, present: () => Moment) {
    this.#lock = lock
    this.#present = present
  }

  /** Finds an earlier call's record to take over, or the reason not to. */
  earlier(tables: Store, { key, isLateKey, ...request }: OperationRequest): KeyState | FreeRecord | undefined {
    const { account, tool, argumentsHash } = request
    if (key === undefined) {
      const sql = `${selectSame} and arguments_hash = :argumentsHash and idempotency_key is null order by id`
      const row = tables
        .rows(columns, sql, { account, tool, argumentsHash })
        .find((found) => !this.#isExpired(found) && !this.#isRunning(found))
      return row && { kind: 'free', id: row.id, identity: row.identity }
    }
    const [row] = tables.rows(columns, `${selectSame} and idempotency_key = :key`, { account, tool, key })
    if (!row) return isLateKey === true ? this.earlier(tables, request) : undefined
    const { id, identity, arguments_hash: hash, result } = row
    const record = { id, identity, argumentsHash: hash, isRunning: this.#isRunning(row), isExpired: this.#isExpired(row) }
    return stateOf({ ...record, readResult: result === null ? undefined : () => result }, argumentsHash)
  }

  /** Takes over a record, within a transaction; undefined if there is none. */
  begin(tables: Store, request: OperationRequest): BegunRecord | KeyState | undefined {
    const earlier = this.earlier(tables, request)
    return earlier?.kind === 'free' ? this.#hold(tables, request, earlier.identity, earlier) : earlier
  }

  /** Takes over a record, or writes a new one, within a transaction. */
  claim(tables: Store, request: OperationRequest, identity: string): BegunRecord | KeyState {
    return this.begin(tables, request) ?? this.#hold(tables, request, identity)
  }

  #hold(tables: Store, request: OperationRequest, identity: string, earlier?: FreeRecord): BegunRecord {
    const { account, tool, argumentsHash, key = null } = request
    if (earlier) tables.run('delete from operations where id = :id', { id: earlier.id })
    // An expired record may not have been deleted yet.
    const sameKey = 'delete from operations where account = :account and tool = :tool and idempotency_key = :key'
    if (key !== null) tables.run(sameKey, { account, tool, key })
    const id = tables.run(
      `insert into operations (account, tool, arguments_hash, idempotency_key, identity, holder, at, uptime, boot, lifetime)
       values (:account, :tool, :argumentsHash, :key, :identity, :holder, :at, :uptime, :boot, :lifetime)`,
      {
        account,
        tool,
        argumentsHash,
        key,
        identity,
        ...this.#present(),
        holder: this.#lock.id,
        lifetime: key === null ? unkeyedLifetimeMs : keyLifetimeMs,
      },
    )
    // Added within the transaction, which may also contain the next `begin`.
    this.#running.add(String(id))
    return { kind: 'begun', id: String(id), identity, isRepeat: earlier !== undefined }
  }

  renew(tables: Store, id: string, identity: string): void {
    const sql = 'update operations set identity = :identity where id = :id and holder = :holder'
    tables.run(sql, { id, identity, holder: this.#lock.id })
  }

  assignKey(tables: Store, id: string, key: string): void {
    const sql = 'update operations set idempotency_key = :key, lifetime = :lifetime where id = :id and holder = :holder'
    tables.run(sql, { id, key, lifetime: keyLifetimeMs, holder: this.#lock.id })
  }

  touch(tables: Store, id: string): void {
    const sql = 'update operations set at = :at, uptime = :uptime, boot = :boot where id = :id and holder = :holder'
    tables.run(sql, { id, holder: this.#lock.id, ...this.#present() })
  }

  /** True if this process holds the record, so it may end or change the record. */
  isOwn(id: string): boolean {
    return this.#running.has(id) || this.#ends.has(id)
  }

  /** Keeps an operation's end until it is on disk. This process no longer treats the record as running. */
  keepEnd(id: string, end: RecordEnd): void {
    this.#running.delete(id)
    this.#ends.set(id, end)
  }

  /** True if `writeEnds` has something to do. */
  get hasEnds(): boolean {
    return this.#ends.size > 0
  }

  /** Forgets ends that are on disk. */
  forgetEnds(ends: Iterable<readonly [id: string, end: RecordEnd]>): void {
    for (const [id, end] of ends) {
      this.#running.delete(id)
      if (this.#ends.get(id) === end) this.#ends.delete(id)
    }
  }

  /** Writes the kept ends, and returns them. */
  writeEnds(tables: Store): readonly (readonly [id: string, end: RecordEnd])[] {
    const ends = [...this.#ends]
    for (const [id, end] of ends) this.end(tables, id, end)
    return ends
  }

  end(tables: Store, id: string, end: RecordEnd): void {
    if (end === 'abandoned') this.#abandon(tables, id)
    else this.#complete(tables, id, end.result)
  }

  #complete(tables: Store, id: string, result: string | undefined): void {
    const own = { id, holder: this.#lock.id }
    const isUnneeded = result === undefined ? 'true' : 'idempotency_key is null'
    tables.run(`delete from operations where id = :id and holder = :holder and ${isUnneeded}`, own)
    if (result === undefined) return
    tables.run('update operations set result = :result, holder = null where id = :id and holder = :holder', { ...own, result })
  }

  #abandon(tables: Store, id: string): void {
    const sql = 'update operations set holder = null, at = :at, uptime = :uptime, boot = :boot where id = :id and holder = :holder'
    tables.run(sql, { id, holder: this.#lock.id, ...this.#present() })
  }

  /** Deletes some expired records, but none held by a living process. */
  expire(tables: Store): Expiry {
    const { uptime } = this.#present()
    const selectHolders = `select distinct holder from operations where ${isOver} and holder is not null`
    for (const { holder } of tables.rows({ holder: text }, selectHolders, { uptime })) {
      if (this.#lock.isAlive(holder)) continue
      tables.run(`update operations set holder = null where ${isOver} and holder = :holder`, { holder, uptime })
    }
    const sql = `select id, coalesce(octet_length(result), 0) as bytes from operations where ${isOver} and holder is null limit ${maxExpired}`
    const expired = tables.rows({ id: integer, bytes: integer }, sql, { uptime })
    let [deleted, bytes] = [0, 0]
    for (const row of expired) {
      if (bytes >= maxExpiredBytes) break
      tables.run('delete from operations where id = :id', { id: row.id })
      deleted += 1
      bytes += row.bytes
    }
    return { deleted, hasMore: deleted < expired.length || deleted === maxExpired }
  }

  #isRunning({ id, holder }: RecordRow): boolean {
    if (holder === this.#lock.id) return this.#running.has(String(id))
    return holder !== null && this.#lock.isAlive(holder)
  }

  #isExpired(row: RecordRow): boolean {
    return row.uptime + row.lifetime <= this.#present().uptime
  }
}

/** Makes records from earlier boots of the machine comparable with those of this boot: they keep their age. */
export function* carryOver(tables: Store, present: Moment): Steps<void> {
  for (const { id, ...written } of tables.rows(
    momentColumns,
    `select id, at, uptime, boot from operations where ${isForeign}`,
    foreign(present),
  )) {
    const age = ageMs(written, present)
    const sql = 'update operations set at = :at, uptime = :uptime, boot = :boot where id = :id'
    tables.run(sql, { id, at: present.at - age, uptime: present.uptime - age, boot: present.boot })
    yield
  }
}

/** True if `carryOver` has something to do. */
export function hasForeignBoot(tables: Store, present: Moment): boolean {
  return tables.rows({ id: integer }, `select id from operations where ${isForeign} limit 1`, foreign(present)).length > 0
}

/** If boots have no names, any record may be from an earlier boot. */
const isForeign = `boot < :boot or boot > :boot or boot = '' or boot = :boot and uptime > :uptime`

const foreign = ({ boot, uptime }: Moment) => ({ boot, uptime })
