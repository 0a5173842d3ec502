import { type JsonObject, numberAt, stringAt, stringOrNullAt } from '@mcp-toolkits/emulator'
import { badArgument, notFound } from '../errors.ts'
import { connection, filterTypes, page } from '../graphql/sdl.ts'
import { isUuid, newId, slugIdFor, slugify } from '../ids.ts'
import {
  archive,
  idOfRow,
  inputOf,
  limitedText,
  optionalDay,
  optionalEntities,
  optionalEntity,
  optionalNonEmptyText,
  optionalPriority,
  optionalText,
  requiredEntity,
  requiredText,
  withoutUndefined,
} from '../engine/inputs.ts'
import { commonFilters, type EntityRow, type EntityType, joinFilter, manyFilter, oneFilter, valueFilter } from '../store/entity-type.ts'
import type { Changes, Session } from '../store/session.ts'
import { type EntityModule, type FieldResolver, getById, listAll, manyToMany, scopedTo, toMany, toOne } from '../engine/entity-module.ts'
import { priorityLabels } from '../issues/issues.ts'
import { progressOf, scopeHistories, scopeOf } from './milestones.ts'
import { usersWithin } from '../people/organization.ts'

const project: EntityType = {
  type: 'Project',
  table: 'projects',
  columns: {
    name: 'text',
    slugId: 'text',
    description: 'text',
    content: 'text?',
    icon: 'text?',
    color: 'text',
    priority: 'integer',
    statusId: 'text',
    creatorId: 'text?',
    leadId: 'text?',
    startDate: 'text?',
    startDateResolution: 'text?',
    targetDate: 'text?',
    targetDateResolution: 'text?',
    health: 'text?',
    healthUpdatedAt: 'text?',
    startedAt: 'text?',
    completedAt: 'text?',
    canceledAt: 'text?',
    trashed: 'integer?',
  },
  uniques: ['slugId'],
  filters: {
    ...commonFilters,
    id: valueFilter('id', 'EntityIdentifierIdComparator'),
    name: valueFilter('words'),
    slugId: valueFilter('words'),
    priority: valueFilter('number', 'NullableNumberComparator'),
    health: valueFilter('text', 'StringComparator'),
    startDate: valueFilter('day'),
    targetDate: valueFilter('day'),
    startedAt: valueFilter('time'),
    completedAt: valueFilter('time'),
    canceledAt: valueFilter('time'),
    status: oneFilter('ProjectStatus', 'statusId'),
    lead: oneFilter('User', 'leadId'),
    creator: oneFilter('User', 'creatorId', 'UserFilter'),
    members: joinFilter('User', ['projectMembers', 'projectId', 'userId']),
    accessibleTeams: joinFilter('Team', ['projectTeams', 'projectId', 'teamId']),
    initiatives: joinFilter('Initiative', ['initiativeToProjects', 'projectId', 'initiativeId']),
    issues: manyFilter('Issue', (alias, other) => `${other}.projectId = ${alias}.id`),
  },
}

/** Finds a project by UUID or by the slug of its URL. */
function findProject(session: Session, reference: string): EntityRow {
  if (isUuid(reference)) return session.get('Project', reference.toLowerCase())
  const slugId = reference.slice(reference.lastIndexOf('-') + 1)
  const found = session.select('Project', 'where a.slugId = :slugId', { slugId })[0]
  if (found === undefined) throw notFound('Project')
  return found
}

const maxDescriptionLength = 255

/** The columns that an input sets. */
function projectChanges(session: Session, input: JsonObject, before: EntityRow | undefined): Changes {
  const lead = optionalEntity(session, 'User', input, 'leadId')
  if (lead && lead['active'] !== 1) throw badArgument('leadId must be an active user.')
  const status = optionalEntity(session, 'ProjectStatus', input, 'statusId')
  return {
    content: optionalText(input, 'content'),
    icon: optionalText(input, 'icon'),
    color: optionalText(input, 'color') ?? undefined,
    description: limitedText(input, 'description', maxDescriptionLength) ?? undefined,
    priority: optionalPriority(input),
    leadId: idOfRow(lead),
    startDate: optionalDay(input, 'startDate', session.now),
    startDateResolution: optionalText(input, 'startDateResolution'),
    targetDate: optionalDay(input, 'targetDate', session.now),
    targetDateResolution: optionalText(input, 'targetDateResolution'),
    ...(status && projectStatusChanges(session, status, before)),
  }
}

