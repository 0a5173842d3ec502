import { gunzipSync, gzipSync } from 'node:zlib'
import { blob, integer, nullable, type RowOf, type SharedSql, text } from '@mcp-toolkits/sqlite'
import { columnsOf, type Destination, destinationOf, ownerIn } from '../outbox/outbox-store.ts'
import { type Backfill, type BackfillState, backfillStates, isInVain, readFacts, writeFacts } from './record.ts'

/** The backfill tables, in SQLite or PostgreSQL. */
export interface Tables extends SharedSql {
  /** Makes text unreadable to anyone who can read only the tables. */
  readonly seal: (text: string, context: string) => Uint8Array
  readonly open: (sealed: Uint8Array, context: string) => string
  readonly close: () => Promise<void>
}

/** Time, in milliseconds, for which an ended backfill is kept, so that repeats of it are recognized. */
const retentionMs = 30 * 24 * 60 * 60 * 1000

export const factsContext = (id: unknown): string => `backfill ${String(id)}`
export const partContext = (id: unknown, number: unknown): string => `backfill ${String(id)} ${String(number)}`

const isOneOf = (states: readonly BackfillState[]) => `state in (${states.map((each) => `'${each}'`).join(', ')})`

const isState = (value: unknown): value is BackfillState => backfillStates.some((state) => state === value)

const columns = {
  id: text,
  owner: text,
  state: isState,
  fingerprint: nullable(text),
  created_at: integer,
  ended_at: nullable(integer),
  parts: integer,
  next_part: integer,
  next_attempt_at: integer,
  facts: blob,
}
const names = Object.keys(columns).join(', ')

/** Compression with a small state and chunks of half a megabyte, so that a request's rows form one piece. */
const packing = { level: 1, memLevel: 6, chunkSize: 512 * 1024 }

/** An account's backfills, or those of one person who shares the account. */
export class BackfillStore {
  readonly #tables: Tables
  readonly #destination: Destination
  /** Undefined for the worker, which sends everyone's backfills. */
  readonly #owner: string | undefined

  constructor(tables: Tables, destination: Destination, owner?: string) {
    this.#tables = tables
    this.#destination = destination
    this.#owner = owner
  }

