import type { Migrations } from '@mcp-toolkits/team/postgres'

/**
 * The outbox tables in PostgreSQL. Bodies and errors are sealed, people are digests. `waits` lists the open entries that an entry is
 * waiting for: the newest earlier entry for each of its people, and the previous part. While there are any, `is_blocked` is true.
 */
export const outboxMigrations: Migrations = {
  part: 'outbox',
  scripts: [
    `create table schema.entries (
      id bigint generated always as identity primary key,
      delivery_id text not null, part integer not null,
      origin text not null, key_hash text not null,
      call text not null, strict boolean not null, identified boolean not null,
      body bytea, body_hash text not null, message_ids text not null, added text not null,
      state text not null default 'open', reason text, http_status integer, error bytea,
      attempts integer not null default 0, next_attempt_at timestamptz not null, is_blocked boolean not null,
      sender uuid, claimed_at timestamptz, in_call boolean not null default false, awaited_by uuid, answered boolean not null default false,
      created_at timestamptz not null, begun_at timestamptz not null, settled_at timestamptz
    );
    create index entries_due on schema.entries (origin, key_hash, next_attempt_at, id) where state = 'open' and not is_blocked and sender is null;
    create index entries_held on schema.entries (origin, key_hash) where state = 'open' and http_status = 429;
    create index entries_sent on schema.entries (origin, key_hash, sender) where state = 'open' and sender is not null;
    create index entries_undelivered on schema.entries (id) where state <> 'delivered';
    create index entries_unanswered on schema.entries (body_hash, id) where not answered;
    create index entries_by_body on schema.entries (body_hash, id);
    create index entries_of_delivery on schema.entries (delivery_id, part) where state <> 'delivered';
    create index entries_forgettable on schema.entries (settled_at) where state = 'delivered';
    create table schema.messages (entry_id bigint not null, message_id text not null, given_hash text not null, sent_hash text not null);
    create index messages_by_id on schema.messages (message_id);
    create index messages_of_entry on schema.messages (entry_id);
    create table schema.persons (person text not null, entry_id bigint not null, primary key (person, entry_id));
    create index persons_of_entry on schema.persons (entry_id);
    create table schema.waits (entry_id bigint not null, for_id bigint not null, primary key (entry_id, for_id));
    create index waits_for on schema.waits (for_id);
    create table schema.leases (name text primary key, holder uuid not null);
    create table schema.secrets (name text primary key, value bytea not null)`,
    `create table schema.confirmed_keys (
      origin text not null, key_hash text not null, confirmed_at timestamptz not null, primary key (origin, key_hash)
    )`,
    `alter table schema.entries add column owner text not null default ''`,
  ],
}
