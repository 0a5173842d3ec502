import { type Clock, systemClock, type Timer } from '@mcp-toolkits/core/base'
import {
  type BegunRecord,
  type IdempotencyStore,
  keyLifetimeMs,
  type KeyState,
  type OperationRequest,
  unkeyedLifetimeMs,
} from '@mcp-toolkits/core/tool'
import { checkResultSize, type FreeRecord, withoutFree, type RecordEnd, stateOf } from '@mcp-toolkits/server/storage'
import { plainSealer, type Sealer } from '../vault/sealer.ts'
import { blob, integer, nullable, type RowOf, text } from '@mcp-toolkits/sqlite'
import type { ReplicaStoreOptions } from './expiring-records.ts'
import type { Database, Statements, Transaction } from './database.ts'
import { aliveReplicas } from './replica.ts'

const columns = {
  id: integer,
  identity: text,
  arguments_hash: text,
  holder: nullable(text),
  is_held: nullable((value: unknown): value is boolean => typeof value === 'boolean'),
  is_expired: (value: unknown): value is boolean => typeof value === 'boolean',
  result: nullable(blob),
}
type RecordRow = RowOf<typeof columns>

const selectSame = `select id, identity, arguments_hash, holder::text, holder in ${aliveReplicas} as is_held,
  expires_at <= now() as is_expired, result from schema.operations where account = :account and tool = :tool`

/** Time, from now, for which a record can be taken over. */
const lifetime = `case when idempotency_key is null then ${unkeyedLifetimeMs} else ${keyLifetimeMs} end * interval '1 ms'`

/** A record taken over gets a new id, so that its previous holder can no longer change it. */
const takeOver = `update schema.operations set id = default, holder = :holder, expires_at = now() + ${lifetime} where id = :id returning id`

const insert = `insert into schema.operations (account, tool, arguments_hash, idempotency_key, identity, holder, expires_at)
  values (:account, :tool, :argumentsHash, :key, :identity, :holder, now() + :lifetimeMs * interval '1 ms')
  on conflict (account, tool, idempotency_key) where idempotency_key is not null do update set id = default, result = null,
    arguments_hash = excluded.arguments_hash, identity = excluded.identity, holder = excluded.holder, expires_at = excluded.expires_at
  returning id`

/** Interval, in milliseconds, at which expired records are deleted, and batch size. */
const cleanIntervalMs = 60_000
const maxExpired = 1_000

/** Interval, in milliseconds, between attempts to write an outcome. */
const rewriteMs = 1_000

/**
 * Operation records in PostgreSQL, for all replicas. A record can be taken over once it is abandoned or its replica no longer counts as
 * alive. Until then, an identical call without a key must wait, because it may be a repeat. Results are sealed.
 */
export function postgresIdempotency(options: ReplicaStoreOptions): IdempotencyStore {
  return new PostgresIdempotency(options)
}

class PostgresIdempotency implements IdempotencyStore {
  readonly #database: Database
  readonly #holder: string
  readonly #sealer: Sealer
  readonly #clock: Clock
  /** Records that this process's calls are working on. Any other record held by this replica is free. */
  readonly #running = new Set<string>()
  /** Outcomes that could not be written yet. */
  readonly #ends = new Map<string, RecordEnd>()
  #rewrite: Timer | undefined
  #cleanedAt = -Infinity

  constructor({ database, replica, sealer = plainSealer, clock = systemClock }: ReplicaStoreOptions) {
    this.#database = database
    this.#holder = replica.id
    this.#sealer = sealer
    this.#clock = clock
  }

  async begin(given: OperationRequest): Promise<BegunRecord | KeyState | undefined> {
    await this.#writeEnds()
    const request = this.#withDigests(given)
    const found = await this.#earlier(this.#database.reading, request)
    return found?.kind === 'free' ? this.#take(request, (transaction) => this.#takeOver(transaction, request)) : found
  }

