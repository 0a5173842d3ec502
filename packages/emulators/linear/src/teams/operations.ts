import { numberAt, stringAt, stringOrNullAt } from '@mcp-toolkits/emulator'
import type { FieldResolver, Resolvers } from '../engine/entity-module.ts'
import { badArgument, forbidden } from '../errors.ts'
import { idOf } from '../ids.ts'
import { inputOf, requiredEntity } from '../engine/inputs.ts'
import { statesOf } from '../seed/seeder.ts'
import type { EntityRow } from '../store/entity-type.ts'
import type { Changes, Session } from '../store/session.ts'
import { isAdmin } from '../people/admins.ts'
import { extrasOf, storeExtras } from '../engine/records.ts'
import { membershipId } from '../engine/entity-types.ts'
import { findRow, type CrudHooks, crudOperations } from '../engine/crud.ts'

/** The key of a team without one follows from its name. */
const keyOf = (name: string) =>
  name
    .normalize('NFD')
    .replace(/[^A-Za-z0-9]/g, '')
    .slice(0, 3)
    .toUpperCase() || 'TEA'

/** A key that no team has. */
function freeKey(session: Session, name: string): string {
  const key = keyOf(name)
  const isFree = (each: string) => session.count('Team', 'a.key = :key', { key: each }) === 0
  return [key, ...Array.from({ length: 99 }, (_, index) => `${key}${index + 1}`)].find(isFree) ?? key
}

function checkTeam(session: Session, values: Changes, before: EntityRow | undefined): undefined {
  const { key, name } = values
  if (
    typeof key === 'string' &&
    session.count('Team', 'a.key = :key and a.id <> :id', { key, id: before ? stringAt(before, 'id') : '' }) > 0
  )
    throw badArgument(`The key ${key} is already in use by another team.`)
  if (typeof name === 'string' && name.trim() === '') throw badArgument('name should not be empty.')
}

const team: CrudHooks = {
  defaults: (session, { name, key }) => ({
    key: key ?? freeKey(session, String(name)),
    visibility: 'public',
    private: false,
    timezone: 'America/Los_Angeles',
    color: '#5e6ad2',
    icon: 'Team',
    cyclesEnabled: false,
    cycleDuration: 2,
    cycleStartDay: 1,
    upcomingCycleCount: 2,
    issueEstimationType: 'notUsed',
    issueEstimationAllowZero: false,
    issueEstimationExtended: false,
    triageEnabled: false,
  }),
  check: checkTeam,
  afterCreate(session, row) {
    const teamId = stringAt(row, 'id')
    const ids = new Map<string, string>()
    for (const [position, { name, type, color = '#bec2c8' }] of statesOf({ triageEnabled: row['triageEnabled'] === 1 }).entries()) {
      const id = idOf(`WorkflowState ${teamId} ${name}`)
      if (!ids.has(type)) ids.set(type, id)
      session.insert('WorkflowState', { id, name, type, color, position, teamId })
    }
    const membership = membershipId(teamId, session.viewerId)
    session.insert('TeamMembership', { id: membership, teamId, userId: session.viewerId })
    storeExtras(session.store, membership, { at: session.at, fields: { owner: 1 } })
    return session.update('Team', teamId, {
      defaultIssueStateId: ids.get('backlog') ?? null,
      triageIssueStateId: ids.get('triage') ?? null,
      markedAsDuplicateWorkflowStateId: ids.get('duplicate') ?? null,
    })
  },
}

/** Retires and archives a team with its issues. */
const teamDelete: FieldResolver = (_, args, session) => {
  const row = findRow(session, 'Team', args['id'])
  if (session.count('Team', 'a.archivedAt is null and a.id <> :id', { id: stringAt(row, 'id') }) === 0)
    throw badArgument('The last team of a workspace cannot be deleted.')
  session.update('Team', stringAt(row, 'id'), { archivedAt: session.at, retiredAt: session.at })
  return { entityId: row['id'] }
}

