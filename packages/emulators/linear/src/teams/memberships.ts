import { stringAt } from '@mcp-toolkits/emulator'
import { entity, findRow } from '../engine/crud.ts'
import type { FieldResolver } from '../engine/entity-module.ts'
import { inputOf, requiredEntity } from '../engine/inputs.ts'
import { badArgument, forbidden } from '../errors.ts'
import { isAdmin } from '../people/admins.ts'
import type { EntityType } from '../store/entity-type.ts'
import type { Session } from '../store/session.ts'

/** A membership's id. */
export const membershipId = (teamId: string, userId: string) => teamId.slice(0, 19) + userId.slice(19)

/** Team memberships. Each id combines half of the team's id with half of the person's. */
const membershipType: EntityType = {
  type: 'TeamMembership',
  table: `(select substr(m.teamId, 1, 19) || substr(m.userId, 20) as id, m.teamId, m.userId, t.createdAt, t.createdAt as updatedAt, null as archivedAt
    from teamMembers m join teams t on t.id = m.teamId)`,
  columns: { teamId: 'text', userId: 'text' },
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

/** Unassigns and unsubscribes people from issues that they cannot see. */
export function removeOutsiders(session: Session): void {
  for (const user of session.select('User', '')) {
    const userId = user.id
    const hidden = session.hiddenTeams(userId)
    if (hidden.length === 0) continue
    const theirs = { userId, hidden: JSON.stringify(hidden) }
    const inside = 'teamId in (select value from json_each(:hidden))'
    for (const key of ['assigneeId', 'delegateId'])
      session.store.run(`update issues set ${key} = null where ${key} = :userId and ${inside}`, theirs)
    session.store.run(`delete from issueSubscribers where userId = :userId and issueId in (select id from issues where ${inside})`, theirs)
  }
}

const membershipCreate: FieldResolver = (_, args, session) => {
  const { teamId: ofTeam, userId: ofUser, owner } = inputOf(args)
  const team = requiredEntity(session, 'Team', ofTeam, 'teamId')
  if (team['archivedAt'] !== null || team['retiredAt'] !== null)
    throw badArgument('teamId must be a team that is neither archived nor retired.')
  const [teamId, userId] = [team.id, requiredEntity(session, 'User', ofUser, 'userId').id]
  const id = membershipId(teamId, userId)
  if (session.find('TeamMembership', id) !== null) throw badArgument('The user is already a member of the team.')
  const row = session.insert('TeamMembership', { id, teamId, userId })
  session.storeExtras(id, { owner: owner === true ? 1 : 0 })
  return { teamMembership: row }
}

/** Removes a member: anyone may leave, and team owners and admins may remove others. */
const membershipDelete: FieldResolver = (_, args, session) => {
  const row = findRow(session, 'TeamMembership', args['id'])
  const own = session.extras(membershipId(stringAt(row, 'teamId'), session.viewerId))
  const isOwner = own['owner'] === 1
  if (row['userId'] !== session.viewerId && !isOwner && !isAdmin(session))
    throw forbidden('Only owners of the team and admins can remove other people from it.')
  session.remove('TeamMembership', row.id)
  removeOutsiders(session)
  return { entityId: row.id }
}

export const memberships = entity(membershipType, {
  mutations: { teamMembershipCreate: membershipCreate, teamMembershipDelete: membershipDelete },
})