  async claim(given: OperationRequest, identity: string): Promise<BegunRecord | KeyState> {
    await this.#writeEnds()
    const request = this.#withDigests(given)
    const claimIn = async (transaction: Transaction): Promise<BegunRecord | KeyState> =>
      (await this.#takeOver(transaction, request)) ?? (await this.#hold(transaction, request, { identity })) ?? claimIn(transaction)
    return this.#take(request, claimIn)
  }

  async find(request: OperationRequest & { readonly key: string }): Promise<KeyState | undefined> {
    return withoutFree(await this.#earlier(this.#database.reading, this.#withDigests(request)))
  }

  async renew(id: string, identity: string): Promise<void> {
    await this.#change(id, 'identity = :identity', { identity })
  }

  async assignKey(id: string, key: string): Promise<void> {
    const changes = `idempotency_key = :key, expires_at = now() + ${keyLifetimeMs} * interval '1 ms'`
    await this.#change(id, changes, { key: this.#sealer.digest(key) })
  }

  async touch(id: string): Promise<void> {
    await this.#change(id, `expires_at = now() + ${lifetime}`, {})
  }

  async complete(id: string, result?: string): Promise<void> {
    checkResultSize(result)
    if (this.#running.has(id)) await this.#end(id, { result })
  }

  async abandon(id: string): Promise<void> {
    // From here on, this process considers the record free, even if the write fails.
    if (this.#running.delete(id)) await this.#end(id, 'abandoned')
  }

  async close(): Promise<void> {
    await this.#writeEnds()
  }

  /** Replaces arguments and key with keyed hashes: a plain hash would let others guess the arguments, and a key can contain anything. */
  #withDigests({ argumentsHash, key, ...request }: OperationRequest): OperationRequest {
    const digest = (text: string) => this.#sealer.digest(text)
    return { ...request, argumentsHash: digest(argumentsHash), key: key === undefined ? undefined : digest(key) }
  }

  async #take<Outcome extends BegunRecord | KeyState | undefined>(
    { account, tool, key, argumentsHash }: OperationRequest,
    takeIn: (transaction: Transaction) => Promise<Outcome>,
  ): Promise<Outcome> {
    let outcome: Outcome | undefined
    try {
      const keys = [`operation ${JSON.stringify([account, tool, key ?? argumentsHash])}`]
      const taken = await this.#database.transaction(async (transaction) => (outcome = await takeIn(transaction)), { keys })
      this.#clean()
      return taken
    } catch (error) {
      if (outcome?.kind === 'begun') this.#running.delete(outcome.id)
      throw error
    }
  }

  /** Takes over a free record. Returns the state of one that is not free; undefined if there is none. */
  async #takeOver(transaction: Transaction, request: OperationRequest): Promise<BegunRecord | KeyState | undefined> {
    const earlier = await this.#earlier(transaction, request)
    if (earlier?.kind !== 'free') return earlier
    const id = String(earlier.id)
    const end = this.#ends.get(id)
    // Write the record's outcome first, because it shows whether the operation was done.
    if (end) await this.#end(id, end)
    return (end ? undefined : await this.#hold(transaction, request, earlier)) ?? this.#takeOver(transaction, request)
  }

  /** Writes a record, or takes over the one with `id`; undefined if another call has taken over or removed that record meanwhile. */
  async #hold(
    transaction: Transaction,
    { account, tool, argumentsHash, key }: OperationRequest,
    { id, identity }: Pick<FreeRecord, 'identity'> & Partial<FreeRecord>,
  ): Promise<BegunRecord | undefined> {
    const lifetimeMs = key === undefined ? unkeyedLifetimeMs : keyLifetimeMs
    const values = { account, tool, argumentsHash, key: key ?? null, identity, holder: this.#holder, lifetimeMs, id: id ?? null }
    const [row] = await transaction.rows({ id: integer }, id === undefined ? insert : takeOver, values)
    if (!row) return undefined
    const begun = String(row.id)
    // Added before the commit, so that the next call to see the record knows that this call is working on it.
    this.#running.add(begun)
    return { kind: 'begun', id: begun, identity, isRepeat: id !== undefined }
  }

  async #earlier(statements: Pick<Statements, 'rows'>, request: OperationRequest): Promise<KeyState | FreeRecord | undefined> {
    const { key, isLateKey, ...unkeyed } = request
    const { account, tool, argumentsHash } = request
    if (key === undefined) {
      const sql = `${selectSame} and arguments_hash = :argumentsHash and idempotency_key is null and expires_at > now() order by id`
      const rows = await statements.rows(columns, sql, { account, tool, argumentsHash })
      const free = rows.find((row) => !this.#isRunning(row))
      if (free) return { kind: 'free', id: free.id, identity: free.identity }
      return rows.some(({ holder }) => holder !== this.#holder) ? { kind: 'running' } : undefined
    }
    const [row] = await statements.rows(columns, `${selectSame} and idempotency_key = :key`, { account, tool, key })
    if (!row) return isLateKey === true ? this.#earlier(statements, unkeyed) : undefined
    const { id, identity, arguments_hash: hash, is_expired: isExpired, result: sealed } = row
    const readResult = sealed === null ? undefined : () => this.#sealer.open(sealed, operationContext(id))
    return stateOf({ id, identity, argumentsHash: hash, isRunning: this.#isRunning(row), isExpired, readResult }, argumentsHash)
  }

  #isRunning({ id, holder, is_held: isHeld }: RecordRow): boolean {
    return holder === this.#holder ? this.#running.has(String(id)) : isHeld === true
  }

  async #change(id: string, changes: string, values: { readonly identity?: string; readonly key?: string }): Promise<void> {
    if (!this.#running.has(id)) return
    const sql = `update schema.operations set ${changes} where id = :id and holder = :holder`
    await this.#database.run(sql, { ...values, id: Number(id), holder: this.#holder })
  }

  /** Writes an outcome. If that fails, the outcome is kept and written once the database is back. */
  async #end(id: string, end: RecordEnd): Promise<void> {
    try {
      await this.#writeEnd(id, end)
      this.#ends.delete(id)
      this.#running.delete(id)
    } catch (error) {
      this.#ends.set(id, end)
      this.#running.delete(id)
      this.#rewrite ??= this.#clock.timer(rewriteMs, () => {
        this.#rewrite = undefined
        void this.#writeEnds()
      })
      this.#rewrite.unref()
      throw error
    }
  }

  /** Never rejects: an outcome that cannot be written blocks only repeats of that operation. */
  async #writeEnds(): Promise<void> {
    await Promise.all([...this.#ends].map(([id, end]) => this.#end(id, end).catch(() => undefined)))
  }

  async #writeEnd(id: string, end: RecordEnd): Promise<void> {
    const own = { id: Number(id), holder: this.#holder }
    const isOwn = 'id = :id and holder = :holder'
    if (end === 'abandoned') {
      await this.#database.run(`update schema.operations set holder = null, expires_at = now() + ${lifetime} where ${isOwn}`, own)
      return
    }
    if (end.result === undefined) {
      await this.#database.run(`delete from schema.operations where ${isOwn}`, own)
      return
    }
    const result = this.#sealer.seal(end.result, operationContext(own.id))
    const store = `update schema.operations set result = :result, holder = null where ${isOwn} and idempotency_key is not null`
    if ((await this.#database.run(store, { ...own, result })) === 0)
      await this.#database.run(`delete from schema.operations where ${isOwn}`, own)
  }

  /** Deletes expired records in the background. After an error, the next round retries. */
  #clean(): void {
    if (this.#clock.monotonic() - this.#cleanedAt < cleanIntervalMs) return
    this.#cleanedAt = this.#clock.monotonic()
    const sql = `delete from schema.operations where id in (select id from schema.operations
      where expires_at <= now() and (holder is null or holder not in ${aliveReplicas}) limit ${maxExpired} for update skip locked)`
    this.#database.run(sql).then(
      (deleted) => {
        if (deleted === maxExpired) this.#cleanedAt = -Infinity
      },
      () => undefined,
    )
  }
}

/** Context that a sealed result is bound to. */
export const operationContext = (id: number): string => `operations ${id}`
