import type { SharedStore } from '@mcp-toolkits/server/storage'
import { integer, text } from '@mcp-toolkits/sqlite'
import { migrate, type Migrations, postgresStoreOf, sharedSql, type SealedColumn, sealedColumn } from '@mcp-toolkits/team/postgres'
import { factsContext, partContext, type Tables } from '../../backfill/store.ts'

/** Migrations; rows of files and records of backfills are sealed. */
const migrations: Migrations = {
  part: 'backfills',
  scripts: [
    `create table schema.backfills (
      id text primary key, origin text not null, key_hash text not null, state text not null, fingerprint text,
      created_at bigint not null, ended_at bigint, parts integer not null, next_part integer not null, next_attempt_at bigint not null,
      facts bytea not null
    );
    create index backfills_of_account on schema.backfills (origin, key_hash, created_at);
    create table schema.backfill_parts (
      backfill_id text not null references schema.backfills on delete cascade, number integer not null, lines bytea not null,
      primary key (backfill_id, number)
    )`,
    `alter table schema.backfills add column owner text not null default ''`,
  ],
}

/** Opens the tables in the replicas' shared database; closing the database closes them too. */
export async function openSharedTables(shared: SharedStore): Promise<Tables> {
  const { database, sealer } = postgresStoreOf(shared)
  await migrate(database, migrations)
  return {
    ...sharedSql(database),
    seal: sealer.seal,
    open: sealer.open,
    close: () => Promise.resolve(),
  }
}

/** The sealed columns. */
export async function sealedBackfillColumns(shared: SharedStore): Promise<readonly SealedColumn[]> {
  await migrate(postgresStoreOf(shared).database, migrations)
  return [
    sealedColumn({ table: 'backfills', column: 'facts', keys: { id: text }, context: ({ id }) => factsContext(id) }),
    sealedColumn({
      table: 'backfill_parts',
      column: 'lines',
      keys: { backfill_id: text, number: integer },
      context: ({ backfill_id: id, number }) => partContext(id, number),
    }),
  ]
}
