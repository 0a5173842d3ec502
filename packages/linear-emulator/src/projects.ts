import { every, owned, paired, toOne, within } from './entities.ts'
import { isUuid, slugified } from './ids.ts'
import { priorityLabels } from './issues.ts'
import { commonFilters, linked, many, one, value, type Noun, type Part, type Row } from './noun.ts'
import { progressOf, scopeHistories, scopeOf } from './progress.ts'
import { notFound } from './refusals.ts'
import { connection, filterTypes, page } from './sdl.ts'
import type { Session } from './session.ts'
import { usersWithin } from './users.ts'
import { number, text } from './values.ts'
import { workspaceUrl } from './workspace.ts'

const project: Noun = {
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
    name: value('words'),
    slugId: value('words'),
    priority: value('number'),
    health: value('text'),
    startDate: value('day'),
    targetDate: value('day'),
    startedAt: value('moment'),
    completedAt: value('moment'),
    canceledAt: value('moment'),
    status: one('ProjectStatus', 'statusId'),
    lead: one('User', 'leadId'),
    creator: one('User', 'creatorId'),
    members: linked('User', ['projectMembers', 'projectId', 'userId']),
    accessibleTeams: linked('Team', ['projectTeams', 'projectId', 'teamId']),
    initiatives: linked('Initiative', ['initiativeToProjects', 'projectId', 'initiativeId']),
    issues: many('Issue', (alias, other) => `${other}.projectId = ${alias}.id`),
  },
}

/** The project that a UUID or the slug of its URL names. */
export function findProject(session: Session, reference: string): Row {
  if (isUuid(reference)) return session.get('Project', reference.toLowerCase())
  const slugId = reference.slice(reference.lastIndexOf('-') + 1)
  const found = session.select('Project', 'where a.slugId = :slugId', { slugId })[0]
  if (found === undefined) throw notFound('Project')
  return found
}

/** Projects. */
export const projects: Part = {
  nouns: [project],
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
${filterTypes({
  type: 'Project',
  fields: `id: EntityIdentifierIdComparator  name: StringComparator  slugId: StringComparator  status: ProjectStatusFilter
    priority: NullableNumberComparator  health: StringComparator  lead: NullableUserFilter  creator: UserFilter
    members: UserCollectionFilter  accessibleTeams: TeamCollectionFilter  initiatives: InitiativeCollectionFilter
    issues: IssueCollectionFilter  startDate: NullableDateComparator  targetDate: NullableDateComparator
    startedAt: NullableDateComparator  completedAt: NullableDateComparator  canceledAt: NullableDateComparator
    createdAt: DateComparator  updatedAt: DateComparator`,
  nullable: true,
  collection: true,
})}
input ProjectSortInput { createdAt: ProjectCreatedAtSort  updatedAt: ProjectUpdatedAtSort }
input ProjectCreatedAtSort { nulls: PaginationNulls  order: PaginationSortOrder }
input ProjectUpdatedAtSort { nulls: PaginationNulls  order: PaginationSortOrder }
extend type Query {
  project(id: String!): Project!
  projects(filter: ProjectFilter, sort: [ProjectSortInput!], ${page}): ProjectConnection!
}`,
  resolvers: {
    Project: {
      url: (source) => `${workspaceUrl}/project/${slugified(text(source, 'name'))}-${text(source, 'slugId')}`,
      priorityLabel: (source) => priorityLabels[number(source, 'priority')],
      state: (source, _, session) => text(session.get('ProjectStatus', text(source, 'statusId')), 'type'),
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
          id: text(source, 'id'),
        })[0],
      teams: paired('Team', ['projectTeams', 'projectId', 'teamId']),
      members: (source, args, session) =>
        usersWithin(session, args, within('a.id in (select userId from projectMembers where projectId = :owner)', text(source, 'id'))),
      projectUpdates: owned('ProjectUpdate', 'projectId'),
      projectMilestones: owned('ProjectMilestone', 'projectId'),
      issues: owned('Issue', 'projectId'),
      initiativeToProjects: owned('InitiativeToProject', 'projectId'),
      initiatives: paired('Initiative', ['initiativeToProjects', 'projectId', 'initiativeId']),
    },
    Query: { project: (_, args, session) => findProject(session, text(args, 'id')), projects: every('Project') },
  },
}
