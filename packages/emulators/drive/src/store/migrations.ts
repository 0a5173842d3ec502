import { grantPeople, grantTables } from '@mcp-toolkits/emulator/oauth'
import { folderType } from './items.ts'

/** Accounts with a My Drive, besides the first one, and their personal columns for each item. */
const viewerTables = `create table accounts (personId text primary key, rootId text not null) strict;
create table views (
  personId text not null, fileId text not null,
  starred integer not null default 0, viewedByMeTime text, modifiedByMeTime text, sharedWithMeTime text, sharingId text,
  granted integer not null default 0, role text, reach text, inDomain integer not null default 0,
  primary key (personId, fileId)
) strict;
create index views_file on views (fileId);`

/** Revisions, comments, replies, requests for shared drives, and notification channels. */
const surfaceTables = `create table revisions (
  n integer primary key, id text not null, fileId text not null, mimeType text not null, modifiedTime text not null,
  lastModifyingId text, size integer, md5 text, content text, originalFilename text
) strict;
create index revisions_file on revisions (fileId, n);
create table revision_settings (fileId text not null, id text not null, settings text not null, primary key (fileId, id)) strict;
create table comments (
  n integer primary key, id text not null unique, fileId text not null, commentId text, authorId text not null,
  createdTime text not null, modifiedTime text not null, content text not null, action text, anchor text, quoted text,
  resolved integer, deleted integer not null default 0
) strict;
create index comments_file on comments (fileId, commentId);
create table drive_requests (requestId text not null, viewer text not null, driveId text not null, primary key (requestId, viewer)) strict;
create table channels (
  n integer primary key, id text not null, viewer text not null, scopes text not null, fileId text, address text not null, token text, resourceId text not null,
  resourceUri text not null, payload integer not null, expiresAt integer not null, position integer not null, messages integer not null default 0
) strict;`

// Words contain only letters, digits, marks and underscores, so they need no escaping in JSON.
const wordsOf = (row: 'files' | 'new' | 'old') =>
  `json_each('["' || replace(trim(${row}.nameWords || ${row}.textWords), ' ', '","') || '"]') where value <> ''`

const addWords = `insert or ignore into emulator_words select value, new.n from ${wordsOf('new')};`
const removeWords = `delete from emulator_words where n = old.n and word in (select value from ${wordsOf('old')});`

/** Tables of words and of the items containing them, in the name or in the text. */
const searchTables = `create table emulator_words (word text not null, n integer not null, primary key (word, n)) strict, without rowid;
insert or ignore into emulator_words select value, files.n from files, ${wordsOf('files')};
create trigger words_insert after insert on files begin ${addWords} end;
create trigger words_update after update of nameWords, textWords on files begin ${removeWords} ${addWords} end;
create trigger words_delete after delete on files begin ${removeWords} end;`

const bytesOf = (row: 'old' | 'new') => `coalesce(${row}.size, 0)`

const count = `insert into emulator_usage select new.ownerId, ${bytesOf('new')}, ${bytesOf('new')} * new.trashed where new.ownerId is not null
  on conflict (ownerId) do update set bytes = bytes + excluded.bytes, trashed = trashed + excluded.trashed;`
const discount = `update emulator_usage set bytes = bytes - ${bytesOf('old')}, trashed = trashed - ${bytesOf('old')} * old.trashed
  where ownerId = old.ownerId;`

/** The total bytes of each owner's files, which the database updates with every change. */
const usageTables = `create table emulator_usage (ownerId text primary key, bytes integer not null, trashed integer not null) strict;
insert into emulator_usage select ownerId, sum(coalesce(size, 0)), sum(coalesce(size, 0) * trashed) from files
  where ownerId is not null group by ownerId;
create trigger usage_insert after insert on files begin ${count} end;
create trigger usage_update after update of ownerId, size, trashed on files begin ${discount} ${count} end;
create trigger usage_delete after delete on files begin ${discount} end;`

/** Scripts that create the tables, one per version. */
export const migrations: readonly string[] = [
  `
create table people (
  permissionId text primary key, email text not null unique, displayName text not null, photoLink text,
  kind text not null, aliases text not null default ''
) strict;

create table files (
  n integer primary key, id text not null unique, driveId text, parentId text, ownerId text,
  name text not null, nameFold text not null, nameNatural text not null, nameWords text not null, textWords text not null default '',
  mimeType text not null, description text, starred integer not null default 0,
  trashed integer not null default 0, explicitlyTrashed integer not null default 0, trashedTime text,
  createdTime text not null, modifiedTime text not null, viewedByMeTime text, modifiedByMeTime text, sharedWithMeTime text,
  lastModifyingId text, sharingId text, indexedAt text not null, version integer not null default 1,
  size integer, md5 text, headRevisionId text, content text, originalFilename text,
  targetId text, targetMimeType text, resourceKey text, properties text, appProperties text,
  writersCanShare integer not null default 1, copyRequiresWriter integer not null default 0, abusive integer not null default 0,
  granted integer not null default 0, role text, reach text, inDomain integer not null default 0, shared integer not null default 0
) strict;
create index files_parent on files (parentId);
create index files_name on files (nameFold);
create index files_modified on files (modifiedTime, n);
create index files_drive on files (driveId) where driveId is not null;

create table permissions (
  n integer primary key, fileId text not null, permissionId text not null, type text not null, role text not null,
  emailAddress text, domain text, displayName text, allowFileDiscovery integer, expirationTime text, pendingOwner integer not null default 0
) strict;
create unique index permissions_one on permissions (fileId, permissionId);

create table drives (
  n integer primary key, id text not null unique, name text not null, createdTime text not null, hidden integer not null default 0,
  foldersNeedOrganizer integer not null default 0
) strict;

create table sessions (
  id text primary key, createdAt integer not null, fileId text, request text not null, total integer, received integer not null default 0,
  madeId text, wantedId text
) strict;

create table counters (name text primary key, value integer not null) strict;

create table deleted (id text primary key) strict;

create table mutations (id integer primary key, at text not null, method text not null, fileId text) strict;

create table mails (
  id integer primary key, at text not null, fileId text not null, recipient text not null, role text not null, message text
) strict;
`,
  grantTables,
  `${grantPeople};
${viewerTables}`,
  `alter table mutations add column viewer text;
alter table mutations add column call text;
create index mutations_file on mutations (fileId, id);
create index files_listing on files (parentId, (mimeType <> '${folderType}'), nameNatural, n) where trashed = 0;
create index files_trashed on files (trashedTime, n) where explicitlyTrashed = 1;`,
  `alter table deleted add column mutation integer;
${surfaceTables}`,
  `alter table channels add column trashed integer;
alter table channels add column headRevisionId text;
alter table channels add column parentId text;`,
  `${searchTables}
${usageTables}
create index files_type on files (mimeType, modifiedTime, n);
create index files_shared on files (modifiedTime, n) where sharedWithMeTime is not null;
create index files_starred on files (modifiedTime, n) where starred = 1;`,
  'alter table drives add column restrictions text',
  `alter table revisions add column supersededAt text;
alter table deleted add column driveId text;
alter table deleted add column viewers text;
create index permissions_expiring on permissions (expirationTime) where expirationTime is not null;`,
  `insert into counters (name, value)
    select 'uploads of ' || wantedId, count(*) from sessions where wantedId is not null group by wantedId`,
]