const membershipCreate: FieldResolver = (_, args, session) => {
  const { teamId: ofTeam, userId: ofUser, owner } = inputOf(args)
  const team = requiredEntity(session, 'Team', ofTeam, 'teamId')
  if (team['archivedAt'] !== null || team['retiredAt'] !== null)
    throw badArgument('teamId must be a team that is neither archived nor retired.')
  const [teamId, userId] = [stringAt(team, 'id'), stringAt(requiredEntity(session, 'User', ofUser, 'userId'), 'id')]
  const id = membershipId(teamId, userId)
  if (session.find('TeamMembership', id) !== null) throw badArgument('The user is already a member of the team.')
  const row = session.insert('TeamMembership', { id, teamId, userId })
  storeExtras(session.store, id, { at: session.at, fields: { owner: owner === true ? 1 : 0 } })
  return { teamMembership: row }
}

/** Members leave on their own; owners of the team and admins remove others. */
const membershipDelete: FieldResolver = (_, args, session) => {
  const row = findRow(session, 'TeamMembership', args['id'])
  const own = extrasOf(session.store, membershipId(stringAt(row, 'teamId'), session.viewerId))
  const isOwner = own['owner'] === 1
  if (row['userId'] !== session.viewerId && !isOwner && !isAdmin(session))
    throw forbidden('Only owners of the team and admins can remove other people from it.')
  session.remove('TeamMembership', stringAt(row, 'id'))
  return { entityId: row['id'] }
}

const lastState = (session: Session, row: EntityRow) =>
  session.count('WorkflowState', 'a.teamId = :teamId and a.type = :type and a.archivedAt is null and a.id <> :id', {
    teamId: stringAt(row, 'teamId'),
    type: stringAt(row, 'type'),
    id: stringAt(row, 'id'),
  }) === 0

const stateTypes = ['triage', 'backlog', 'unstarted', 'started', 'completed', 'canceled', 'duplicate']

const workflowState: CrudHooks = {
  defaults: (session, { teamId }) => ({ position: session.count('WorkflowState', 'a.teamId = :teamId', { teamId: String(teamId) }) }),
  check(session, values, before) {
    const { type, name } = values
    if (typeof type === 'string' && !stateTypes.includes(type)) throw badArgument(`type must be one of ${stateTypes.join(', ')}.`)
    const where = {
      teamId: String(values['teamId'] ?? before?.['teamId'] ?? ''),
      name: String(name ?? ''),
      id: stringOrNullAt(before ?? {}, 'id') ?? '',
    }
    if (
      session.count(
        'WorkflowState',
        'a.teamId = :teamId and lower(a.name) = lower(:name) and a.id <> :id and a.archivedAt is null',
        where,
      ) > 0
    )
      throw badArgument(`A state with the name ${where.name} already exists in the team.`)
    return undefined
  },
  beforeRemoval(session, row) {
    if (session.count('Issue', 'a.stateId = :id and a.archivedAt is null', { id: stringAt(row, 'id') }) > 0)
      throw badArgument('The state has issues; move them to another state first.')
    if (lastState(session, row)) throw badArgument(`The team needs a state of the type ${stringAt(row, 'type')}.`)
  },
}

const cycle: CrudHooks = {
  defaults: (session, { teamId }) => ({
    number:
      1 +
      Math.max(0, ...session.select('Cycle', 'where a.teamId = :teamId', { teamId: String(teamId) }).map(({ number }) => Number(number))),
  }),
  check(session, values, before) {
    const [startsAt, endsAt] = [values['startsAt'] ?? before?.['startsAt'], values['endsAt'] ?? before?.['endsAt']]
    if (String(startsAt) >= String(endsAt)) throw badArgument('endsAt must be after startsAt.')
    const where = 'a.teamId = :teamId and a.id <> :id and a.archivedAt is null and a.startsAt < :endsAt and a.endsAt > :startsAt'
    const own = { teamId: String(values['teamId'] ?? before?.['teamId'] ?? ''), id: before ? stringAt(before, 'id') : '' }
    if (session.count('Cycle', where, { ...own, startsAt: String(startsAt), endsAt: String(endsAt) }) > 0)
      throw badArgument('Cycles of a team must not overlap.')
    return undefined
  },
  beforeRemoval({ store }, row) {
    store.run('update issues set cycleId = null where cycleId = :id', { id: stringAt(row, 'id') })
  },
}