function projectStatusChanges(session: Session, status: EntityRow, before: EntityRow | undefined): Changes {
  const type = stringAt(status, 'type')
  const started = before === undefined ? null : stringOrNullAt(before, 'startedAt')
  return {
    statusId: stringAt(status, 'id'),
    startedAt: type === 'started' ? (started ?? session.at) : started,
    completedAt: type === 'completed' ? session.at : null,
    canceledAt: type === 'canceled' ? session.at : null,
  }
}

/** Replaces the teams or members of a project. */
function setLinks(
  session: Session,
  table: 'projectTeams' | 'projectMembers',
  { id, rows }: { id: string; rows: readonly EntityRow[] | undefined },
): void {
  if (rows === undefined) return
  session.store.run(`delete from ${table} where projectId = :id`, { id })
  for (const row of rows) session.store.run(`insert into ${table} values (:id, :other)`, { id, other: stringAt(row, 'id') })
}

/** The teams of an input, at least one. */
function teamsOf(session: Session, input: JsonObject): EntityRow[] | undefined {
  const teams = optionalEntities(session, 'Team', input, 'teamIds')
  if (teams?.length === 0) throw badArgument('teamIds must contain at least 1 element.')
  return teams
}

const projectCreate: FieldResolver = (_, args, session) => {
  const input = inputOf(args)
  const id = newId(input['id'])
  const teams = teamsOf(session, input)
  const defaultStatus = session.select('ProjectStatus', "where a.type = 'backlog' and a.archivedAt is null order by a.position limit 1")[0]
  if (defaultStatus === undefined) throw new Error('The workspace has no project status.')
  const project = session.insert('Project', {
    description: '',
    color: '#5e6ad2',
    priority: 0,
    ...projectStatusChanges(session, defaultStatus, undefined),
    ...withoutUndefined(projectChanges(session, input, undefined)),
    id,
    name: requiredText(input, 'name'),
    slugId: slugIdFor(id),
    creatorId: session.viewerId,
  })
  setLinks(session, 'projectTeams', { id, rows: teams })
  setLinks(session, 'projectMembers', { id, rows: optionalEntities(session, 'User', input, 'memberIds') })
  return { project }
}

const projectUpdate: FieldResolver = (_, args, session) => {
  const before = findProject(session, stringAt(args, 'id'))
  const input = inputOf(args)
  const id = stringAt(before, 'id')
  const teams = teamsOf(session, input)
  const name = input['name'] === null ? undefined : optionalNonEmptyText(input, 'name')
  const changes = withoutUndefined({ ...projectChanges(session, input, before), name })
  setLinks(session, 'projectTeams', { id, rows: teams })
  setLinks(session, 'projectMembers', { id, rows: optionalEntities(session, 'User', input, 'memberIds') })
  return { project: session.update('Project', id, changes) }
}

const projectArchive =
  (always: boolean): FieldResolver =>
  (_, args, session) => ({
    entity: archive(session, 'Project', findProject(session, stringAt(args, 'id')), always || args['trash'] === true),
  })

