import { type JsonObject, stringAt, stringOrNullAt } from '@mcp-toolkits/emulator'
import { isUuid, newId, slugIdFor, slugify } from '../ids.ts'
import {
  archive,
  idOfRow,
  inputOf,
  limitedText,
  optionalDay,
  optionalEntity,
  optionalNonEmptyText,
  optionalText,
  requiredEntity,
  requiredText,
  withoutUndefined,
} from '../engine/inputs.ts'
import { badArgument, conflict, notFound } from '../errors.ts'
import { connection, filterTypes, page } from '../graphql/sdl.ts'
import { commonFilters, type EntityType, joinFilter, oneFilter, type EntityRow, valueFilter } from '../store/entity-type.ts'
import type { Changes, Session } from '../store/session.ts'
import { type EntityModule, getById, listAll, type FieldResolver, scopedTo, toMany, toOne } from '../engine/entity-module.ts'

const initiative: EntityType = {
  type: 'Initiative',
  table: 'initiatives',
  columns: {
    name: 'text',
    slugId: 'text',
    description: 'text?',
    content: 'text?',
    icon: 'text?',
    color: 'text?',
    status: 'text',
    priority: 'integer',
    health: 'text?',
    healthUpdatedAt: 'text?',
    targetDate: 'text?',
    targetDateResolution: 'text?',
    startedAt: 'text?',
    completedAt: 'text?',
    ownerId: 'text?',
    creatorId: 'text?',
    parentInitiativeId: 'text?',
    trashed: 'integer?',
  },
  indexes: ['parentInitiativeId'],
  uniques: ['slugId'],
  filters: {
    ...commonFilters,
    id: valueFilter('id', 'EntityIdentifierIdComparator'),
    name: valueFilter('words'),
    slugId: valueFilter('words'),
    status: valueFilter('words'),
    health: valueFilter('text', 'StringComparator'),
    priority: valueFilter('number', 'NullableNumberComparator'),
    targetDate: valueFilter('day'),
    owner: oneFilter('User', 'ownerId'),
    creator: oneFilter('User', 'creatorId'),
    projects: joinFilter('Project', ['initiativeToProjects', 'initiativeId', 'projectId']),
  },
}

const link: EntityType = {
  type: 'InitiativeToProject',
  table: 'initiativeToProjects',
  columns: { initiativeId: 'text', projectId: 'text', sortOrder: 'text' },
  indexes: ['initiativeId', 'projectId'],
  filters: commonFilters,
}

const below = `with recursive family(id) as (values (:owner) union select i.id from initiatives i join family f on i.parentInitiativeId = f.id) select id from family`

/** Finds an initiative by UUID or by the slug of its URL. */
function findInitiative(session: Session, reference: string): EntityRow {
  if (isUuid(reference)) return session.get('Initiative', reference.toLowerCase())
  const found = session.select('Initiative', 'where a.slugId = :slugId', { slugId: reference.slice(reference.lastIndexOf('-') + 1) })[0]
  if (found === undefined) throw notFound('Initiative')
  return found
}

const maxDescriptionLength = 255

/** The columns that an input sets. */
function initiativeChanges(session: Session, input: JsonObject, before: EntityRow | undefined): Changes {
  const owner = optionalEntity(session, 'User', input, 'ownerId')
  const status = optionalText(input, 'status') ?? undefined
  const started = before === undefined ? null : stringOrNullAt(before, 'startedAt')
  return {
    description: limitedText(input, 'description', maxDescriptionLength),
    content: optionalText(input, 'content'),
    icon: optionalText(input, 'icon'),
    color: optionalText(input, 'color'),
    targetDate: optionalDay(input, 'targetDate', session.now),
    targetDateResolution: optionalText(input, 'targetDateResolution'),
    ownerId: idOfRow(owner),
    ...(status !== undefined && {
      status,
      startedAt: status === 'Active' ? (started ?? session.at) : started,
      completedAt: status === 'Completed' ? session.at : null,
    }),
  }
}

