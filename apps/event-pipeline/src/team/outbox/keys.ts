import type { Database, Statements } from '@mcp-toolkits/team/postgres'
import { text } from '@mcp-toolkits/sqlite'
import type { Sealer } from '@mcp-toolkits/team/vault'
import { columnsOf, type Destination, type Entry, keyConfirmationMs, type OutboxStore } from '../../outbox/outbox-store.ts'
import { bodilessNames, columns, isOurs, toEntry } from './rows.ts'

/** A destination's oldest undelivered entries, without bodies. */
export async function selectOverview(
  statements: Pick<Statements, 'rows'>,
  sealer: Sealer,
  ...[destination, { owner, limit }]: Parameters<OutboxStore['overview']>
): Promise<Entry[]> {
  const isTheirs = owner === undefined ? '' : `and owner in (:owner, '')`
  const sql = `select ${bodilessNames} from schema.entries where ${isOurs} and state <> 'delivered' ${isTheirs} order by id limit :limit`
  const values = { ...columnsOf(destination), limit, ...(owner !== undefined && { owner }) }
  return (await statements.rows(columns, sql, values)).map((row) => toEntry(row, sealer))
}

export async function isConfirmed(statements: Pick<Statements, 'rows'>, destination: Destination): Promise<boolean> {
  const sql = `select origin from schema.confirmed_keys where ${isOurs} and confirmed_at > now() - ${keyConfirmationMs} * interval '1 ms'`
  return (await statements.rows({ origin: text }, sql, columnsOf(destination))).length > 0
}

export async function setConfirmed(database: Pick<Database, 'run'>, destination: Destination, isRight: boolean): Promise<void> {
  const sql = isRight
    ? `insert into schema.confirmed_keys values (:origin, :keyHash, now()) on conflict (origin, key_hash) do update set confirmed_at = now()`
    : `delete from schema.confirmed_keys where ${isOurs}`
  await database.run(sql, columnsOf(destination))
}