/** Projects. */
export const projects: EntityModule = {
  entityTypes: [project],
  tables: `create table projectTeams (projectId text not null, teamId text not null, primary key (projectId, teamId)) strict, without rowid;
create index projectTeams_team on projectTeams (teamId);
create table projectMembers (projectId text not null, userId text not null, primary key (projectId, userId)) strict, without rowid;`,
  sdl: `
type Project implements Node {
  id: ID!  name: String!  slugId: String!  description: String!  content: String  url: String!  icon: String
  color: String!  priority: Int!  priorityLabel: String!  progress: Float!  scope: Float!
  health: ProjectUpdateHealthType  healthUpdatedAt: DateTime  startDate: TimelessDate
  startDateResolution: DateResolutionType  targetDate: TimelessDate  targetDateResolution: DateResolutionType
  createdAt: DateTime!  updatedAt: DateTime!  startedAt: DateTime  completedAt: DateTime  canceledAt: DateTime
  archivedAt: DateTime  trashed: Boolean  status: ProjectStatus!  creator: User  lead: User  lastUpdate: ProjectUpdate
  documentContent: DocumentContent  integrationsSettings: IntegrationsSettings  microsoftTeamsChannelId: String
  slackChannelId: String  labelIds: [String!]!  updateRemindersDay: Day  syncedWith: [ExternalEntityInfo!]
  updateReminderFrequency: Float  updateRemindersHour: Float  convertedFromIssue: Issue  lastAppliedTemplate: Template
  updateReminderFrequencyInWeeks: Float  completedScopeHistory: [Float!]!  completedIssueCountHistory: [Float!]!
  inProgressScopeHistory: [Float!]!  resourceCount: Int!  frequencyResolution: FrequencyResolutionType!
  prioritySortOrder: Float!  sortOrder: Float!  autoArchivedAt: DateTime  projectUpdateRemindersPausedUntilAt: DateTime
  issueCountHistory: [Float!]!  scopeHistory: [Float!]!  favorite: Favorite  slackIssueComments: Boolean!
  slackNewIssue: Boolean!  slackIssueStatuses: Boolean!  state: String!
  teams(filter: TeamFilter, ${page}): TeamConnection!
  projectUpdates(${page}): ProjectUpdateConnection!
  projectMilestones(filter: ProjectMilestoneFilter, ${page}): ProjectMilestoneConnection!
  members(filter: UserFilter, includeDisabled: Boolean, ${page}): UserConnection!
  issues(filter: IssueFilter, ${page}): IssueConnection!
  initiativeToProjects(${page}): InitiativeToProjectConnection!
  initiatives(${page}): InitiativeConnection!
}
enum DateResolutionType { halfYear month quarter year }
enum FrequencyResolutionType { daily weekly }
${connection('Project')}
${filterTypes(project, { nullable: true, collection: true })}
input ProjectSortInput { createdAt: ProjectCreatedAtSort  updatedAt: ProjectUpdatedAtSort }
input ProjectCreatedAtSort { nulls: PaginationNulls  order: PaginationSortOrder }
input ProjectUpdatedAtSort { nulls: PaginationNulls  order: PaginationSortOrder }
extend type Query {
  project(id: String!): Project!
  projects(filter: ProjectFilter, sort: [ProjectSortInput!], ${page}): ProjectConnection!
}
type ProjectPayload { success: Boolean!  project: Project  lastSyncId: Float! }
type ProjectArchivePayload implements ArchivePayload { success: Boolean!  entity: Project  lastSyncId: Float! }
input ProjectCreateInput {
  id: String  name: String!  teamIds: [String!]!  description: String  content: String  statusId: String  leadId: String
  memberIds: [String!]  startDate: TimelessDate  startDateResolution: DateResolutionType  targetDate: TimelessDate
  targetDateResolution: DateResolutionType  priority: Int  icon: String  color: String
}
input ProjectUpdateInput {
  name: String  teamIds: [String!]  description: String  content: String  statusId: String  leadId: String
  memberIds: [String!]  startDate: TimelessDate  startDateResolution: DateResolutionType  targetDate: TimelessDate
  targetDateResolution: DateResolutionType  priority: Int  icon: String  color: String
}
extend type Mutation {
  projectCreate(
    aiConversationId: String, input: ProjectCreateInput!, projectDraftId: String, slackChannelName: String
  ): ProjectPayload!
  projectUpdate(id: String!, input: ProjectUpdateInput!): ProjectPayload!
  projectArchive(id: String!, trash: Boolean): ProjectArchivePayload! @deprecated(reason: "Use projectDelete.")
  projectDelete(id: String!): ProjectArchivePayload!
  projectUnarchive(id: String!): ProjectArchivePayload!
}`,
  resolvers: {
    Project: {
      url: (source, _, { pageUrl }) => pageUrl(`/project/${slugify(stringAt(source, 'name'))}-${stringAt(source, 'slugId')}`),
      priorityLabel: (source) => priorityLabels[numberAt(source, 'priority')],
      state: (source, _, session) => stringAt(session.get('ProjectStatus', stringAt(source, 'statusId')), 'type'),
      progress: progressOf('projectId'),
      scope: scopeOf('projectId'),
      ...scopeHistories('projectId'),
      frequencyResolution: () => 'weekly',
      documentContent: (source) => (source['content'] === null ? null : { ...source, projectId: source['id'] }),
      status: toOne('ProjectStatus', 'statusId'),
      creator: toOne('User', 'creatorId'),
      lead: toOne('User', 'leadId'),
      lastUpdate: (source, _, session) =>
        session.select('ProjectUpdate', 'where a.projectId = :id and a.archivedAt is null order by a.createdAt desc limit 1', {
          id: stringAt(source, 'id'),
        })[0],
      teams: manyToMany('Team', ['projectTeams', 'projectId', 'teamId']),
      members: (source, args, session) =>
        usersWithin(
          session,
          args,
          scopedTo('a.id in (select userId from projectMembers where projectId = :owner)', stringAt(source, 'id')),
        ),
      projectUpdates: toMany('ProjectUpdate', 'projectId'),
      projectMilestones: toMany('ProjectMilestone', 'projectId'),
      issues: toMany('Issue', 'projectId'),
      initiativeToProjects: toMany('InitiativeToProject', 'projectId'),
      initiatives: manyToMany('Initiative', ['initiativeToProjects', 'projectId', 'initiativeId']),
    },
    Query: { project: (_, args, session) => findProject(session, stringAt(args, 'id')), projects: listAll('Project') },
    Mutation: {
      projectCreate,
      projectUpdate,
      projectArchive: projectArchive(false),
      projectDelete: projectArchive(true),
      projectUnarchive: (_, args, session) => ({
        entity: session.update('Project', stringAt(findProject(session, stringAt(args, 'id')), 'id'), { archivedAt: null, trashed: null }),
      }),
    },
  },
}

