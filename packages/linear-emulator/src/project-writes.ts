import { newId, slugOf } from './ids.ts'
import * as given from './inputs.ts'
import type { Part, Resolver, Row } from './noun.ts'
import { findProject } from './projects.ts'
import { badArgument } from './refusals.ts'
import type { Changes, Session } from './session.ts'
import { text, textOrNull, type Fields } from './values.ts'

const longestDescription = 255

/** The columns that an input changes. */
function changesOf(session: Session, input: Fields, before: Row | undefined): Changes {
  const lead = given.pointed(session, 'User', [input, 'leadId'])
  if (lead && lead['active'] !== 1) throw badArgument('leadId must be an active user.')
  const status = given.pointed(session, 'ProjectStatus', [input, 'statusId'])
  return {
    content: given.optionalText(input, 'content'),
    icon: given.optionalText(input, 'icon'),
    color: given.optionalText(input, 'color') ?? undefined,
    description: given.bounded(input, 'description', longestDescription) ?? undefined,
    priority: given.priorityOf(input),
    leadId: given.idIn(lead),
    startDate: given.dayOf(input, 'startDate', session.now),
    startDateResolution: given.optionalText(input, 'startDateResolution'),
    targetDate: given.dayOf(input, 'targetDate', session.now),
    targetDateResolution: given.optionalText(input, 'targetDateResolution'),
    ...(status && statusChanges(session, status, before)),
  }
}

function statusChanges(session: Session, status: Row, before: Row | undefined): Changes {
  const type = text(status, 'type')
  const started = before === undefined ? null : textOrNull(before, 'startedAt')
  return {
    statusId: text(status, 'id'),
    startedAt: type === 'started' ? (started ?? session.at) : started,
    completedAt: type === 'completed' ? session.at : null,
    canceledAt: type === 'canceled' ? session.at : null,
  }
}

/** Replaces the pairs of a project. */
function setPairs(
  session: Session,
  table: 'projectTeams' | 'projectMembers',
  { id, rows }: { id: string; rows: readonly Row[] | undefined },
): void {
  if (rows === undefined) return
  session.store.run(`delete from ${table} where projectId = :id`, { id })
  for (const row of rows) session.store.run(`insert into ${table} values (:id, :other)`, { id, other: text(row, 'id') })
}

/** The teams of an input; a project always has one. */
function teamsOf(session: Session, input: Fields): Row[] | undefined {
  const teams = given.pointedAll(session, 'Team', [input, 'teamIds'])
  if (teams?.length === 0) throw badArgument('teamIds must contain at least 1 element.')
  return teams
}

const defined = (changes: Changes): Changes => Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))

const projectCreate: Resolver = (_, args, session) => {
  const input = given.inputOf(args)
  const id = newId(input['id'])
  const teams = teamsOf(session, input)
  const usual = session.select('ProjectStatus', "where a.type = 'backlog' and a.archivedAt is null order by a.position limit 1")[0]
  if (usual === undefined) throw new Error('The workspace has no project status.')
  const project = session.insert('Project', {
    description: '',
    color: '#5e6ad2',
    priority: 0,
    ...statusChanges(session, usual, undefined),
    ...defined(changesOf(session, input, undefined)),
    id,
    name: given.required(input, 'name'),
    slugId: slugOf(id),
    creatorId: session.viewerId,
  })
  setPairs(session, 'projectTeams', { id, rows: teams })
  setPairs(session, 'projectMembers', { id, rows: given.pointedAll(session, 'User', [input, 'memberIds']) })
  return { project }
}

const projectUpdate: Resolver = (_, args, session) => {
  const before = findProject(session, text(args, 'id'))
  const input = given.inputOf(args)
  const id = text(before, 'id')
  const teams = teamsOf(session, input)
  const name = input['name'] === null ? undefined : given.filled(input, 'name')
  const changes = defined({ ...changesOf(session, input, before), name })
  setPairs(session, 'projectTeams', { id, rows: teams })
  setPairs(session, 'projectMembers', { id, rows: given.pointedAll(session, 'User', [input, 'memberIds']) })
  return { project: session.update('Project', id, changes) }
}

const projectUpdateCreate: Resolver = (_, args, session) => {
  const input = given.inputOf(args)
  const id = newId(input['id'])
  const project = given.entity(session, 'Project', { id: input['projectId'], key: 'projectId' })
  const projectId = text(project, 'id')
  const health = given.optionalText(input, 'health') ?? textOrNull(project, 'health') ?? 'onTrack'
  const projectUpdateRow = session.insert('ProjectUpdate', {
    id,
    body: given.required(input, 'body'),
    health,
    projectId,
    userId: session.viewerId,
  })
  session.update('Project', projectId, { health, healthUpdatedAt: session.at })
  return { projectUpdate: projectUpdateRow }
}

const archive =
  (always: boolean): Resolver =>
  (_, args, session) => ({
    entity: given.archived(session, 'Project', { row: findProject(session, text(args, 'id')), trash: always || args['trash'] === true }),
  })

/** Creating and changing projects. */
export const projectWrites: Part = {
  sdl: `
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
type ProjectUpdatePayload { success: Boolean!  projectUpdate: ProjectUpdate!  lastSyncId: Float! }
input ProjectUpdateCreateInput { id: String  projectId: String!  body: String  health: ProjectUpdateHealthType }
extend type Mutation {
  projectCreate(
    aiConversationId: String, input: ProjectCreateInput!, projectDraftId: String, slackChannelName: String
  ): ProjectPayload!
  projectUpdate(id: String!, input: ProjectUpdateInput!): ProjectPayload!
  projectArchive(id: String!, trash: Boolean): ProjectArchivePayload! @deprecated(reason: "Use projectDelete.")
  projectDelete(id: String!): ProjectArchivePayload!
  projectUnarchive(id: String!): ProjectArchivePayload!
  projectUpdateCreate(input: ProjectUpdateCreateInput!): ProjectUpdatePayload!
}`,
  resolvers: {
    Mutation: {
      projectCreate,
      projectUpdate,
      projectArchive: archive(false),
      projectDelete: archive(true),
      projectUnarchive: (_, args, session) => ({
        entity: session.update('Project', text(findProject(session, text(args, 'id')), 'id'), { archivedAt: null, trashed: null }),
      }),
      projectUpdateCreate,
    },
  },
}
