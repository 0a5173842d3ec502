import { stringAt } from '@mcp-toolkits/emulator'
import type { FieldResolver, Resolvers } from '../engine/entity-module.ts'
import { badArgument, forbidden } from '../errors.ts'
import { idOf } from '../ids.ts'
import { inputOf, requiredEntity } from '../engine/inputs.ts'
import type { Session } from '../store/session.ts'
import { changeRow, findRow, type CrudHooks, crudOperations } from '../engine/crud.ts'

/** Some mutations of a kind; the servers have the others. */
const only = ({ Mutation = {} }: Resolvers, ...names: readonly string[]): Resolvers => ({
  Mutation: Object.fromEntries(Object.entries(Mutation).filter(([name]) => names.includes(name))),
})

/** Status updates, which only their authors change. */
const statusUpdate: CrudHooks = {
  check(session, values, before) {
    if (before !== undefined && before['userId'] !== session.viewerId) throw forbidden('You can only change your own updates.')
    return before === undefined ? { health: values['health'] ?? 'onTrack' } : { editedAt: session.at }
  },
}

const milestone: CrudHooks = {
  defaults: (session, { projectId }) => ({
    sortOrder: session.count('ProjectMilestone', 'a.projectId = :projectId', { projectId: String(projectId) }),
  }),
  beforeRemoval({ store }, row) {
    store.run('update issues set projectMilestoneId = null where projectMilestoneId = :id', { id: stringAt(row, 'id') })
  },
}

const status: CrudHooks = {
  defaults: () => ({ indefinite: false }),
  beforeRemoval(session, row) {
    if (session.count('Project', 'a.statusId = :id and a.archivedAt is null', { id: stringAt(row, 'id') }) > 0)
      throw badArgument('The status has projects; move them to another status first.')
    const others = 'a.type = :type and a.id <> :id and a.archivedAt is null'
    if (session.count('ProjectStatus', others, { type: stringAt(row, 'type'), id: stringAt(row, 'id') }) === 0)
      throw badArgument(`It is the last status of the type ${stringAt(row, 'type')}.`)
  },
}

/** A place in an order, which inputs give as a number and entities have as a text. */
const ordered: CrudHooks = {
  check: (_session, { sortOrder }) => (typeof sortOrder === 'number' ? { sortOrder: String(sortOrder) } : undefined),
}

const milestoneMove: FieldResolver = (_, args, session) => {
  const before = findRow(session, 'ProjectMilestone', args['id'])
  const projectId = stringAt(requiredEntity(session, 'Project', inputOf(args)['projectId'], 'projectId'), 'id')
  const id = stringAt(before, 'id')
  session.store.run('update issues set projectId = :projectId where projectMilestoneId = :id', { projectId, id })
  return { projectMilestone: changeRow(session, { type: 'ProjectMilestone', before, changes: { projectId } }) }
}

/** The two ends of a relation, which must differ. */
const relation = (end: string, other: string): CrudHooks => ({
  check(_session, values, before) {
    if ((values[end] ?? before?.[end]) === (values[other] ?? before?.[other]))
      throw badArgument(`${other} must be another one than ${end}.`)
    return undefined
  },
})

const inverse =
  (type: string, key: string): FieldResolver =>
  (source, args, session) =>
    session.page(type, args, { where: `a.${key} = :owner`, values: { owner: stringAt(source, 'id') } })

const moveStatus: FieldResolver = (_, args, session) => {
  const from = stringAt(findRow(session, 'ProjectStatus', args['originalProjectStatusId']), 'id')
  const statusId = stringAt(findRow(session, 'ProjectStatus', args['newProjectStatusId']), 'id')
  for (const project of session.select('Project', 'where a.statusId = :from', { from }))
    session.update('Project', stringAt(project, 'id'), { statusId })
  return {}
}

/** The newest update of a project or initiative. */
const lastUpdate =
  (type: string, key: string): FieldResolver =>
  (source, _, session) =>
    session.select(type, `where a.${key} = :id and a.archivedAt is null order by a.createdAt desc limit 1`, {
      id: stringAt(source, 'id'),
    })[0] ?? null

const initiativeDelete: FieldResolver = (_, args, session) => {
  const row = findRow(session, 'Initiative', args['id'])
  session.update('Initiative', stringAt(row, 'id'), { archivedAt: session.at, trashed: true })
  return { entityId: row['id'] }
}

const stages = [
  { name: 'Planned', type: 'planned' },
  { name: 'In progress', type: 'started' },
  { name: 'Released', type: 'completed' },
  { name: 'Canceled', type: 'canceled' },
] as const

/** The first stage of a pipeline. */
function firstStage(session: Session, pipelineId: unknown): string {
  const where = 'where a.pipelineId = :id and a.archivedAt is null order by a.position limit 1'
  const first = session.select('ReleaseStage', where, { id: String(pipelineId) })[0]
  if (first === undefined) throw badArgument('The pipeline has no stage.')
  return stringAt(first, 'id')
}

/** Projects, milestones, statuses, initiatives and releases, whose pipelines begin with stages. */
export const planOperations: readonly Resolvers[] = [
  crudOperations('ProjectMilestone', milestone),
  crudOperations('ProjectStatus', status),
  crudOperations('ProjectRelation', relation('projectId', 'relatedProjectId')),
  crudOperations('InitiativeRelation', relation('initiativeId', 'relatedInitiativeId')),
  crudOperations('InitiativeUpdate', statusUpdate),
  only(
    crudOperations('ProjectUpdate', statusUpdate),
    'projectUpdateUpdate',
    'projectUpdateDelete',
    'projectUpdateArchive',
    'projectUpdateUnarchive',
  ),
  only(crudOperations('InitiativeToProject', ordered), 'initiativeToProjectUpdate', 'initiativeToProjectDelete'),
  crudOperations('RoadmapToProject', ordered),
  crudOperations('ReleasePipeline', {
    afterCreate(session, row) {
      const pipelineId = stringAt(row, 'id')
      for (const [position, { name, type }] of stages.entries())
        session.insert('ReleaseStage', {
          id: idOf(`ReleaseStage ${pipelineId} ${name}`),
          name,
          type,
          position,
          color: '#bec2c8',
          pipelineId,
        })
      return row
    },
  }),
  crudOperations('Release', {
    check: (session, values, before) =>
      before === undefined && values['stageId'] === undefined ? { stageId: firstStage(session, values['pipelineId']) } : undefined,
  }),
  {
    Query: {
      projectStatusProjectCount: (_, args, session) => ({
        count: session.count('Project', 'a.statusId = :id and a.archivedAt is null', { id: stringAt(args, 'id') }),
        privateCount: 0,
        archivedTeamCount: 0,
      }),
    },
    Mutation: { projectMilestoneMove: milestoneMove, projectReassignStatus: moveStatus, initiativeDelete },
    Project: {
      lastUpdate: lastUpdate('ProjectUpdate', 'projectId'),
      relations: inverse('ProjectRelation', 'projectId'),
      inverseRelations: inverse('ProjectRelation', 'relatedProjectId'),
    },
    Initiative: { lastUpdate: lastUpdate('InitiativeUpdate', 'initiativeId') },
  },
]