const update: EntityType = {
  type: 'ProjectUpdate',
  table: 'projectUpdates',
  columns: { body: 'text', health: 'text', projectId: 'text', userId: 'text', editedAt: 'text?' },
  indexes: ['projectId'],
  filters: { ...commonFilters, user: oneFilter('User', 'userId'), project: oneFilter('Project', 'projectId') },
}

const projectUpdateCreate: FieldResolver = (_, args, session) => {
  const input = inputOf(args)
  const id = newId(input['id'])
  const project = requiredEntity(session, 'Project', input['projectId'], 'projectId')
  const projectId = stringAt(project, 'id')
  const health = optionalText(input, 'health') ?? stringOrNullAt(project, 'health') ?? 'onTrack'
  const projectUpdateRow = session.insert('ProjectUpdate', {
    id,
    body: requiredText(input, 'body'),
    health,
    projectId,
    userId: session.viewerId,
  })
  session.update('Project', projectId, { health, healthUpdatedAt: session.at })
  return { projectUpdate: projectUpdateRow }
}

/** Status updates of projects. */
export const projectUpdates: EntityModule = {
  entityTypes: [update],
  sdl: `
type ProjectUpdate implements Node {
  id: ID!  health: ProjectUpdateHealthType!  body: String!  createdAt: DateTime!  url: String!  user: User!
  project: Project!  shortSummary: String  reactionData: JSONObject!  commentCount: Int!  reactions: [Reaction!]!
  diffMarkdown: String  diff: JSONObject  updatedAt: DateTime!  archivedAt: DateTime  editedAt: DateTime
  slugId: String!  isDiffHidden: Boolean!  isStale: Boolean!
}
enum ProjectUpdateHealthType { atRisk offTrack onTrack }
${connection('ProjectUpdate')}
${filterTypes(update)}
extend type Query {
  projectUpdate(id: String!, projectId: String): ProjectUpdate!
  projectUpdates(filter: ProjectUpdateFilter, ${page}): ProjectUpdateConnection!
}
type ProjectUpdatePayload { success: Boolean!  projectUpdate: ProjectUpdate!  lastSyncId: Float! }
input ProjectUpdateCreateInput { id: String  projectId: String!  body: String  health: ProjectUpdateHealthType }
extend type Mutation {
  projectUpdateCreate(input: ProjectUpdateCreateInput!): ProjectUpdatePayload!
}`,
  resolvers: {
    ProjectUpdate: {
      slugId: (source) => slugIdFor(stringAt(source, 'id')),
      url: (source, _, { pageUrl }) => pageUrl(`/project-update/${slugIdFor(stringAt(source, 'id'))}`),
      project: toOne('Project', 'projectId'),
      user: toOne('User', 'userId'),
    },
    Query: { projectUpdate: getById('ProjectUpdate'), projectUpdates: listAll('ProjectUpdate') },
    Mutation: { projectUpdateCreate },
  },
}
