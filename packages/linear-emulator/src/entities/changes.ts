import type { EntityModule } from './entity-module.ts'

/** Who changed what, with which tool, and the indexes of the pages that show it. */
export const changes: EntityModule = {
  tables: `alter table mutations add column subject text;
alter table mutations add column viewer text;
alter table mutations add column call text;
alter table mutations add column changes text;
create index mutations_subject on mutations (subject, id);
create index issues_board on issues (stateId, updatedAt, id) where archivedAt is null;
create index issues_progress on issues (projectId, stateId) where archivedAt is null;
create index issues_of_project on issues (projectId, updatedAt) where archivedAt is null;
create index issues_of_person on issues (assigneeId, updatedAt) where archivedAt is null;`,
  sdl: '',
  resolvers: {},
}

/** With the column of their condition, so that issues can be counted without reading them. */
export const countingIndexes: EntityModule = {
  tables: `drop index issues_board;
drop index issues_progress;
create index issues_board on issues (stateId, updatedAt, id, archivedAt) where archivedAt is null;
create index issues_progress on issues (projectId, stateId, archivedAt) where archivedAt is null;`,
  sdl: '',
  resolvers: {},
}

/** Entities of the types that only the emulator of the whole schema has, and further fields of the others, as JSON. */
export const records: EntityModule = {
  tables: `create table records (
  id text primary key, type text not null, createdAt text not null, updatedAt text not null, archivedAt text, data text not null
) strict;
create index records_created on records (type, createdAt, id);
create index records_updated on records (type, updatedAt, id);`,
  sdl: '',
  resolvers: {},
}
