/** The tables of the outbox, one script per version. */
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
]

/** Processes that live; needs \`:now\`. */
export const alive = `(select id from senders where alive_until > :now)`

/**
 * An entry that nobody who lives is sending, and that may be sent: what has no ids is not taken over from a process that died, because
 * nobody knows whether it was taken. Needs \`:now\`.
 */
export const unclaimed = `(sender is null or (identified = 1 and sender not in ${alive}))`

/**
 * An entry that has to wait for an older one: an earlier part of the same delivery, or one about the same person that waits or is
 * being drained. One that another call is sending at this moment does not count: those two calls are simultaneous. Needs \`:now\`.
 */
export const blocked = `(exists (select 1 from entries as older where older.delivery_id = entries.delivery_id
    and older.part < entries.part and older.state = 'open')
  or exists (select 1 from persons as mine
    cross join persons as hers on hers.person = mine.person and hers.entry_id < mine.entry_id
    cross join entries as older on older.id = hers.entry_id
    where mine.entry_id = entries.id and older.state = 'open' and older.origin = entries.origin and older.key_hash = entries.key_hash
      and (older.sender is null or older.in_call = 0 or older.sender not in ${alive})))`

/** Entries of one destination; needs \`:origin\` and \`:keyHash\`. */
export const ours = `origin = :origin and key_hash = :keyHash`