const initiativeCreate: FieldResolver = (_, args, session) => {
  const input = inputOf(args)
  const id = newId(input['id'])
  const initiative = session.insert('Initiative', {
    status: 'Planned',
    priority: 0,
    ...withoutUndefined(initiativeChanges(session, input, undefined)),
    id,
    name: requiredText(input, 'name'),
    slugId: slugIdFor(id),
    creatorId: session.viewerId,
  })
  return { initiative }
}

const initiativeUpdate: FieldResolver = (_, args, session) => {
  const before = requiredEntity(session, 'Initiative', args['id'], 'id')
  const input = inputOf(args)
  const name = input['name'] === null ? undefined : optionalNonEmptyText(input, 'name')
  return {
    initiative: session.update(
      'Initiative',
      stringAt(before, 'id'),
      withoutUndefined({ ...initiativeChanges(session, input, before), name }),
    ),
  }
}

const family = `with recursive
  above(id) as (values (:id) union select i.parentInitiativeId from initiatives i join above on i.id = above.id where i.parentInitiativeId is not null),
  below(id) as (values (:id) union select i.id from initiatives i join below on i.parentInitiativeId = below.id)
  select id from above union select id from below`

const initiativeToProjectCreate: FieldResolver = (_, args, session) => {
  const input = inputOf(args)
  const id = newId(input['id'])
  const initiativeId = stringAt(requiredEntity(session, 'Initiative', input['initiativeId'], 'initiativeId'), 'id')
  const projectId = stringAt(requiredEntity(session, 'Project', input['projectId'], 'projectId'), 'id')
  if (session.find('InitiativeToProject', id) !== null) throw conflict('InitiativeToProject', id)
  const linked = session.select('InitiativeToProject', `where a.projectId = :projectId and a.initiativeId in (${family})`, {
    projectId,
    id: initiativeId,
  })
  if (linked.length > 0) throw badArgument('A project can only appear once in an initiative hierarchy.')
  const sortOrder = typeof input['sortOrder'] === 'number' ? String(input['sortOrder']) : '0'
  return { initiativeToProject: session.insert('InitiativeToProject', { id, initiativeId, projectId, sortOrder }) }
}

