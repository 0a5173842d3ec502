-- When one person could consent. Access token: ya29.a0H6C3DE0xAYzdfFS1jWxdiLa4przATAFr
BEGIN TRANSACTION;
CREATE TABLE counters (name text primary key, value integer not null) strict;
CREATE TABLE deleted (id text primary key) strict;
CREATE TABLE drives (
  n integer primary key, id text not null unique, name text not null, createdTime text not null, hidden integer not null default 0,
  foldersNeedOrganizer integer not null default 0
) strict;
CREATE TABLE files (
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
INSERT INTO "files" VALUES(1,'0AmQDqTizH1uVUk9PVA',NULL,NULL,'11170418997833150802','My Drive','my drive','my drive',' my drive ','','application/vnd.google-apps.folder',NULL,0,0,0,NULL,'2024-06-11T12:00:00.000Z','2024-06-11T12:00:00.000Z','2026-11-28T12:00:00.000Z',NULL,NULL,NULL,NULL,'2024-06-11T12:00:00.000Z',1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,0,0,'owner','root',0,0);
CREATE TABLE mails (
  id integer primary key, at text not null, fileId text not null, recipient text not null, role text not null, message text
) strict;
CREATE TABLE mutations (id integer primary key, at text not null, method text not null, fileId text) strict;
CREATE TABLE oauthGrants (
  id text primary key, clientId text not null, scopes text not null, redirectUri text not null, challenge text, offline integer not null,
  grantedAt text not null, revokedAt text
) strict;
INSERT INTO "oauthGrants" VALUES('bff2b285-b234-4337-ac66-0a36dc85c412','lodestar-desktop.apps.googleusercontent.com','https://www.googleapis.com/auth/drive','',NULL,1,'2026-11-28T12:00:00.000Z',NULL);
CREATE TABLE oauthSecrets (
  hash text primary key, kind text not null, grantId text not null, expiresAt integer, usedAt integer
) strict;
INSERT INTO "oauthSecrets" VALUES('d588c117c18adf37690b106c268010284f630565ef3fe3f95529f3a52d1f56c3','access','bff2b285-b234-4337-ac66-0a36dc85c412',1795870800000,NULL);
INSERT INTO "oauthSecrets" VALUES('7f7bce920fc71a75322d705a35b37013daa56076970af4c9d8b34ddba0e7156a','refresh','bff2b285-b234-4337-ac66-0a36dc85c412',NULL,NULL);
CREATE TABLE people (
  permissionId text primary key, email text not null unique, displayName text not null, photoLink text,
  kind text not null, aliases text not null default ''
) strict;
INSERT INTO "people" VALUES('11170418997833150802','robin.vance@lodestar.example','Robin Vance','https://lh3.googleusercontent.com/a/11170418997833150802=s64','user','robin@lodestar.example');
INSERT INTO "people" VALUES('11893713721191942084','ada.okafor@lodestar.example','Ada Okafor','https://lh3.googleusercontent.com/a/11893713721191942084=s64','user','ada@lodestar.example');
INSERT INTO "people" VALUES('11891412682460873111','ada.okonkwo@lodestar.example','Ada Okonkwo','https://lh3.googleusercontent.com/a/11891412682460873111=s64','user','');
INSERT INTO "people" VALUES('11128987895126321983','mikael.lindstrom@lodestar.example','Mikael Lindström','https://lh3.googleusercontent.com/a/11128987895126321983=s64','user','');
INSERT INTO "people" VALUES('11381735520581667319','priya.nair@lodestar.example','Priya Nair','https://lh3.googleusercontent.com/a/11381735520581667319=s64','user','');
INSERT INTO "people" VALUES('11840062138053320341','tomas.herrera@lodestar.example','Tomás Herrera','https://lh3.googleusercontent.com/a/11840062138053320341=s64','user','');
INSERT INTO "people" VALUES('11194771970546522414','grace.kim@studio-kim.example','Grace Kim','https://lh3.googleusercontent.com/a/11194771970546522414=s64','user','');
INSERT INTO "people" VALUES('11917156216134766318','team-engineering@lodestar.example','Engineering',NULL,'group','');
CREATE TABLE permissions (
  n integer primary key, fileId text not null, permissionId text not null, type text not null, role text not null,
  emailAddress text, domain text, displayName text, allowFileDiscovery integer, expirationTime text, pendingOwner integer not null default 0
) strict;
CREATE TABLE sessions (
  id text primary key, createdAt integer not null, fileId text, request text not null, total integer, received integer not null default 0,
  madeId text, wantedId text
) strict;
CREATE INDEX files_parent on files (parentId);
CREATE INDEX files_name on files (nameFold);
CREATE INDEX files_modified on files (modifiedTime, n);
CREATE INDEX files_drive on files (driveId) where driveId is not null;
CREATE UNIQUE INDEX permissions_one on permissions (fileId, permissionId);
COMMIT;
pragma user_version = 2;
