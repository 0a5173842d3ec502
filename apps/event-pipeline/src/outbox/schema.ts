/** The tables of the outbox, one script per version. */
export const migrations = [
  `create table entries (
    id integer primary key autoincrement,
    delivery_id text not null, part integer not null,
    origin text not null, key_hash text not null,
    call text not null, strict integer not null, body text,
    given_hash text not null, person text,
    state text not null, reason text, http_status integer,
    message_ids text not null, added text not null,
    attempts integer not null default 0, next_attempt_at integer not null,
    sender text, in_call integer not null default 0, answered integer not null default 0,
    created_at integer not null, settled_at integer
  ) strict;
  create index waiting on entries (origin, key_hash, id) where state = 'open';
  create index given on entries (given_hash);
  create index deliveries on entries (delivery_id, part);
  create table messages (
    entry_id integer not null references entries on delete cascade,
    message_id text not null, given_hash text not null, sent_hash text not null
  ) strict;
  create index message_ids on messages (message_id);
  create table senders (id text primary key, alive_until integer not null) strict;
  create table leases (name text primary key, holder text not null) strict;
  create table secrets (name text primary key, value text not null) strict;`,
]
