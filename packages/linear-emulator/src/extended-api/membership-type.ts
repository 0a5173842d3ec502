import { commonFilters, type EntityType, oneFilter } from '../store/entity-type.ts'

/** The memberships of people in teams, whose ids consist of halves of the ids of both. */
export const membershipType: EntityType = {
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
