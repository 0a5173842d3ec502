-- With an event.
BEGIN TRANSACTION;
CREATE TABLE emulator_requests (
  id integer primary key, at text not null, method text not null, path text not null, query text not null,
  status integer, fault text, bytes integer not null, facts text not null, body blob
) strict;
INSERT INTO "emulator_requests" VALUES(1,'2026-11-28T12:00:00.000Z','POST','/v1/track','',200,NULL,52,'{"strict":false,"key_ok":true,"key_verdict":"ok","source":"default","encoding":null}',X'7B22757365724964223A227531222C226576656E74223A225369676E6564205570222C226D6573736167654964223A226D31227D');
CREATE TABLE events (
    id integer primary key,
    request_id integer not null, position integer,
    type text not null, message_id text, user_id text, anonymous_id text, group_id text, previous_id text, event text,
    timestamp text, received_at text not null,
    outcome text not null, reason text, notes text not null, semantic text, duplicate_of integer references events,
    context text, body text not null, bytes integer not null
  , source text default 'default', call text) strict;
INSERT INTO "events" VALUES(1,1,NULL,'track','m1','u1',NULL,NULL,NULL,'Signed Up',NULL,'2026-11-28T12:00:00.000Z','accepted',NULL,'',NULL,NULL,NULL,'{"userId":"u1","event":"Signed Up","messageId":"m1"}',52,'default',NULL);
CREATE UNIQUE INDEX accepted_message on events (source, message_id) where outcome = 'accepted' and message_id is not null;
CREATE INDEX events_user on events (user_id) where user_id is not null;
CREATE INDEX events_identify on events (user_id) where type = 'identify' and outcome = 'accepted';
CREATE INDEX events_anonymous on events (anonymous_id) where anonymous_id is not null;
CREATE INDEX events_previous on events (previous_id) where previous_id is not null;
COMMIT;
pragma user_version = 3;
