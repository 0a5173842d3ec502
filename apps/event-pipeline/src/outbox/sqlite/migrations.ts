/** Condition that an open entry must wait for an older one: an earlier part of the same delivery, or an entry about the same person. */
const hasOlder = `(exists (select 1 from entries as older where older.delivery_id = entries.delivery_id
    and older.part < entries.part and older.state = 'open')
  or exists (select 1 from persons as mine
    cross join persons as theirs on theirs.person = mine.person and theirs.entry_id < mine.entry_id
    cross join entries as older on older.id = theirs.entry_id
    where mine.entry_id = entries.id and older.state = 'open' and older.origin = entries.origin and older.key_hash = entries.key_hash))`

/** The open entries that follow `new` directly: the nearest one for each of its people, and the later parts of its delivery. */
const following = `(select (select theirs.entry_id from persons as theirs cross join entries as later on later.id = theirs.entry_id
      where theirs.person = mine.person and theirs.entry_id > new.id
        and later.state = 'open' and later.origin = new.origin and later.key_hash = new.key_hash
      order by theirs.entry_id limit 1)
    from persons as mine where mine.entry_id = new.id
  union select id from entries as later where later.delivery_id = new.delivery_id and later.part > new.part and later.state = 'open')`

/**
 * The outbox tables, one script per version. `is_blocked` is true for an open entry waiting for an older one; triggers maintain it, so that
 * lookups need not read the queue. `scheduled_at` is the time when `next_attempt_at` was set.
 */
export const migrations = [
  `create table entries (
    id integer primary key autoincrement,
    delivery_id text not null, part integer not null,
    origin text not null, key_hash text not null,
    call text not null, strict integer not null, identified integer not null, body text,
    given_hash text not null, message_ids text not null, added text not null,
    state text not null, reason text, http_status integer, error text,
    attempts integer not null default 0, next_attempt_at integer not null,
    sender text, in_call integer not null default 0, awaited_by text, answered integer not null default 0,
    created_at integer not null, settled_at integer
  ) strict;
  create index waiting on entries (origin, key_hash, id) where state = 'open';
  create index forgettable on entries (settled_at) where state = 'delivered';
  create index given on entries (given_hash);
  create index deliveries on entries (delivery_id, part);
  create table messages (
    entry_id integer not null references entries on delete cascade,
    message_id text not null, given_hash text not null, sent_hash text not null
  ) strict;
  create index message_ids on messages (message_id);
  create index messages_of on messages (entry_id);
  create table persons (entry_id integer not null references entries on delete cascade, person text not null, primary key (entry_id, person)) strict;
  create index entries_about on persons (person, entry_id);
  create table senders (id text primary key, alive_until integer not null) strict;
  create table leases (name text primary key, holder text not null) strict;
  create table secrets (name text primary key, value text not null) strict;`,
  `alter table entries add column begun_at integer;
  alter table entries add column begun_uptime integer;
  alter table entries add column begun_boot text;
  create index unanswered on entries (given_hash, id) where answered = 0;
  create index claimed on entries (sender) where sender is not null;`,
  `alter table entries add column is_blocked integer not null default 0;
  alter table entries add column scheduled_at integer not null default 0;
  update entries set is_blocked = ${hasOlder}, scheduled_at = max(created_at, next_attempt_at - 24 * 60 * 60 * 1000) where state = 'open';
  drop index waiting;
  create index due on entries (origin, key_hash, next_attempt_at, id) where state = 'open' and is_blocked = 0;
  create index scheduled on entries (origin, key_hash, scheduled_at) where state = 'open' and is_blocked = 0;
  create index held on entries (origin, key_hash) where state = 'open' and http_status = 429;
  create index undelivered on entries (origin, key_hash, state, created_at) where state != 'delivered';
  create trigger person_inserted after insert on persons begin
    update entries set is_blocked = 1 where id = new.entry_id and is_blocked = 0 and exists (select 1 from persons as theirs
      cross join entries as older on older.id = theirs.entry_id where theirs.person = new.person and theirs.entry_id < new.entry_id
        and older.state = 'open' and older.origin = entries.origin and older.key_hash = entries.key_hash);
  end;
  create trigger part_inserted after insert on entries when new.part > 0 begin
    update entries set is_blocked = ${hasOlder} where id = new.id;
  end;
  create trigger entry_closed after update of state on entries when old.state = 'open' and new.state != 'open' begin
    update entries set is_blocked = ${hasOlder} where id in ${following};
  end;
  create trigger entry_opened after update of state on entries when old.state != 'open' and new.state = 'open' begin
    update entries set is_blocked = ${hasOlder} where id = new.id;
    update entries set is_blocked = 1 where id in ${following};
  end;
  create table confirmed_keys (
    origin text not null, key_hash text not null, confirmed_at integer not null, primary key (origin, key_hash)
  ) strict;`,
  `alter table entries add column body_hash text`,
  `alter table entries add column owner text not null default ''`,
]