/** Starts the next cycle at midnight, and completes the one before it. */
const startCycle: FieldResolver = (_, args, session) => {
  const row = findRow(session, 'Cycle', args['id'])
  const midnight = `${session.at.slice(0, 10)}T00:00:00.000Z`
  const team = { teamId: stringAt(row, 'teamId'), now: session.at }
  const [next] = session.select(
    'Cycle',
    'where a.teamId = :teamId and a.startsAt > :now and a.archivedAt is null order by a.startsAt limit 1',
    team,
  )
  if (next?.['id'] !== row['id']) throw badArgument('Only the next upcoming cycle of a team can be started.')
  const where = 'where a.teamId = :teamId and a.startsAt <= :now and a.endsAt > :now and a.completedAt is null and a.archivedAt is null'
  for (const running of session.select('Cycle', where, team))
    session.update('Cycle', stringAt(running, 'id'), { endsAt: midnight, completedAt: session.at })
  return { cycle: session.update('Cycle', stringAt(row, 'id'), { startsAt: midnight }) }
}

/** A century: sums of much more are no dates. */
const maxShiftDays = 36_500

/** Shifts a cycle and all later ones of its team by some days. */
const shiftCycles: FieldResolver = (_, args, session) => {
  const { id, ...input } = inputOf(args)
  const first = findRow(session, 'Cycle', id)
  const days = numberAt(input, 'daysToShift')
  if (Math.abs(days) > maxShiftDays) throw badArgument(`daysToShift must be from -${maxShiftDays} to ${maxShiftDays}.`)
  const shifted = (time: string) => new Date(Date.parse(time) + days * 86_400_000).toISOString()
  const where = { teamId: stringAt(first, 'teamId'), from: stringAt(first, 'startsAt') }
  for (const each of session.select('Cycle', 'where a.teamId = :teamId and a.startsAt >= :from and a.archivedAt is null', where))
    session.update('Cycle', stringAt(each, 'id'), {
      startsAt: shifted(stringAt(each, 'startsAt')),
      endsAt: shifted(stringAt(each, 'endsAt')),
    })
  return { cycle: session.get('Cycle', stringAt(first, 'id')) }
}

const memberships = crudOperations('TeamMembership')

/** Teams, their members, states and cycles. */
export const teamOperations: readonly Resolvers[] = [
  crudOperations('Team', team),
  crudOperations('WorkflowState', workflowState),
  crudOperations('Cycle', cycle),
  memberships,
  {
    Query: {
      administrableTeams: (_, args, session) => session.page('Team', args),
      archivedTeams: (_source, _args, session) => session.select('Team', 'where a.archivedAt is not null order by a.name'),
    },
    Mutation: {
      teamDelete,
      teamUnarchive: (_, args, session) => ({
        entity: session.update('Team', stringAt(findRow(session, 'Team', args['id']), 'id'), { archivedAt: null, retiredAt: null }),
      }),
      teamCyclesDelete(_, args, session) {
        const row = findRow(session, 'Team', args['id'])
        for (const each of session.select('Cycle', 'where a.teamId = :id', { id: stringAt(row, 'id') }))
          session.remove('Cycle', stringAt(each, 'id'))
        return { team: row }
      },
      teamMembershipCreate: membershipCreate,
      teamMembershipDelete: membershipDelete,
      cycleStartUpcomingCycleToday: startCycle,
      cycleShiftAll: shiftCycles,
    },
    Team: {
      membership(source, args, session) {
        const id = membershipId(stringAt(source, 'id'), stringAt(args, 'userId'))
        return session.find('TeamMembership', id)
      },
      viewerMembership: (source, _, session) => session.find('TeamMembership', membershipId(stringAt(source, 'id'), session.viewerId)),
      memberships: (source, args, session) =>
        session.page('TeamMembership', args, { where: 'a.teamId = :owner', values: { owner: stringAt(source, 'id') } }),
    },
    User: {
      teamMemberships: (source, args, session) =>
        session.page('TeamMembership', args, { where: 'a.userId = :owner', values: { owner: stringAt(source, 'id') } }),
    },
  },
]
