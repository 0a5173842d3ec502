import { type JsonObject, stringAt } from '@mcp-toolkits/emulator'
import { type CrudHooks, entity, findRow } from '../engine/crud.ts'
import { type FieldResolver, manyToMany, scopedTo } from '../engine/entity-module.ts'
import { badArgument, forbidden } from '../errors.ts'
import { idOf } from '../ids.ts'
import { isAdmin } from '../people/admins.ts'
import { usersWithin } from '../people/users.ts'
import { columnsOf, type Entity, type EntityType, manyFilter } from '../store/entity-type.ts'
import type { Changes, Session } from '../store/session.ts'
import { activeCycle } from './cycles.ts'
import { statesOf } from './default-states.ts'
import { membershipId, removeOutsiders } from './memberships.ts'

const team: EntityType = {
  type: 'Team',
  table: 'teams',
  columns: columnsOf(`
    key, name, description?, icon?, color?, visibility, private: integer, timezone, retiredAt?, cyclesEnabled: integer, cycleDuration: real,
    cycleStartDay: real, upcomingCycleCount: real, issueEstimationType, issueEstimationAllowZero: integer, issueEstimationExtended: integer,
    triageEnabled: integer, parentId?, defaultIssueStateId?, triageIssueStateId?, markedAsDuplicateWorkflowStateId?
  `),
  uniques: ['key'],
  searched: ['key', 'name', 'description'],
  filters: { issues: manyFilter('Issue', 'teamId') },
}

/** Derives a key from a team's name. */
const keyOf = (name: string) =>
  name
    .normalize('NFD')
    .replace(/[^A-Za-z0-9]/g, '')
    .slice(0, 3)
    .toUpperCase() || 'TEA'

/** True if no other team has the key. */
const isFreeKey = ({ store }: Session, key: string, id = '') =>
  store.rows({}, 'select 1 from teams where key = :key and id <> :id', { key, id }).length === 0

/** True if no issue has or had an identifier with the key. */
const isUnused = ({ store }: Session, key: string) =>
  store.rows(
    {},
    `select 1 from (select identifier from issues union all select identifier from formerIdentifiers)
     where substr(identifier, 1, instr(identifier, '-') - 1) = :key limit 1`,
    { key },
  ).length === 0

/** A key that no team has or has had. */
function freeKey(session: Session, name: string): string {
  const key = keyOf(name)
  const isFree = (each: string) => isFreeKey(session, each) && isUnused(session, each)
  return [key, ...Array.from({ length: 99 }, (_, index) => `${key}${index + 1}`)].find(isFree) ?? key
}

/** Makes the caller an owner of a team. */
function addOwner(session: Session, teamId: string): void {
  const id = membershipId(teamId, session.viewerId)
  if (session.find('TeamMembership', id) === null) session.insert('TeamMembership', { id, teamId, userId: session.viewerId })
  session.storeExtras(id, { owner: 1 })
}

/** Refuses a change by anyone who is neither an owner of the team nor an admin. */
function checkMayChangePrivacy(session: Session, id: string): void {
  if (session.extras(membershipId(id, session.viewerId))['owner'] !== 1 && !isAdmin(session))
    throw forbidden('Only owners of the team and admins can change whether it is private.')
}

/** Refuses a key that another team has, or that is part of former identifiers. Renames the team's issues to use the new key. */
function checkTeam(session: Session, values: Changes, before: Entity | undefined): Changes | undefined {
  const { private: isPrivate } = values
  if (before && typeof isPrivate === 'boolean' && isPrivate !== (before['private'] === 1)) {
    checkMayChangePrivacy(session, before.id)
    if (isPrivate) addOwner(session, before.id)
  }
  if (typeof values['key'] !== 'string') return undefined
  const [key, id] = [values['key'].toUpperCase(), before ? before.id : '']
  if (key === before?.['key']) return { key }
  if (!isFreeKey(session, key, id)) throw badArgument(`The key ${key} is already in use by another team.`)
  if (!isUnused(session, key)) throw badArgument(`The key ${key} was already used in issue identifiers.`)
  session.store.run('insert or ignore into formerIdentifiers (identifier, issueId) select identifier, id from issues where teamId = :id', {
    id,
  })
  session.store.run("update issues set identifier = :key || '-' || number where teamId = :id", { key, id })
  return { key }
}

