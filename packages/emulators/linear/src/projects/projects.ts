import { numberAt, stringAt, stringOrNullAt } from '@mcp-toolkits/emulator'
import { type CrudHooks, entity, findRow } from '../engine/crud.ts'
import { type FieldResolver, manyToMany, scopedTo, toMany } from '../engine/entity-module.ts'
import { storedOr } from '../engine/fields.ts'
import { differentEnds } from '../engine/hooks.ts'
import { checkPriority } from '../engine/inputs.ts'
import { badArgument } from '../errors.ts'
import { slugify } from '../ids.ts'
import { priorityLabels } from '../issues/issues.ts'
import { labelsOf } from '../issues/labels.ts'
import { usersWithin } from '../people/users.ts'
import { columnsOf, type Entity, type EntityType, joinFilter, manyFilter } from '../store/entity-type.ts'
import type { Changes, Session } from '../store/session.ts'
import { progressOf, scopeHistories, scopeOf } from './progress.ts'
import { lastUpdate } from './updates.ts'

const project: EntityType = {
  type: 'Project',
  table: 'projects',
  columns: columnsOf(`
    name, slugId, description, content?, icon?, color, priority: integer, statusId, creatorId?, leadId?, startDate?, startDateResolution?,
    targetDate?, targetDateResolution?, health?, healthUpdatedAt?, startedAt?, completedAt?, canceledAt?, trashed?: integer
  `),
  uniques: ['slugId'],
  searched: ['name', 'slugId'],
  filters: {
    members: joinFilter('User', ['projectMembers', 'projectId', 'userId']),
    accessibleTeams: joinFilter('Team', ['projectTeams', 'projectId', 'teamId']),
    initiatives: joinFilter('Initiative', ['initiativeToProjects', 'projectId', 'initiativeId']),
    issues: manyFilter('Issue', 'projectId'),
  },
}

function projectStatusChanges(session: Session, status: Entity, before: Entity | undefined): Changes {
  const type = stringAt(status, 'type')
  const started = before === undefined ? null : stringOrNullAt(before, 'startedAt')
  return {
    statusId: status.id,
    startedAt: type === 'started' ? (started ?? session.at) : started,
    completedAt: type === 'completed' ? session.at : null,
    canceledAt: type === 'canceled' ? session.at : null,
  }
}

/** A new project's status. */
function firstStatus(session: Session): Entity {
  const found = session.select('ProjectStatus', "where a.type = 'backlog' and a.archivedAt is null order by a.position limit 1")[0]
  if (found === undefined) throw new Error('The workspace has no project status.')
  return found
}

const hooks: CrudHooks = {
  defaults: (session, { statusId }) => ({
    description: '',
    color: '#5e6ad2',
    priority: 0,
    ...(typeof statusId !== 'string' && projectStatusChanges(session, firstStatus(session), undefined)),
  }),
  check(session, values, before) {
    checkPriority(values)
    if (values['teamIds'] === '[]') throw badArgument('teamIds must contain at least 1 element.')
    const lead = session.find('User', values['leadId'])
    if (lead && lead['active'] !== 1) throw badArgument('leadId must be an active user.')
    const status = session.find('ProjectStatus', values['statusId'])
    return status ? projectStatusChanges(session, status, before) : undefined
  },
  links: { teamIds: ['projectTeams', 'projectId', 'teamId'], memberIds: ['projectMembers', 'projectId', 'userId'] },
  maxLengths: { description: 255 },
}

const moveStatus: FieldResolver = (_, args, session) => {
  const from = findRow(session, 'ProjectStatus', args['originalProjectStatusId']).id
  const statusId = findRow(session, 'ProjectStatus', args['newProjectStatusId']).id
  for (const project of session.select('Project', 'where a.statusId = :from', { from })) session.update('Project', project.id, { statusId })
  // The caller may not see all projects.
  session.store.run('update projects set statusId = :statusId, updatedAt = :at where statusId = :from', { from, statusId, at: session.at })
  return {}
}

export const projects = entity(project, {
  ...hooks,
  tables: `create table projectTeams (projectId text not null, teamId text not null, primary key (projectId, teamId)) strict, without rowid;
create index projectTeams_team on projectTeams (teamId);
create table projectMembers (projectId text not null, userId text not null, primary key (projectId, userId)) strict, without rowid;`,
  fields: {
    url: (source, _, { pageUrl }) => pageUrl(`/project/${slugify(stringAt(source, 'name'))}-${stringAt(source, 'slugId')}`),
    priorityLabel: (source) => priorityLabels[numberAt(source, 'priority')],
    state: (source, _, session) => stringAt(session.get('ProjectStatus', stringAt(source, 'statusId')), 'type'),
    progress: progressOf('projectId'),
    scope: scopeOf('projectId'),
    ...scopeHistories('projectId'),
    frequencyResolution: storedOr('frequencyResolution', () => 'weekly'),
    documentContent: (source) => (source['content'] === null ? null : { ...source, projectId: source['id'] }),
    lastUpdate: lastUpdate('ProjectUpdate', 'projectId'),
    teams: manyToMany('Team', ['projectTeams', 'projectId', 'teamId']),
    members: (source, args, session) =>
      usersWithin(session, args, scopedTo('a.id in (select userId from projectMembers where projectId = :owner)', stringAt(source, 'id'))),
    initiatives: manyToMany('Initiative', ['initiativeToProjects', 'projectId', 'initiativeId']),
    relations: toMany('ProjectRelation', 'projectId'),
    inverseRelations: toMany('ProjectRelation', 'relatedProjectId'),
    ...labelsOf('Project'),
  },
  mutations: { projectReassignStatus: moveStatus },
})

export const projectRelations = entity('ProjectRelation', differentEnds('projectId', 'relatedProjectId'))
