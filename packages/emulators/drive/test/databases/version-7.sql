-- With a revision, comments, a shared drive, a channel and a second person. Access token: ya29.a0cz_ULqfvaVFQWHlPZ9YzN_X5iQfgwkH6
BEGIN TRANSACTION;
CREATE TABLE accounts (personId text primary key, rootId text not null) strict;
INSERT INTO "accounts" VALUES('11893713721191942084','0Azu-uqz_HhvAUk9PVA');
CREATE TABLE channels (
  n integer primary key, id text not null, viewer text not null, scopes text not null, fileId text, address text not null, token text, resourceId text not null,
  resourceUri text not null, payload integer not null, expiresAt integer not null, position integer not null, messages integer not null default 0
, trashed integer, headRevisionId text, parentId text) strict;
INSERT INTO "channels" VALUES(1,'channel-1','11170418997833150802','drive','1UQE1Q2LVZHVeDmsBnlVj3YO4A5BbO7qM','http://127.0.0.1:9/hook',NULL,'gxE-eK3bOhQIAFJa2SJUW2ffFGp','https://www.googleapis.com/drive/v3/files/1UQE1Q2LVZHVeDmsBnlVj3YO4A5BbO7qM?alt=json',1,1795870800000,11,2,0,'0BzZh3o1o3VjPiTsKuupGeJQrLpzpoGHqUmr2-aldm-8Y','1Dcq_Y3Hj9YVSehnrT1PlkNfWjw_bHuLt');
CREATE TABLE comments (
  n integer primary key, id text not null unique, fileId text not null, commentId text, authorId text not null,
  createdTime text not null, modifiedTime text not null, content text not null, action text, anchor text, quoted text,
  resolved integer, deleted integer not null default 0
) strict;
INSERT INTO "comments" VALUES(1,'AAABncQgoRA2','1UQE1Q2LVZHVeDmsBnlVj3YO4A5BbO7qM',NULL,'11170418997833150802','2026-11-28T12:00:00.000Z','2026-11-28T12:00:00.000Z','Please read.',NULL,NULL,NULL,1,0);
INSERT INTO "comments" VALUES(2,'AAABYScOEnMp','1UQE1Q2LVZHVeDmsBnlVj3YO4A5BbO7qM','AAABncQgoRA2','11170418997833150802','2026-11-28T12:00:00.000Z','2026-11-28T12:00:00.000Z','Done.','resolve',NULL,NULL,NULL,0);
CREATE TABLE counters (name text primary key, value integer not null) strict;
INSERT INTO "counters" VALUES('ids',3);
CREATE TABLE deleted (id text primary key, mutation integer) strict;
INSERT INTO "deleted" VALUES('1Fe2N0vpgZJUcyQGEmF2PAgf_3joEhdUQ',10);
CREATE TABLE drive_requests (requestId text not null, viewer text not null, driveId text not null, primary key (requestId, viewer)) strict;
INSERT INTO "drive_requests" VALUES('one','11170418997833150802','0AmWDHuEnksi0Uk9PVA');
CREATE TABLE drives (
  n integer primary key, id text not null unique, name text not null, createdTime text not null, hidden integer not null default 0,
  foldersNeedOrganizer integer not null default 0
) strict;
INSERT INTO "drives" VALUES(1,'0AmWDHuEnksi0Uk9PVA','Launch','2026-11-28T12:00:00.000Z',0,0);
CREATE TABLE emulator_deliveries (
  id integer primary key, at text not null, subscription text not null, address text not null, attempt integer not null,
  status integer, problem text, headers text not null, body text not null
) strict;
INSERT INTO "emulator_deliveries" VALUES(1,'2026-11-28T12:00:00.000Z','channel-1','http://127.0.0.1:9/hook',1,NULL,'bad port','{"Content-Type":"application/json; charset=utf-8","User-Agent":"APIs-Google; (+https://developers.google.com/webmasters/APIs-Google.html)","X-Goog-Channel-ID":"channel-1","X-Goog-Message-Number":"1","X-Goog-Resource-ID":"gxE-eK3bOhQIAFJa2SJUW2ffFGp","X-Goog-Resource-State":"sync","X-Goog-Resource-URI":"https://www.googleapis.com/drive/v3/files/1UQE1Q2LVZHVeDmsBnlVj3YO4A5BbO7qM?alt=json","X-Goog-Channel-Expiration":"Sat, 28 Nov 2026 13:00:00 GMT"}','');
CREATE TABLE emulator_requests (
  id integer primary key, at text not null, method text not null, path text not null, query text not null,
  status integer, fault text, bytes integer not null, facts text not null, body blob
) strict;
INSERT INTO "emulator_requests" VALUES(1,'2026-11-28T12:00:00.000Z','POST','/drive/v3/files','',200,NULL,64,'{"authorization":"bearer","range":null,"fields":null}',X'7B226E616D65223A22506C616E73222C226D696D6554797065223A226170706C69636174696F6E2F766E642E676F6F676C652D617070732E666F6C646572227D');
INSERT INTO "emulator_requests" VALUES(2,'2026-11-28T12:00:00.000Z','POST','/drive/v3/files','',200,NULL,92,'{"authorization":"bearer","range":null,"fields":null}',X'7B226E616D65223A226E6F7465732E747874222C226D696D6554797065223A22746578742F706C61696E222C22706172656E7473223A5B22314463715F5933486A3959565365686E725431506C6B4E66576A775F6248754C74225D7D');
INSERT INTO "emulator_requests" VALUES(3,'2026-11-28T12:00:00.000Z','PATCH','/upload/drive/v3/files/1UQE1Q2LVZHVeDmsBnlVj3YO4A5BbO7qM','uploadType=media',200,NULL,5,'{"authorization":"bearer","range":null,"fields":null}',NULL);
INSERT INTO "emulator_requests" VALUES(4,'2026-11-28T12:00:00.000Z','PATCH','/upload/drive/v3/files/1UQE1Q2LVZHVeDmsBnlVj3YO4A5BbO7qM','uploadType=media',200,NULL,6,'{"authorization":"bearer","range":null,"fields":null}',NULL);
INSERT INTO "emulator_requests" VALUES(5,'2026-11-28T12:00:00.000Z','POST','/drive/v3/files/1UQE1Q2LVZHVeDmsBnlVj3YO4A5BbO7qM/comments','fields=*',200,NULL,26,'{"authorization":"bearer","range":null,"fields":"*"}',X'7B22636F6E74656E74223A22506C6561736520726561642E227D');
INSERT INTO "emulator_requests" VALUES(6,'2026-11-28T12:00:00.000Z','POST','/drive/v3/files/1UQE1Q2LVZHVeDmsBnlVj3YO4A5BbO7qM/comments/AAABncQgoRA2/replies','fields=*',200,NULL,38,'{"authorization":"bearer","range":null,"fields":"*"}',X'7B22636F6E74656E74223A22446F6E652E222C22616374696F6E223A227265736F6C7665227D');
INSERT INTO "emulator_requests" VALUES(7,'2026-11-28T12:00:00.000Z','POST','/drive/v3/files/1UQE1Q2LVZHVeDmsBnlVj3YO4A5BbO7qM/permissions','',200,NULL,76,'{"authorization":"bearer","range":null,"fields":null}',X'7B2274797065223A2275736572222C22726F6C65223A22777269746572222C22656D61696C41646472657373223A226164612E6F6B61666F72406C6F6465737461722E6578616D706C65227D');
INSERT INTO "emulator_requests" VALUES(8,'2026-11-28T12:00:00.000Z','POST','/drive/v3/drives','requestId=one',200,NULL,17,'{"authorization":"bearer","range":null,"fields":null}',X'7B226E616D65223A224C61756E6368227D');
INSERT INTO "emulator_requests" VALUES(9,'2026-11-28T12:00:00.000Z','POST','/drive/v3/files/1UQE1Q2LVZHVeDmsBnlVj3YO4A5BbO7qM/watch','',200,NULL,72,'{"authorization":"bearer","range":null,"fields":null}',X'7B226964223A226368616E6E656C2D31222C2274797065223A227765625F686F6F6B222C2261646472657373223A22687474703A2F2F3132372E302E302E313A392F686F6F6B227D');
INSERT INTO "emulator_requests" VALUES(10,'2026-11-28T12:00:00.000Z','POST','/drive/v3/files','',200,NULL,15,'{"authorization":"bearer","range":null,"fields":null}',X'7B226E616D65223A22676F6E65227D');
INSERT INTO "emulator_requests" VALUES(11,'2026-11-28T12:00:00.000Z','DELETE','/drive/v3/files/1Fe2N0vpgZJUcyQGEmF2PAgf_3joEhdUQ','',204,NULL,0,'{"authorization":"bearer","range":null,"fields":null}',X'');
INSERT INTO "emulator_requests" VALUES(12,'2026-11-28T12:00:00.000Z','PATCH','/drive/v3/files/1UQE1Q2LVZHVeDmsBnlVj3YO4A5BbO7qM','',200,NULL,16,'{"authorization":"bearer","range":null,"fields":null}',X'7B2273746172726564223A747275657D');
CREATE TABLE emulator_usage (ownerId text primary key, bytes integer not null, trashed integer not null) strict;
INSERT INTO "emulator_usage" VALUES('11170418997833150802',6,0);
INSERT INTO "emulator_usage" VALUES('11893713721191942084',0,0);
CREATE TABLE emulator_words (word text not null, n integer not null, primary key (word, n)) strict, without rowid;
INSERT INTO "emulator_words" VALUES('drive',1);
INSERT INTO "emulator_words" VALUES('drive',2);
INSERT INTO "emulator_words" VALUES('launch',5);
INSERT INTO "emulator_words" VALUES('my',1);
INSERT INTO "emulator_words" VALUES('my',2);
INSERT INTO "emulator_words" VALUES('notes',4);
INSERT INTO "emulator_words" VALUES('plans',3);
INSERT INTO "emulator_words" VALUES('second',4);
INSERT INTO "emulator_words" VALUES('txt',4);
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
INSERT INTO "files" VALUES(2,'0Azu-uqz_HhvAUk9PVA',NULL,NULL,'11893713721191942084','My Drive','my drive','my drive',' my drive ','','application/vnd.google-apps.folder',NULL,0,0,0,NULL,'2026-11-28T12:00:00.000Z','2026-11-28T12:00:00.000Z',NULL,NULL,NULL,NULL,NULL,'2026-11-28T12:00:00.000Z',1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,0,0,NULL,NULL,0,0);
INSERT INTO "files" VALUES(3,'1Dcq_Y3Hj9YVSehnrT1PlkNfWjw_bHuLt',NULL,'0AmQDqTizH1uVUk9PVA','11170418997833150802','Plans','plans','plans',' plans ','','application/vnd.google-apps.folder',NULL,0,0,0,NULL,'2026-11-28T12:00:00.000Z','2026-11-28T12:00:00.000Z','2026-11-28T12:00:00.000Z','2026-11-28T12:00:00.000Z',NULL,'11170418997833150802',NULL,'2026-11-28T12:00:00.000Z',1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,0,1,'owner','user',0,0);
INSERT INTO "files" VALUES(4,'1UQE1Q2LVZHVeDmsBnlVj3YO4A5BbO7qM',NULL,'1Dcq_Y3Hj9YVSehnrT1PlkNfWjw_bHuLt','11170418997833150802','notes.txt','notes.txt','notes.txt',' notes txt ',' second ','application/json',NULL,0,0,0,NULL,'2026-11-28T12:00:00.000Z','2026-11-28T12:00:00.000Z','2026-11-28T12:00:00.000Z','2026-11-28T12:00:00.000Z',NULL,'11170418997833150802',NULL,'2026-11-28T12:00:00.000Z',5,6,'a9f0e61a137d86aa9db53465e0801612','0BzZh3o1o3VjPiTsKuupGeJQrLpzpoGHqUmr2-aldm-8Y','blob-58c6fd37-f34d-418c-97ff-6ddc56236dbc',NULL,NULL,NULL,NULL,NULL,NULL,1,0,0,1,'owner','user',0,1);
INSERT INTO "files" VALUES(5,'0AmWDHuEnksi0Uk9PVA','0AmWDHuEnksi0Uk9PVA',NULL,NULL,'Launch','launch','launch',' launch ','','application/vnd.google-apps.folder',NULL,0,0,0,NULL,'2026-11-28T12:00:00.000Z','2026-11-28T12:00:00.000Z',NULL,NULL,NULL,NULL,NULL,'2026-11-28T12:00:00.000Z',1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,0,0,0,'organizer','root',0,1);
CREATE TABLE mails (
  id integer primary key, at text not null, fileId text not null, recipient text not null, role text not null, message text
) strict;
INSERT INTO "mails" VALUES(1,'2026-11-28T12:00:00.000Z','1UQE1Q2LVZHVeDmsBnlVj3YO4A5BbO7qM','ada.okafor@lodestar.example','writer',NULL);
CREATE TABLE mutations (id integer primary key, at text not null, method text not null, fileId text, viewer text, call text) strict;
INSERT INTO "mutations" VALUES(1,'2026-11-28T12:00:00.000Z','files.create','1Dcq_Y3Hj9YVSehnrT1PlkNfWjw_bHuLt','11170418997833150802',NULL);
INSERT INTO "mutations" VALUES(2,'2026-11-28T12:00:00.000Z','files.create','1UQE1Q2LVZHVeDmsBnlVj3YO4A5BbO7qM','11170418997833150802',NULL);
INSERT INTO "mutations" VALUES(3,'2026-11-28T12:00:00.000Z','files.update','1UQE1Q2LVZHVeDmsBnlVj3YO4A5BbO7qM','11170418997833150802',NULL);
INSERT INTO "mutations" VALUES(4,'2026-11-28T12:00:00.000Z','files.update','1UQE1Q2LVZHVeDmsBnlVj3YO4A5BbO7qM','11170418997833150802',NULL);
INSERT INTO "mutations" VALUES(5,'2026-11-28T12:00:00.000Z','comments.create','1UQE1Q2LVZHVeDmsBnlVj3YO4A5BbO7qM','11170418997833150802',NULL);
INSERT INTO "mutations" VALUES(6,'2026-11-28T12:00:00.000Z','replies.create','1UQE1Q2LVZHVeDmsBnlVj3YO4A5BbO7qM','11170418997833150802',NULL);
INSERT INTO "mutations" VALUES(7,'2026-11-28T12:00:00.000Z','permissions.create','1UQE1Q2LVZHVeDmsBnlVj3YO4A5BbO7qM','11170418997833150802',NULL);
INSERT INTO "mutations" VALUES(8,'2026-11-28T12:00:00.000Z','drives.create','0AmWDHuEnksi0Uk9PVA','11170418997833150802',NULL);
INSERT INTO "mutations" VALUES(9,'2026-11-28T12:00:00.000Z','files.create','1Fe2N0vpgZJUcyQGEmF2PAgf_3joEhdUQ','11170418997833150802',NULL);
INSERT INTO "mutations" VALUES(10,'2026-11-28T12:00:00.000Z','files.delete','1Fe2N0vpgZJUcyQGEmF2PAgf_3joEhdUQ','11170418997833150802',NULL);
INSERT INTO "mutations" VALUES(11,'2026-11-28T12:00:00.000Z','files.update','1UQE1Q2LVZHVeDmsBnlVj3YO4A5BbO7qM','11893713721191942084',NULL);
CREATE TABLE oauthGrants (
  id text primary key, clientId text not null, scopes text not null, redirectUri text not null, challenge text, offline integer not null,
  grantedAt text not null, revokedAt text
, person text) strict;
INSERT INTO "oauthGrants" VALUES('c4dc028a-282c-4673-adcb-1b77cebb4986','lodestar-desktop.apps.googleusercontent.com','https://www.googleapis.com/auth/drive','',NULL,1,'2026-11-28T12:00:00.000Z',NULL,NULL);
INSERT INTO "oauthGrants" VALUES('c4cccb16-926b-44e4-b2fb-c00706c09954','lodestar-desktop.apps.googleusercontent.com','https://www.googleapis.com/auth/drive','',NULL,1,'2026-11-28T12:00:00.000Z',NULL,'11893713721191942084');
INSERT INTO "oauthGrants" VALUES('6051d63e-91cc-4f3f-a8fd-4ff45be3211e','lodestar-desktop.apps.googleusercontent.com','https://www.googleapis.com/auth/drive','',NULL,1,'2026-11-28T12:00:00.000Z',NULL,'11893713721191942084');
CREATE TABLE oauthSecrets (
  hash text primary key, kind text not null, grantId text not null, expiresAt integer, usedAt integer
) strict;
INSERT INTO "oauthSecrets" VALUES('5937590773d6705b8e8db144eb27f51cb0e817b2123d3a2fccdae379ffee72b5','access','c4dc028a-282c-4673-adcb-1b77cebb4986',1795870800000,NULL);
INSERT INTO "oauthSecrets" VALUES('95bc930dc880cc86edef33f290693bc2f1879ba0fc9f765f4ccc8835b5c12fde','refresh','c4dc028a-282c-4673-adcb-1b77cebb4986',NULL,NULL);
INSERT INTO "oauthSecrets" VALUES('36fa6f80c08c7e3b504a914991f86eb04ce9ca4890c80548eba3d46d9dc6f500','access','c4cccb16-926b-44e4-b2fb-c00706c09954',1795870800000,NULL);
INSERT INTO "oauthSecrets" VALUES('7e7c4949d809309da4ec15410d81b021bf3c6c43de96d6df69e3ebefe941cf7f','refresh','c4cccb16-926b-44e4-b2fb-c00706c09954',NULL,NULL);
INSERT INTO "oauthSecrets" VALUES('7b070744e7b8ed6d7f2905a2402a1aaae49901aedcd38c207204b09c21098934','access','6051d63e-91cc-4f3f-a8fd-4ff45be3211e',1795870800000,NULL);
INSERT INTO "oauthSecrets" VALUES('b5776b89208a6a2b687acc485478ed7658c4607dc7ac9d3540a39da57739c42b','refresh','6051d63e-91cc-4f3f-a8fd-4ff45be3211e',NULL,NULL);
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
INSERT INTO "permissions" VALUES(1,'1UQE1Q2LVZHVeDmsBnlVj3YO4A5BbO7qM','11893713721191942084','user','writer','ada.okafor@lodestar.example',NULL,'Ada Okafor',NULL,NULL,0);
INSERT INTO "permissions" VALUES(2,'0AmWDHuEnksi0Uk9PVA','11170418997833150802','user','organizer','robin.vance@lodestar.example',NULL,NULL,NULL,NULL,0);
CREATE TABLE revision_settings (fileId text not null, id text not null, settings text not null, primary key (fileId, id)) strict;
CREATE TABLE revisions (
  n integer primary key, id text not null, fileId text not null, mimeType text not null, modifiedTime text not null,
  lastModifyingId text, size integer, md5 text, content text, originalFilename text
) strict;
INSERT INTO "revisions" VALUES(1,'0B3tgy4jsbiBNsNIPE5Qme4hczmMh4cN7m7ewOPOLBHhs','1UQE1Q2LVZHVeDmsBnlVj3YO4A5BbO7qM','text/plain','2026-11-28T12:00:00.000Z','11170418997833150802',0,'d41d8cd98f00b204e9800998ecf8427e','empty-','notes.txt');
INSERT INTO "revisions" VALUES(2,'0BRmdOpPfX9nOF4WbQ6BDveUra_tRyJHRcn82xY2xVjtk','1UQE1Q2LVZHVeDmsBnlVj3YO4A5BbO7qM','application/json','2026-11-28T12:00:00.000Z','11170418997833150802',5,'8b04d5e3775d298e78455efc5ca404d5','blob-4cf5aff8-ceae-416d-8d34-4a41c123fc32','notes.txt');
CREATE TABLE sessions (
  id text primary key, createdAt integer not null, fileId text, request text not null, total integer, received integer not null default 0,
  madeId text, wantedId text
) strict;
CREATE TABLE views (
  personId text not null, fileId text not null,
  starred integer not null default 0, viewedByMeTime text, modifiedByMeTime text, sharedWithMeTime text, sharingId text,
  granted integer not null default 0, role text, reach text, inDomain integer not null default 0,
  primary key (personId, fileId)
) strict;
INSERT INTO "views" VALUES('11893713721191942084','0Azu-uqz_HhvAUk9PVA',0,'2026-11-28T12:00:00.000Z',NULL,NULL,NULL,0,'owner','root',0);
INSERT INTO "views" VALUES('11893713721191942084','1UQE1Q2LVZHVeDmsBnlVj3YO4A5BbO7qM',1,NULL,NULL,'2026-11-28T12:00:00.000Z','11170418997833150802',0,'writer','user',0);
CREATE INDEX files_parent on files (parentId);
CREATE INDEX files_name on files (nameFold);
CREATE INDEX files_modified on files (modifiedTime, n);
CREATE INDEX files_drive on files (driveId) where driveId is not null;
CREATE UNIQUE INDEX permissions_one on permissions (fileId, permissionId);
CREATE INDEX views_file on views (fileId);
CREATE INDEX mutations_file on mutations (fileId, id);
CREATE INDEX files_listing on files (parentId, (mimeType <> 'application/vnd.google-apps.folder'), nameNatural, n) where trashed = 0;
CREATE INDEX files_trashed on files (trashedTime, n) where explicitlyTrashed = 1;
CREATE INDEX revisions_file on revisions (fileId, n);
CREATE INDEX comments_file on comments (fileId, commentId);
CREATE TRIGGER words_insert after insert on files begin insert or ignore into emulator_words select value, new.n from json_each('["' || replace(trim(new.nameWords || new.textWords), ' ', '","') || '"]') where value <> ''; end;
CREATE TRIGGER words_update after update of nameWords, textWords on files begin delete from emulator_words where n = old.n and word in (select value from json_each('["' || replace(trim(old.nameWords || old.textWords), ' ', '","') || '"]') where value <> ''); insert or ignore into emulator_words select value, new.n from json_each('["' || replace(trim(new.nameWords || new.textWords), ' ', '","') || '"]') where value <> ''; end;
CREATE TRIGGER words_delete after delete on files begin delete from emulator_words where n = old.n and word in (select value from json_each('["' || replace(trim(old.nameWords || old.textWords), ' ', '","') || '"]') where value <> ''); end;
CREATE TRIGGER usage_insert after insert on files begin insert into emulator_usage select new.ownerId, coalesce(new.size, 0), coalesce(new.size, 0) * new.trashed where new.ownerId is not null
  on conflict (ownerId) do update set bytes = bytes + excluded.bytes, trashed = trashed + excluded.trashed; end;
CREATE TRIGGER usage_update after update of ownerId, size, trashed on files begin update emulator_usage set bytes = bytes - coalesce(old.size, 0), trashed = trashed - coalesce(old.size, 0) * old.trashed
  where ownerId = old.ownerId; insert into emulator_usage select new.ownerId, coalesce(new.size, 0), coalesce(new.size, 0) * new.trashed where new.ownerId is not null
  on conflict (ownerId) do update set bytes = bytes + excluded.bytes, trashed = trashed + excluded.trashed; end;
CREATE TRIGGER usage_delete after delete on files begin update emulator_usage set bytes = bytes - coalesce(old.size, 0), trashed = trashed - coalesce(old.size, 0) * old.trashed
  where ownerId = old.ownerId; end;
CREATE INDEX files_type on files (mimeType, modifiedTime, n);
CREATE INDEX files_shared on files (modifiedTime, n) where sharedWithMeTime is not null;
CREATE INDEX files_starred on files (modifiedTime, n) where starred = 1;
COMMIT;
pragma user_version = 7;
