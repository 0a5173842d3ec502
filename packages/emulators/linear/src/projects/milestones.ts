import { stringAt, stringOrNullAt } from '@mcp-toolkits/emulator'
import { integer } from '@mcp-toolkits/sqlite'
import { changeRow, type CrudHooks, entity, findRow } from '../engine/crud.ts'
import type { FieldResolver } from '../engine/entity-module.ts'
import { inputOf, requiredEntity } from '../engine/inputs.ts'
import { badArgument } from '../errors.ts'
import { columnsOf, type Entity, type EntityType } from '../store/entity-type.ts'
import type { Session } from '../store/session.ts'
import { progressOf } from './progress.ts'

const statusType: EntityType = {
  type: 'ProjectStatus',
  table: 'projectStatuses',
  columns: columnsOf('name, type, position: real, color, description?, indefinite: integer'),
  searched: ['name', 'description'],
}

const milestoneType: EntityType = {
  type: 'ProjectMilestone',
  table: 'projectMilestones',
  columns: columnsOf('name, description?, targetDate?, sortOrder: real, projectId'),
  indexes: ['projectId'],
  searched: ['name'],
}

const milestone: CrudHooks = {
  defaults: (session, { projectId }) => ({
    sortOrder: session.count('ProjectMilestone', 'a.projectId = :projectId', { projectId: String(projectId) }),
  }),
  beforeRemoval({ store }, row) {
    store.run('update issues set projectMilestoneId = null where projectMilestoneId = :id', { id: row.id })
  },
}

/** Refuses to remove a type's last status. */
function checkNotLast(session: Session, row: Entity): void {
  const others = 'a.type = :type and a.id <> :id and a.archivedAt is null'
  if (session.count('ProjectStatus', others, { type: stringAt(row, 'type'), id: row.id }) === 0)
    throw badArgument(`Projects need a status of the type ${stringAt(row, 'type')}, and this is the last one.`)
}

/** The number of projects with a status, including those that the caller cannot see. */
const countProjects = ({ store }: Session, id: string) =>
  store.rows({ all: integer }, 'select count(*) as "all" from projects where statusId = :id and archivedAt is null', { id })[0]?.all ?? 0

const status: CrudHooks = {
  defaults: () => ({ indefinite: false }),
  check(session, { type }, before) {
    if (before && typeof type === 'string' && type !== before['type']) checkNotLast(session, before)
    return undefined
  },
  beforeRemoval(session, row) {
    if (countProjects(session, row.id) > 0) throw badArgument('The status has projects; move them to another status first.')
    checkNotLast(session, row)
  },
}

const milestoneMove: FieldResolver = (_, args, session) => {
  const before = findRow(session, 'ProjectMilestone', args['id'])
  const projectId = requiredEntity(session, 'Project', inputOf(args)['projectId'], 'projectId').id
  const id = before.id
  session.store.run('update issues set projectId = :projectId where projectMilestoneId = :id', { projectId, id })
  return { projectMilestone: changeRow(session, { type: 'ProjectMilestone', before, changes: { projectId } }) }
}

export const milestones = entity(milestoneType, {
  ...milestone,
  fields: {
    progress: progressOf('projectMilestoneId'),
    status(source, args, session) {
      if (progressOf('projectMilestoneId')(source, args, session) === 1) return 'done'
      const target = stringOrNullAt(source, 'targetDate')
      if (target === null) return 'unstarted'
      return target < session.at.slice(0, 10) ? 'overdue' : 'next'
    },
  },
  mutations: { projectMilestoneMove: milestoneMove },
})

export const projectStatuses = entity(statusType, {
  ...status,
  queries: {
    projectStatusProjectCount(_, args, session) {
      const id = stringAt(args, 'id')
      const count = countProjects(session, id)
      const visible = session.count('Project', 'a.statusId = :id and a.archivedAt is null', { id })
      return { count, privateCount: count - visible, archivedTeamCount: 0 }
    },
  },
})