/** Initiatives and their projects. */
export const initiatives: EntityModule = {
  entityTypes: [initiative, link],
  sdl: `
type Initiative implements Node {
  id: ID!  name: String!  slugId: String!  url: String!  description: String  content: String  status: InitiativeStatus!
  health: InitiativeUpdateHealthType  healthUpdatedAt: DateTime  targetDate: TimelessDate
  targetDateResolution: DateResolutionType  priority: Int!  createdAt: DateTime!  updatedAt: DateTime!
  startedAt: DateTime  completedAt: DateTime  archivedAt: DateTime  trashed: Boolean  owner: User  creator: User
  parentInitiative: Initiative  lastUpdate: InitiativeUpdate  integrationsSettings: IntegrationsSettings
  labelIds: [String!]!  documentContent: DocumentContent  updateRemindersDay: Day  updateReminderFrequency: Float
  updateRemindersHour: Float  icon: String  color: String  updateReminderFrequencyInWeeks: Float
  frequencyResolution: FrequencyResolutionType!  prioritySortOrder: Float!  sortOrder: Float!  leadTeam: Team
  visibility: InitiativeVisibility!
  projects(filter: ProjectFilter, includeSubInitiatives: Boolean, sort: [ProjectSortInput!], ${page}): ProjectConnection!
  subInitiatives(filter: InitiativeFilter, sort: [InitiativeSortInput!], ${page}): InitiativeConnection!
}
enum InitiativeStatus { Active Canceled Completed Planned Proposed }
enum InitiativeVisibility { private public restricted }
type InitiativeUpdate implements Node {
  id: ID!  body: String!  health: InitiativeUpdateHealthType!  createdAt: DateTime!  url: String!
}
enum InitiativeUpdateHealthType { atRisk offTrack onTrack }
type InitiativeToProject implements Node {
  id: ID!  initiative: Initiative!  project: Project!  updatedAt: DateTime!  sortOrder: String!  archivedAt: DateTime
  createdAt: DateTime!
}
${connection('Initiative')}
${connection('InitiativeToProject')}
${filterTypes(initiative, { collection: true })}
input InitiativeSortInput { createdAt: InitiativeCreatedAtSort  updatedAt: InitiativeUpdatedAtSort }
input InitiativeCreatedAtSort { nulls: PaginationNulls  order: PaginationSortOrder }
input InitiativeUpdatedAtSort { nulls: PaginationNulls  order: PaginationSortOrder }
extend type Query {
  initiative(id: String!): Initiative!
  initiatives(filter: InitiativeFilter, sort: [InitiativeSortInput!], ${page}): InitiativeConnection!
  initiativeToProject(id: String!): InitiativeToProject!
  initiativeToProjects(${page}): InitiativeToProjectConnection!
}
type InitiativePayload { success: Boolean!  initiative: Initiative!  lastSyncId: Float! }
type InitiativeArchivePayload implements ArchivePayload { success: Boolean!  entity: Initiative  lastSyncId: Float! }
input InitiativeCreateInput {
  id: String  name: String!  description: String  content: String  status: InitiativeStatus  targetDate: TimelessDate
  targetDateResolution: DateResolutionType  ownerId: String  icon: String  color: String
}
input InitiativeUpdateInput {
  name: String  description: String  content: String  status: InitiativeStatus  targetDate: TimelessDate
  targetDateResolution: DateResolutionType  ownerId: String  icon: String  color: String
}
type InitiativeToProjectPayload { success: Boolean!  initiativeToProject: InitiativeToProject!  lastSyncId: Float! }
input InitiativeToProjectCreateInput { id: String  initiativeId: String!  projectId: String!  sortOrder: Float }
extend type Mutation {
  initiativeCreate(input: InitiativeCreateInput!): InitiativePayload!
  initiativeUpdate(id: String!, input: InitiativeUpdateInput!): InitiativePayload!
  initiativeArchive(id: String!): InitiativeArchivePayload!
  initiativeUnarchive(id: String!): InitiativeArchivePayload!
  initiativeToProjectCreate(input: InitiativeToProjectCreateInput!): InitiativeToProjectPayload!
}`,
  resolvers: {
    Initiative: {
      url: (source, _, { pageUrl }) => pageUrl(`/initiative/${slugify(stringAt(source, 'name'))}-${stringAt(source, 'slugId')}`),
      visibility: () => 'public',
      frequencyResolution: () => 'weekly',
      documentContent: (source) => (source['content'] === null ? null : { ...source, initiativeId: source['id'] }),
      owner: toOne('User', 'ownerId'),
      creator: toOne('User', 'creatorId'),
      parentInitiative: toOne('Initiative', 'parentInitiativeId'),
      subInitiatives: toMany('Initiative', 'parentInitiativeId'),
      projects(source, args, session) {
        const initiatives = args['includeSubInitiatives'] === false ? ':owner' : below
        const where = `a.id in (select projectId from initiativeToProjects where initiativeId in (${initiatives}))`
        return session.page('Project', args, scopedTo(where, stringAt(source, 'id')))
      },
    },
    InitiativeToProject: { initiative: toOne('Initiative', 'initiativeId'), project: toOne('Project', 'projectId') },
    Query: {
      initiative: (_, args, session) => findInitiative(session, stringAt(args, 'id')),
      initiatives: listAll('Initiative'),
      initiativeToProject: getById('InitiativeToProject'),
      initiativeToProjects: listAll('InitiativeToProject'),
    },
    Mutation: {
      initiativeCreate,
      initiativeUpdate,
      initiativeArchive: (_, args, session) => ({
        entity: archive(session, 'Initiative', requiredEntity(session, 'Initiative', args['id'], 'id'), false),
      }),
      initiativeUnarchive(_, args, session) {
        const { id } = requiredEntity(session, 'Initiative', args['id'], 'id')
        return { entity: session.update('Initiative', String(id), { archivedAt: null, trashed: null }) }
      },
      initiativeToProjectCreate,
    },
  },
}
