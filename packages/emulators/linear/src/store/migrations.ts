/** Columns for a change's author, tool and subject, and indexes for the pages showing it. */
const changes = `alter table mutations add column subject text;
alter table mutations add column viewer text;
alter table mutations add column call text;
alter table mutations add column changes text;
create index mutations_subject on mutations (subject, id);
create index issues_board on issues (stateId, updatedAt, id) where archivedAt is null;
create index issues_progress on issues (projectId, stateId) where archivedAt is null;
create index issues_of_project on issues (projectId, updatedAt) where archivedAt is null;
create index issues_of_person on issues (assigneeId, updatedAt) where archivedAt is null;`

/** Indexes that include the condition's column, so that issues can be counted without reading them. */
const countingIndexes = `drop index issues_board;
drop index issues_progress;
create index issues_board on issues (stateId, updatedAt, id, archivedAt) where archivedAt is null;
create index issues_progress on issues (projectId, stateId, archivedAt) where archivedAt is null;`

/** Entities of types without a table, and other entities' additional fields, as JSON. */
const records = `create table records (
  id text primary key, type text not null, createdAt text not null, updatedAt text not null, archivedAt text, data text not null
) strict;
create index records_created on records (type, createdAt, id);
create index records_updated on records (type, updatedAt, id);`

/** Webhook deliveries: one of the emulator's own logs, which snapshots leave out. */
const webhookDeliveries = `create table emulator_webhook_deliveries (
  id integer primary key, at text not null, delivery text not null unique, webhook text not null, event text not null,
  resource text not null, action text not null, attempts integer not null, status text not null, httpStatus integer, error text, dueAt text
) strict;
create index emulator_webhook_deliveries_due on emulator_webhook_deliveries (status, dueAt);
insert into emulator_webhook_deliveries (at, delivery, webhook, event, resource, action, attempts, status, httpStatus, error, dueAt)
  select createdAt, id, data ->> '$.webhookId', data ->> '$.event', data ->> '$.resource', data ->> '$.action', data ->> '$.attempts',
    data ->> '$.status', data ->> '$.httpStatus', data ->> '$.error', data ->> '$.dueAt'
  from records where type = 'delivery' order by rowid;
delete from records where type = 'delivery';`

const filtered = 'archivedAt, teamId, stateId, assigneeId, projectId, priority, titleFold, descriptionFold'

/** Indexes that include the columns of common filters, so that an issue is read only if it is in the result. */
const filteringIndexes = `drop index issues_0;
drop index issues_1;
create index issues_0 on issues (createdAt, id, ${filtered});
create index issues_1 on issues (updatedAt, id, ${filtered});`

const count = `insert into emulator_issue_counts select new.stateId, coalesce(new.projectId, ''), 1 where new.archivedAt is null
  on conflict (stateId, projectId) do update set count = count + 1;`
const discount = `update emulator_issue_counts set count = count - 1
  where old.archivedAt is null and stateId = old.stateId and projectId = coalesce(old.projectId, '');`

/** Number of unarchived issues per state, by project. The database updates the counts with every change. */
const issueCounts = `create table emulator_issue_counts (
  stateId text not null, projectId text not null, count integer not null, primary key (stateId, projectId)
) strict, without rowid;
create index emulator_issue_counts_project on emulator_issue_counts (projectId);
insert into emulator_issue_counts select stateId, coalesce(projectId, ''), count(*) from issues where archivedAt is null group by 1, 2;
create trigger issue_counts_insert after insert on issues begin ${count} end;
create trigger issue_counts_update after update of stateId, projectId, archivedAt on issues begin ${discount} ${count} end;
create trigger issue_counts_delete after delete on issues begin ${discount} end;
drop index issues_progress;`

const commentColumns = `id, body, issueId, parentId, userId, editedAt, resolvedAt, resolvingUserId, quotedText, createdAt, updatedAt, archivedAt,
  bodyFold, bodyBare`

/** Comments on entities other than issues. */
const commentTargets = `create table comments_next (
  id text primary key, body text not null, issueId text, parentId text, userId text, editedAt text, resolvedAt text, resolvingUserId text,
  quotedText text, createdAt text not null, updatedAt text not null, archivedAt text, bodyFold text, bodyBare text,
  projectId text, projectUpdateId text, initiativeId text, initiativeUpdateId text, documentContentId text
) strict;
insert into comments_next (${commentColumns}) select ${commentColumns} from comments order by rowid;
drop table comments;
alter table comments_next rename to comments;
create index comments_0 on comments (createdAt, id);
create index comments_1 on comments (updatedAt, id);
create index comments_2 on comments (issueId);
create index comments_3 on comments (parentId);
create index comments_4 on comments (projectId) where projectId is not null;
create index comments_5 on comments (projectUpdateId) where projectUpdateId is not null;`

/** Apps to which issues are delegated. */
const delegates = `alter table issues add column delegateId text;
update issues set delegateId = (select data ->> '$.delegateId' from records where records.id = issues.id and type = 'extras');
create index issues_of_delegate on issues (delegateId) where delegateId is not null;`

/** Later versions' scripts, oldest first. Add new ones at the end, and never change the others: databases have run them. */
export const laterMigrations: readonly string[] = [
  changes,
  countingIndexes,
  records,
  webhookDeliveries,
  filteringIndexes,
  issueCounts,
  commentTargets,
  delegates,
]
