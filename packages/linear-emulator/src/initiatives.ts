import { byId, every, owned, toOne, within } from './entities.ts'
import { isUuid, slugified } from './ids.ts'
import { commonFilters, linked, one, value, type Noun, type Part, type Row } from './noun.ts'
import { notFound } from './refusals.ts'
import { connection, filterTypes, page } from './sdl.ts'
import type { Session } from './session.ts'
import { text } from './values.ts'
import { workspaceUrl } from './workspace.ts'

const initiative: Noun = {
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
    name: value('words'),
    slugId: value('words'),
    status: value('words'),
    health: value('text'),
    priority: value('number'),
    targetDate: value('day'),
    owner: one('User', 'ownerId'),
    creator: one('User', 'creatorId'),
    projects: linked('Project', ['initiativeToProjects', 'initiativeId', 'projectId']),
  },
}

const link: Noun = {
  type: 'InitiativeToProject',
  table: 'initiativeToProjects',
  columns: { initiativeId: 'text', projectId: 'text', sortOrder: 'text' },
  indexes: ['initiativeId', 'projectId'],
  filters: commonFilters,
}

const below = `with recursive family(id) as (values (:owner) union select i.id from initiatives i join family f on i.parentInitiativeId = f.id) select id from family`

/** The initiative that a UUID or the slug of its URL names. */
export function findInitiative(session: Session, reference: string): Row {
  if (isUuid(reference)) return session.get('Initiative', reference.toLowerCase())
  const found = session.select('Initiative', 'where a.slugId = :slugId', { slugId: reference.slice(reference.lastIndexOf('-') + 1) })[0]
  if (found === undefined) throw notFound('Initiative')
  return found
}

/** Initiatives and the projects they hold. */
export const initiatives: Part = {
  nouns: [initiative, link],
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
${filterTypes({
  type: 'Initiative',
  fields: `id: EntityIdentifierIdComparator  name: StringComparator  slugId: StringComparator  status: StringComparator
    health: StringComparator  targetDate: NullableDateComparator  owner: NullableUserFilter  creator: NullableUserFilter
    priority: NullableNumberComparator  projects: ProjectCollectionFilter  createdAt: DateComparator
    updatedAt: DateComparator`,
  collection: true,
})}
input InitiativeSortInput { createdAt: InitiativeCreatedAtSort  updatedAt: InitiativeUpdatedAtSort }
input InitiativeCreatedAtSort { nulls: PaginationNulls  order: PaginationSortOrder }
input InitiativeUpdatedAtSort { nulls: PaginationNulls  order: PaginationSortOrder }
extend type Query {
  initiative(id: String!): Initiative!
  initiatives(filter: InitiativeFilter, sort: [InitiativeSortInput!], ${page}): InitiativeConnection!
  initiativeToProject(id: String!): InitiativeToProject!
  initiativeToProjects(${page}): InitiativeToProjectConnection!
}`,
  resolvers: {
    Initiative: {
      url: (source) => `${workspaceUrl}/initiative/${slugified(text(source, 'name'))}-${text(source, 'slugId')}`,
      visibility: () => 'public',
      frequencyResolution: () => 'weekly',
      documentContent: (source) => (source['content'] === null ? null : { ...source, initiativeId: source['id'] }),
      owner: toOne('User', 'ownerId'),
      creator: toOne('User', 'creatorId'),
      parentInitiative: toOne('Initiative', 'parentInitiativeId'),
      subInitiatives: owned('Initiative', 'parentInitiativeId'),
      projects(source, args, session) {
        const initiatives = args['includeSubInitiatives'] === false ? ':owner' : below
        const where = `a.id in (select projectId from initiativeToProjects where initiativeId in (${initiatives}))`
        return session.page('Project', args, within(where, text(source, 'id')))
      },
    },
    InitiativeToProject: { initiative: toOne('Initiative', 'initiativeId'), project: toOne('Project', 'projectId') },
    Query: {
      initiative: (_, args, session) => findInitiative(session, text(args, 'id')),
      initiatives: every('Initiative'),
      initiativeToProject: byId('InitiativeToProject'),
      initiativeToProjects: every('InitiativeToProject'),
    },
  },
}