  /** The backfills that a caller may see. */
  of(owner: string | undefined): BackfillStore {
    return new BackfillStore(this.#tables, this.#destination, ownerIn(this.#destination, owner))
  }

  /** Stores a new backfill unless its id already exists, and deletes backfills that ended long ago. */
  async insert(backfill: Omit<Backfill, 'owner'>): Promise<void> {
    const { id, state, createdAt, nextAttemptAt } = backfill
    const owner = this.#owner ?? ''
    await this.#tables.run('delete from schema.backfills where ended_at < :before', { before: createdAt - retentionMs })
    await this.#tables.run(
      `insert into schema.backfills (id, origin, key_hash, owner, state, created_at, ended_at, parts, next_part, next_attempt_at, facts)
       values (:id, :origin, :keyHash, :owner, :state, :createdAt, :createdAt, 0, 0, :nextAttemptAt, :facts) on conflict (id) do nothing`,
      {
        ...{ ...columnsOf(this.#destination), id, owner, state, createdAt, nextAttemptAt },
        facts: this.#tables.seal(writeFacts(backfill), factsContext(id)),
      },
    )
  }

  async find(id: string): Promise<Backfill | undefined> {
    return (await this.#select('and id = :id', { id }))[0]
  }

  /** Lists backfills, newest first, without those whose rows another backfill sends. */
  list(most: number): Promise<Backfill[]> {
    return this.#select(`and state <> 'repeated' order by created_at desc, id limit ${Math.trunc(most)}`)
  }

  /** Backfills with work to do, oldest first. */
  unfinished(): Promise<Backfill[]> {
    return this.#select(`and state in ('reading', 'sending') order by created_at, id`)
  }

  /** Finds another backfill of the owner that is sending or has sent the same calls; if both are already stored, only an older one. */
  async same({ id, owner, fingerprint = '', createdAt }: Backfill, isStored: boolean): Promise<Backfill | undefined> {
    const isOlder = isStored ? 'and (created_at < :createdAt or created_at = :createdAt and id < :id)' : ''
    const isSame = `and owner = :owner and fingerprint = :fingerprint and id <> :id ${isOlder} and state in ('sending', 'done', 'stopped', 'parked')`
    const values = { id, owner, fingerprint, ...(isStored && { createdAt }) }
    return (await this.#select(`${isSame} order by created_at, id`, values)).find((each) => !isInVain(each))
  }

  /**
   * Records a change; false if the backfill is no longer in `from`, because it was cancelled, or no longer at request `at`, because another
   * sender took it over.
   */
  async save(backfill: Backfill, from: readonly BackfillState[], at?: number): Promise<boolean> {
    const { id, state, fingerprint = null, parts, nextPart } = backfill
    const endedAt = backfill.endedAt === undefined ? null : Math.trunc(backfill.endedAt)
    const nextAttemptAt = Math.trunc(backfill.nextAttemptAt)
    const isThere = at === undefined ? '' : 'and next_part = :at'
    const changed = await this.#tables.rows(
      { id: text },
      `update schema.backfills set state = :state, fingerprint = :fingerprint, ended_at = :endedAt, parts = :parts, next_part = :nextPart,
         next_attempt_at = :nextAttemptAt, facts = :facts where id = :id and ${isOneOf(from)} ${isThere} returning id`,
      {
        ...{ id, state, fingerprint, endedAt, parts, nextPart, nextAttemptAt, ...(at !== undefined && { at }) },
        facts: this.#tables.seal(writeFacts(backfill), factsContext(id)),
      },
    )
    return changed.length > 0
  }

  /**
   * Ends a backfill that is in one of these states, and changes nothing else, because its sender may have made progress. False if it is in
   * a different state.
   */
  async end(
    id: string,
    { state, endedAt, from }: { readonly state: BackfillState; readonly endedAt: number; readonly from: readonly BackfillState[] },
  ): Promise<boolean> {
    const sql = `update schema.backfills set state = :state, ended_at = :endedAt where id = :id and ${isOneOf(from)} returning id`
    return (await this.#tables.rows({ id: text }, sql, { id, state, endedAt: Math.trunc(endedAt) })).length > 0
  }

  async addPart(id: string, number: number, lines: Uint8Array): Promise<void> {
    const packed = gzipSync(lines, packing).toString('base64')
    await this.#tables.run(
      `insert into schema.backfill_parts (backfill_id, number, lines) values (:id, :number, :lines)
       on conflict (backfill_id, number) do update set lines = excluded.lines`,
      { id, number, lines: this.#tables.seal(packed, partContext(id, number)) },
    )
  }

  async part(id: string, number: number): Promise<Buffer | undefined> {
    const sql = 'select lines from schema.backfill_parts where backfill_id = :id and number = :number'
    const [row] = await this.#tables.rows({ lines: blob }, sql, { id, number })
    if (!row) return undefined
    return gunzipSync(Buffer.from(this.#tables.open(row.lines, partContext(id, number)), 'base64'), packing)
  }

  /** Deletes the rows of earlier requests. */
  async dropParts(id: string, before: number): Promise<void> {
    await this.#tables.run('delete from schema.backfill_parts where backfill_id = :id and number < :before', { id, before })
  }

  async #select(rest: string, values: Readonly<Record<string, string | number>> = {}): Promise<Backfill[]> {
    const owner = this.#owner
    const isVisible = `origin = :origin and key_hash = :keyHash ${owner === undefined ? '' : 'and owner = :owner'}`
    const visible = { ...columnsOf(this.#destination), ...(owner !== undefined && { owner }) }
    const sql = `select ${names} from schema.backfills where ${isVisible} ${rest}`
    return (await this.#tables.rows(columns, sql, { ...visible, ...values })).map((row) => this.#read(row))
  }

  #read(row: RowOf<typeof columns>): Backfill {
    const { id, owner, state, parts } = row
    const facts = readFacts(this.#tables.open(row.facts, factsContext(id)))
    return {
      id,
      owner,
      state,
      parts,
      createdAt: row.created_at,
      endedAt: row.ended_at ?? undefined,
      fingerprint: row.fingerprint ?? undefined,
      nextPart: row.next_part,
      nextAttemptAt: row.next_attempt_at,
      ...facts,
    }
  }
}

/** The accounts whose backfills have work to do. */
export async function destinationsOf(tables: Tables): Promise<Destination[]> {
  const sql = `select distinct origin, key_hash from schema.backfills where state in ('reading', 'sending')`
  return (await tables.rows({ origin: text, key_hash: text }, sql, {})).map(destinationOf)
}

/** The files of many accounts, for keys that are removed or restored. */
export interface FilesForKeys {
  readonly waiting: () => Promise<readonly { readonly destination: Destination; readonly park: () => Promise<number> }[]>
  readonly reopen: (destination: Destination) => Promise<number>
}

/** Parks an account's backfills after its key was removed. Resolves with their number. */
export async function parkBackfills(tables: Tables, destination: Destination, now: number): Promise<number> {
  const sql = `update schema.backfills set state = 'parked', ended_at = :now
    where origin = :origin and key_hash = :keyHash and state in ('reading', 'sending') returning id`
  return (await tables.rows({ id: text }, sql, { ...columnsOf(destination), now: Math.trunc(now) })).length
}

/** Resumes an account's parked backfills once its key is restored. Resolves with their number. */
export async function reopenBackfills(tables: Tables, destination: Destination, now: number): Promise<number> {
  const sql = `update schema.backfills set state = case when fingerprint is null then 'reading' else 'sending' end, ended_at = null, next_attempt_at = :now
    where origin = :origin and key_hash = :keyHash and state = 'parked' returning id`
  return (await tables.rows({ id: text }, sql, { ...columnsOf(destination), now: Math.trunc(now) })).length
}

/** Deletes everything that belongs to a person. */
export async function forgetBackfills(tables: Tables, owner: string): Promise<void> {
  await tables.run('delete from schema.backfills where owner = :owner', { owner })
  const all = await tables.rows({ origin: text, key_hash: text }, 'select distinct origin, key_hash from schema.backfills')
  for (const destination of all.map(destinationOf).filter(({ account }) => account?.owner === owner))
    await tables.run('delete from schema.backfills where origin = :origin and key_hash = :keyHash', columnsOf(destination))
}
