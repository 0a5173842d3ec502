import { integer, text } from '@mcp-toolkits/sqlite'
import type { Database, Transaction } from './database.ts'

/**
 * The migrations of one part of the tables, one script per version. A release works with the next release's tables, because scripts only
 * add to them.
 */
export interface Migrations {
  readonly part: string
  readonly scripts: readonly string[]
}

/** Timeout, in milliseconds, for one statement of a migration. */
const migrationMs = 60_000

/** Migrates a part's tables to the newest version that this release knows, unless a later release has migrated them further. */
export async function migrate(database: Database, { part, scripts }: Migrations): Promise<void> {
  if ((await versionOf(database, part)) >= scripts.length) return
  await database.transaction(
    async (transaction) => {
      await createVersions(database, transaction)
      // Another process may have migrated the tables meanwhile.
      const current = await recordedVersion(transaction, part)
      for (const script of scripts.slice(current)) await transaction.script(script)
      const sql = `insert into schema.versions values (:part, :version) on conflict (part) do update set version = excluded.version
        where versions.version < excluded.version`
      await transaction.run(sql, { part, version: scripts.length })
    },
    { keys: ['migration'], statementMs: migrationMs },
  )
}

/** A part's version in the database; 0 if there is none. */
export async function versionOf(database: Database, part: string): Promise<number> {
  const sql = `select 1 as found from pg_tables where schemaname = :name and tablename = 'versions'`
  const found = await database.reading.rows({ found: integer }, sql, { name: database.schema })
  return found.length === 0 ? 0 : recordedVersion(database.reading, part)
}

async function createVersions(database: Database, transaction: Transaction): Promise<void> {
  const sql = 'select nspname::text as name from pg_namespace where nspname = :name'
  const schemas = await transaction.rows({ name: text }, sql, { name: database.schema })
  // Even with `if not exists`, creating a schema needs the right to create schemas.
  if (schemas.length === 0) await transaction.script(`create schema "${database.schema}"`)
  await transaction.script('create table if not exists schema.versions (part text primary key, version integer not null)')
}

async function recordedVersion(statements: Pick<Transaction, 'rows'>, part: string): Promise<number> {
  const [found] = await statements.rows({ version: integer }, 'select version from schema.versions where part = :part', { part })
  return found?.version ?? 0
}

/** The store's tables. Callers' data is sealed. */
export const storeMigrations: Migrations = {
  part: 'store',
  scripts: [
    `create table schema.replicas (id uuid primary key, alive_until timestamptz not null);
    create table schema.operations (
      id bigint generated always as identity primary key,
      account text not null,
      tool text not null,
      arguments_hash text not null,
      idempotency_key text,
      identity text not null,
      holder uuid,
      expires_at timestamptz not null,
      result bytea
    );
    create unique index operations_by_key on schema.operations (account, tool, idempotency_key) where idempotency_key is not null;
    create index operations_by_arguments on schema.operations (account, tool, arguments_hash, id) where idempotency_key is null;
    create index operations_by_end on schema.operations (expires_at);
    create table schema.expiring_records (
      owner text not null,
      kind text not null,
      name text not null,
      value bytea not null,
      holder uuid,
      expires_at timestamptz not null,
      primary key (owner, kind, name)
    );
    create index expiring_records_by_end on schema.expiring_records (expires_at);
    create table schema.logins (
      server text not null,
      profile text not null,
      login bytea not null,
      primary key (server, profile)
    );
    create table schema.upstream_limits (account text primary key, state text not null)`,
    'create table schema.vault (name text primary key, secret bytea not null)',
    `create table schema.people (
      owner text primary key,
      person bytea not null,
      first_seen timestamptz not null,
      last_seen timestamptz not null
    );
    create table schema.grants (
      owner text not null references schema.people on delete cascade,
      profile text not null,
      value bytea not null,
      connected_at timestamptz not null,
      primary key (owner, profile)
    )`,
  ],
}

/** The version that created the vault table. */
export const vaultVersion = 2
