import { entityTypes as servedTypes } from '../entities.ts'
import { commonFilters, type EntityType, type EntityTypes, oneFilter } from '../store/entity-type.ts'
import { recordTypes, recordType } from './records.ts'
import { vendorSchema } from '../vendor/schema.ts'

/** The history of issues, which the recorded mutations are. Ids follow from their numbers. */
const historyType: EntityType = {
  type: 'IssueHistory',
  table: `(select printf('%08x-0000-4000-8000-%012x', m.id, m.id) as id, m.at as createdAt, m.at as updatedAt, null as archivedAt,
    m.subject as issueId, m.viewer as actorId, m.changes from mutations m where m.entity = m.subject and m.changes is not null and m.changes <> '{}')`,
  columns: { issueId: 'text', actorId: 'text?', changes: 'text?' },
  filters: commonFilters,
}

/** The memberships of people in teams, whose ids consist of halves of the ids of both. */
const membershipType: EntityType = {
  type: 'TeamMembership',
  table: `(select substr(m.teamId, 1, 19) || substr(m.userId, 20) as id, m.teamId, m.userId, t.createdAt, t.createdAt as updatedAt, null as archivedAt
    from teamMembers m join teams t on t.id = m.teamId)`,
  columns: { teamId: 'text', userId: 'text' },
  filters: { ...commonFilters, team: oneFilter('Team', 'teamId'), user: oneFilter('User', 'userId') },
  writer: {
    insert(store, { teamId = '', userId = '' }) {
      store.run('insert into teamMembers (teamId, userId) values (:teamId, :userId)', { teamId, userId })
    },
    update: () => undefined,
    remove(store, id) {
      store.run('delete from teamMembers where substr(teamId, 1, 19) || substr(userId, 20) = :id', { id })
    },
  },
}

/** The id of a membership. */
export const membershipId = (teamId: string, userId: string) => teamId.slice(0, 19) + userId.slice(19)

/** Types whose tables are queries, and those that were derived. */
const records = new Map<string, EntityType>([historyType, membershipType].map((each) => [each.type, each]))

/** The entity types that follow from the vendor's schema, although the servers may have some of their columns, and those of the servers. */
export const entityTypes: EntityTypes = {
  get(type) {
    const known = records.get(type)
    if (known !== undefined || !recordTypes.has(type)) return known ?? servedTypes.get(type)
    const derived = recordType(vendorSchema(), type)
    records.set(type, derived)
    return derived
  },
}
