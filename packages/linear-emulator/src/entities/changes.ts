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

/** Entities of the types that only the extended API has, and further fields of the others, as JSON. */
export const records: EntityModule = {
  tables: `create table records (
  id text primary key, type text not null, createdAt text not null, updatedAt text not null, archivedAt text, data text not null
) strict;
create index records_created on records (type, createdAt, id);
create index records_updated on records (type, updatedAt, id);`,
  sdl: '',
  resolvers: {},
}

const filtered = 'archivedAt, teamId, stateId, assigneeId, projectId, priority, titleFold, descriptionFold'

/** With the columns of common filters, so that an issue is only read when it is in the result. */
export const filteringIndexes: EntityModule = {
  tables: `drop index issues_0;
drop index issues_1;
create index issues_0 on issues (createdAt, id, ${filtered});
create index issues_1 on issues (updatedAt, id, ${filtered});`,
  sdl: '',
  resolvers: {},
}

const count = `insert into emulator_issue_counts select new.stateId, coalesce(new.projectId, ''), 1 where new.archivedAt is null
  on conflict (stateId, projectId) do update set count = count + 1;`
const discount = `update emulator_issue_counts set count = count - 1
  where old.archivedAt is null and stateId = old.stateId and projectId = coalesce(old.projectId, '');`

/** How many issues are in each state, by project, which the database counts with every change; archived ones do not count. */
export const issueCounts: EntityModule = {
  tables: `create table emulator_issue_counts (
  stateId text not null, projectId text not null, count integer not null, primary key (stateId, projectId)
) strict, without rowid;
create index emulator_issue_counts_project on emulator_issue_counts (projectId);
insert into emulator_issue_counts select stateId, coalesce(projectId, ''), count(*) from issues where archivedAt is null group by 1, 2;
create trigger issue_counts_insert after insert on issues begin ${count} end;
create trigger issue_counts_update after update of stateId, projectId, archivedAt on issues begin ${discount} ${count} end;
create trigger issue_counts_delete after delete on issues begin ${discount} end;
drop index issues_progress;`,
  sdl: '',
  resolvers: {},
}
