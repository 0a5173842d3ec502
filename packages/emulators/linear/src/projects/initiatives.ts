import { stringAt, stringOrNullAt } from '@mcp-toolkits/emulator'
import { type CrudHooks, entity, findRow } from '../engine/crud.ts'
import { type FieldResolver, scopedTo, toMany } from '../engine/entity-module.ts'
import { storedOr } from '../engine/fields.ts'
import { differentEnds, ordered } from '../engine/hooks.ts'
import { badArgument } from '../errors.ts'
import { slugify } from '../ids.ts'
import { labelsOf } from '../issues/labels.ts'
import { columnsOf, type EntityType, joinFilter } from '../store/entity-type.ts'
import { lastUpdate } from './updates.ts'

const initiative: EntityType = {
  type: 'Initiative',
  table: 'initiatives',
  columns: columnsOf(`
    name, slugId, description?, content?, icon?, color?, status, priority: integer, health?, healthUpdatedAt?, targetDate?,
    targetDateResolution?, startedAt?, completedAt?, ownerId?, creatorId?, parentInitiativeId?, trashed?: integer
  `),
  indexes: ['parentInitiativeId'],
  uniques: ['slugId'],
  searched: ['name', 'slugId', 'status'],
  filters: { projects: joinFilter('Project', ['initiativeToProjects', 'initiativeId', 'projectId']) },
}

const link: EntityType = {
  type: 'InitiativeToProject',
  table: 'initiativeToProjects',
  columns: { initiativeId: 'text', projectId: 'text', sortOrder: 'text' },
  indexes: ['initiativeId', 'projectId'],
}

const below = `with recursive family(id) as (values (:owner) union select i.id from initiatives i join family f on i.parentInitiativeId = f.id) select id from family`

const hooks: CrudHooks = {
  idsAlone: true,
  defaults: () => ({ status: 'Planned', priority: 0 }),
  check(session, values, before) {
    const { status } = values
    const started = before === undefined ? null : stringOrNullAt(before, 'startedAt')
    if (typeof status !== 'string') return undefined
    return { startedAt: status === 'Active' ? (started ?? session.at) : started, completedAt: status === 'Completed' ? session.at : null }
  },
  maxLengths: { description: 255 },
}

const initiativeDelete: FieldResolver = (_, args, session) => {
  const row = findRow(session, 'Initiative', args['id'])
  session.update('Initiative', row.id, { archivedAt: session.at, trashed: true })
  return { entityId: row.id }
}

export const initiatives = entity(initiative, {
  ...hooks,
  fields: {
    url: (source, _, { pageUrl }) => pageUrl(`/initiative/${slugify(stringAt(source, 'name'))}-${stringAt(source, 'slugId')}`),
    visibility: () => 'public',
    frequencyResolution: storedOr('frequencyResolution', () => 'weekly'),
    documentContent: (source) => (source['content'] === null ? null : { ...source, initiativeId: source['id'] }),
    lastUpdate: lastUpdate('InitiativeUpdate', 'initiativeId'),
    subInitiatives: toMany('Initiative', 'parentInitiativeId'),
    projects(source, args, session) {
      const initiatives = args['includeSubInitiatives'] === false ? ':owner' : below
      const where = `a.id in (select projectId from initiativeToProjects where initiativeId in (${initiatives}))`
      return session.page('Project', args, scopedTo(where, stringAt(source, 'id')))
    },
    ...labelsOf('Initiative'),
  },
  mutations: { initiativeDelete },
})

const family = `with recursive
  above(id) as (values (:id) union select i.parentInitiativeId from initiatives i join above on i.id = above.id where i.parentInitiativeId is not null),
  below(id) as (values (:id) union select i.id from initiatives i join below on i.parentInitiativeId = below.id)
  select id from above union select id from below`

/** Links from initiatives to projects. A project appears only once in a hierarchy of initiatives. */
export const projectLinks = entity(link, {
  defaults: () => ({ sortOrder: '0' }),
  check(session, values, before) {
    const [projectId, id] = [String(values['projectId']), String(values['initiativeId'])]
    const where = `where a.projectId = :projectId and a.initiativeId in (${family})`
    if (before === undefined && session.select('InitiativeToProject', where, { projectId, id }).length > 0)
      throw badArgument('A project can only appear once in an initiative hierarchy.')
    return ordered.check?.(session, values, before)
  },
})

/** Links from roadmaps to projects. */
export const roadmapLinks = entity('RoadmapToProject', ordered)

export const initiativeRelations = entity('InitiativeRelation', differentEnds('initiativeId', 'relatedInitiativeId'))