const hooks: CrudHooks = {
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
  afterChange(session, row, before) {
    if (row['private'] !== before['private'] || row['parentId'] !== before['parentId']) removeOutsiders(session)
  },
  afterCreate(session, row) {
    const teamId = row.id
    const ids = new Map<string, string>()
    for (const [position, { name, type, color = '#bec2c8' }] of statesOf({ triageEnabled: row['triageEnabled'] === 1 }).entries()) {
      const id = idOf(`WorkflowState ${teamId} ${name}`)
      if (!ids.has(type)) ids.set(type, id)
      session.insert('WorkflowState', { id, name, type, color, position, teamId })
    }
    addOwner(session, teamId)
    return session.update('Team', teamId, {
      defaultIssueStateId: ids.get('backlog') ?? null,
      triageIssueStateId: ids.get('triage') ?? null,
      markedAsDuplicateWorkflowStateId: ids.get('duplicate') ?? null,
    })
  },
}

/** Public, private, or restricted to people who can see the private team that contains it. */
export function visibilityOf(session: Session, { private: isPrivate, parentId }: JsonObject): string {
  if (isPrivate === 1) return 'private'
  if (typeof parentId !== 'string') return 'public'
  const parent = session.find('Team', parentId)
  return parent !== null && visibilityOf(session, parent) === 'public' ? 'public' : 'restricted'
}

/** Teams whose content the caller can see. Workspace owners see more teams in the settings. */
export const visibleTeams: FieldResolver = (_, args, session) =>
  session.page('Team', args, {
    where: 'a.id not in (select value from json_each(:hidden))',
    values: { hidden: JSON.stringify(session.hiddenTeams()) },
  })

/** Retires and archives a team with its issues. */
const teamDelete: FieldResolver = (_, args, session) => {
  const row = findRow(session, 'Team', args['id'])
  const others = session.store.rows({}, 'select 1 from teams where archivedAt is null and id <> :id limit 1', { id: row.id })
  if (others.length === 0) throw badArgument('The last team of a workspace cannot be deleted.')
  session.update('Team', row.id, { archivedAt: session.at, retiredAt: session.at })
  return { entityId: row.id }
}

export const teams = entity(team, {
  ...hooks,
  tables: `create table teamMembers (teamId text not null, userId text not null, primary key (teamId, userId)) strict, without rowid;
create index teamMembers_user on teamMembers (userId);`,
  fields: {
    displayName: (source) => source['name'],
    activeCycle: (source, _, session) => activeCycle(session, stringAt(source, 'id')),
    visibility: (source, _, session) => visibilityOf(session, source),
    viewerCanJoin: (source, _, session) => source['private'] === 0 || session.get('User', session.viewerId)['owner'] === 1,
    viewerCanLeave: () => true,
    issueCount: (source, args, session) => {
      const shown = args['includeArchived'] === true ? 'true' : 'a.archivedAt is null'
      return session.count('Issue', `a.teamId = :id and ${shown}`, { id: stringAt(source, 'id') })
    },
    members: (source, args, session) =>
      usersWithin(session, args, scopedTo('a.id in (select userId from teamMembers where teamId = :owner)', stringAt(source, 'id'))),
    projects: manyToMany('Project', ['projectTeams', 'teamId', 'projectId']),
    membership: (source, args, session) => session.find('TeamMembership', membershipId(stringAt(source, 'id'), stringAt(args, 'userId'))),
    viewerMembership: (source, _, session) => session.find('TeamMembership', membershipId(stringAt(source, 'id'), session.viewerId)),
  },
  queries: {
    teams: visibleTeams,
    administrableTeams: (_, args, session) => session.page('Team', args),
    archivedTeams: (_source, _args, session) => session.select('Team', 'where a.archivedAt is not null order by a.name'),
  },
  mutations: {
    teamDelete,
    teamUnarchive: (_, args, session) => ({
      entity: session.update('Team', findRow(session, 'Team', args['id']).id, { archivedAt: null, retiredAt: null }),
    }),
    teamCyclesDelete(_, args, session) {
      const id = findRow(session, 'Team', args['id']).id
      session.store.run('update issues set cycleId = null where cycleId in (select id from cycles where teamId = :id)', { id })
      for (const each of session.select('Cycle', 'where a.teamId = :id', { id })) session.remove('Cycle', each.id)
      return { team: session.update('Team', id, { cyclesEnabled: false }) }
    },
  },
})
