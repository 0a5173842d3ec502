import { grantPeople, grantTables } from '@mcp-toolkits/emulator/oauth'
import { searchTables } from '../files/query-sql.ts'
import { folderType } from './items.ts'
import { surfaceTables } from '../api/open-surface.ts'
import { usageTables } from '../http/quota.ts'
import { viewerTables } from './viewers.ts'

/** The tables, one script per version. */
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
]
