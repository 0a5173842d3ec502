import type { Migrations } from './migrate.ts'

/** The tables of the store. What is not ours to read is sealed. */
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

/** The version that made the table of the vault. */
export const vaultVersion = 2
