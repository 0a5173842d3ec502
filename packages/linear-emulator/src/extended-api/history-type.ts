import { commonFilters, type EntityType } from '../store/entity-type.ts'

/** The history of issues, which the recorded mutations are. Ids follow from their numbers. */
export const historyType: EntityType = {
  type: 'IssueHistory',
  table: `(select printf('%08x-0000-4000-8000-%012x', m.id, m.id) as id, m.at as createdAt, m.at as updatedAt, null as archivedAt,
    m.subject as issueId, m.viewer as actorId, m.changes from mutations m where m.entity = m.subject and m.changes is not null and m.changes <> '{}')`,
  columns: { issueId: 'text', actorId: 'text?', changes: 'text?' },
  filters: commonFilters,
}
