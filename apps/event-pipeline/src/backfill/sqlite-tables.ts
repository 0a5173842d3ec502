import type { Clock } from '@mcp-toolkits/core/base'
import { openAsyncStore, sharedSql } from '@mcp-toolkits/sqlite'
import type { Tables } from './store.ts'

const migrations = [
  `create table backfills (
    id text primary key, origin text not null, key_hash text not null, state text not null, fingerprint text,
    created_at integer not null, ended_at integer, parts integer not null, next_part integer not null, next_attempt_at integer not null,
    facts blob not null
  ) strict;
  create index backfills_of_account on backfills (origin, key_hash, created_at);
  create table backfill_parts (
    backfill_id text not null references backfills on delete cascade, number integer not null, lines blob not null,
    primary key (backfill_id, number)
  ) strict;`,
  `alter table backfills add column owner text not null default ''`,
]

/** Opens the tables in a file that only the user can read. */
export async function openSqliteTables(file: string, clock: Clock): Promise<Tables> {
  const store = await openAsyncStore({ file, migrations, clock })
  return {
    ...sharedSql(store),
    seal: (sealed) => Buffer.from(sealed),
    open: (sealed) => Buffer.from(sealed).toString(),
    close: () => store.close(),
  }
}
