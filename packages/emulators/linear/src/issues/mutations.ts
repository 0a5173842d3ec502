import { type JsonObject, numberAt, stringAt, stringOrNullAt } from '@mcp-toolkits/emulator'
import { newId } from '../ids.ts'
import {
  archive,
  idOfRow,
  inputOf,
  optionalDay,
  optionalEntities,
  optionalEntity,
  optionalNonEmptyText,
  optionalPriority,
  optionalText,
  optionalTime,
  requiredEntity,
  requiredText,
  withoutUndefined,
} from '../engine/inputs.ts'
import { badArgument, conflict, conflictingLabels, notFound } from '../errors.ts'
import type { EntityRow } from '../store/entity-type.ts'
import type { Changes, Session } from '../store/session.ts'
import type { EntityModule, FieldResolver } from '../engine/entity-module.ts'
import { findIssue } from './issues.ts'

const scales: Readonly<Record<string, readonly number[]>> = {
  exponential: [1, 2, 4, 8, 16, 32, 64],
  fibonacci: [1, 2, 3, 5, 8, 13, 21],
  linear: [1, 2, 3, 4, 5, 6, 7],
  tShirt: [1, 2, 3, 5, 8, 13, 21],
}

/** Refuses an estimate that is not on the team's scale. */
function checkEstimate(team: EntityRow, estimate: number): void {
  const type = stringAt(team, 'issueEstimationType')
  const scale = scales[type]
  if (scale === undefined) throw badArgument(`The team ${stringAt(team, 'key')} does not use estimates.`)
  const allowed = [
    ...(team['issueEstimationAllowZero'] === 1 ? [0] : []),
    ...(team['issueEstimationExtended'] === 1 ? scale : scale.slice(0, 5)),
  ]
  if (!allowed.includes(estimate)) throw badArgument(`estimate must be one of ${allowed.join(', ')}.`)
}

/** Refuses another team's state or cycle. */
function checkTeam(row: EntityRow | null | undefined, team: EntityRow, key: string): void {
  if (row && row['teamId'] !== team['id']) throw badArgument(`${key} must belong to the issue's team.`)
}

/** Refuses a team that accepts no new issues. */
function checkAcceptsIssues(team: EntityRow): void {
  if (team['archivedAt'] !== null || team['retiredAt'] !== null) throw badArgument('teamId must be a team that accepts issues.')
}

/** True if the team belongs to the project, or if there is no project. */
const isTeamOfProject = (session: Session, projectId: unknown, teamId: string): boolean =>
  typeof projectId !== 'string' || hasPair(session, 'projectTeams', { projectId, teamId })

/** Refuses a project of other teams. */
function checkProject(session: Session, project: EntityRow | null | undefined, team: EntityRow): void {
  if (!isTeamOfProject(session, project?.['id'], stringAt(team, 'id'))) {
    throw badArgument("projectId must be a project of the issue's team.")
  }
}

/** Refuses apps, deactivated users and users outside the team. */
function checkAssignee(session: Session, user: EntityRow | null | undefined, team: EntityRow): void {
  if (!user) return
  if (user['app'] === 1) throw badArgument('assigneeId must be a person; use delegateId for an app.')
  if (user['active'] !== 1) throw badArgument('assigneeId must be an active user.')
  if (!hasPair(session, 'teamMembers', { teamId: stringAt(team, 'id'), userId: stringAt(user, 'id') })) {
    throw badArgument("assigneeId must be a member of the issue's team.")
  }
}

/** Refuses label groups, other teams' labels, and two labels from one group. */
function checkLabels(labels: readonly EntityRow[], team: EntityRow): void {
  const seen = new Map<string, EntityRow>()
  for (const label of labels) {
    if (label['isGroup'] === 1) throw badArgument(`The label '${stringAt(label, 'name')}' is a group and cannot be applied to an issue.`)
    if (label['teamId'] !== null && label['teamId'] !== team['id'])
      throw badArgument('labelIds must be labels of the workspace or of the team.')
    const group = stringOrNullAt(label, 'parentId')
    const other = group === null ? undefined : seen.get(group)
    if (other !== undefined) throw conflictingLabels(stringAt(label, 'name'), stringAt(other, 'name'))
    if (group !== null) seen.set(group, label)
  }
}

/** Refuses the issue itself and its sub-issues as a parent. */
function checkParent(session: Session, parent: EntityRow | null | undefined, issueId: string): void {
  for (let above = parent ?? null; above !== null; above = session.find('Issue', above['parentId'])) {
    if (above['id'] === issueId) throw badArgument('parentId must not be the issue itself or one of its sub-issues.')
  }
}

/** True if the join table contains the pair. */
function hasPair(session: Session, table: string, pair: Record<string, string>): boolean {
  const where = Object.keys(pair)
    .map((name) => `${name} = :${name}`)
    .join(' and ')
  return session.store.rows({}, `select 1 from ${table} where ${where}`, pair).length > 0
}

/** The default state of a new issue. If the team has triage, issues from people outside it start there. */
function initialState(session: Session, team: EntityRow): EntityRow {
  const isMember = hasPair(session, 'teamMembers', { teamId: stringAt(team, 'id'), userId: session.viewerId })
  const triage = isMember ? null : stringOrNullAt(team, 'triageIssueStateId')
  return session.get('WorkflowState', triage ?? stringAt(team, 'defaultIssueStateId'))
}

/** The columns that change with an issue's state: the state and its times. */
export function stateChanges(session: Session, issue: EntityRow | undefined, state: EntityRow): Changes {
  const type = stringAt(state, 'type')
  const previous = (key: string) => (issue === undefined ? null : stringOrNullAt(issue, key))
  const isOver = type === 'completed' || type === 'canceled' || type === 'duplicate'
  return {
    stateId: stringAt(state, 'id'),
    startedAt: type === 'started' ? (previous('startedAt') ?? session.at) : isOver ? previous('startedAt') : null,
    completedAt: type === 'completed' ? session.at : null,
    canceledAt: type === 'canceled' || type === 'duplicate' ? session.at : null,
  }
}

/** The next issue number of a team. Numbers are never reused. */
function nextNumber(session: Session, teamId: string): number {
  const last = session.select('Issue', 'where a.teamId = :teamId order by a.number desc limit 1', { teamId })[0]
  const previous = session.store.rows(
    { last: (value) => typeof value === 'number' || value === null },
    `select max(cast(substr(identifier, instr(identifier, '-') + 1) as integer)) as last from formerIdentifiers
     where substr(identifier, 1, instr(identifier, '-') - 1) = :key`,
    { key: stringAt(session.get('Team', teamId), 'key') },
  )[0]?.last
  return Math.max(last === undefined ? 0 : numberAt(last, 'number'), typeof previous === 'number' ? previous : 0) + 1
}

/** The columns that the input of issueCreate or issueUpdate sets. */
function issueChanges(session: Session, input: JsonObject, team: EntityRow, issue: EntityRow | undefined): Changes {
  const state = optionalEntity(session, 'WorkflowState', input, 'stateId')
  const assignee = optionalEntity(session, 'User', input, 'assigneeId')
  const project = optionalEntity(session, 'Project', input, 'projectId')
  const cycle = optionalEntity(session, 'Cycle', input, 'cycleId')
  const milestone = optionalEntity(session, 'ProjectMilestone', input, 'projectMilestoneId')
  const { parentId, estimate } = input
  const parent = typeof parentId === 'string' ? findIssue(session, parentId) : parentId === null ? null : undefined
  checkTeam(state, team, 'stateId')
  checkTeam(cycle, team, 'cycleId')
  checkAssignee(session, assignee, team)
  checkProject(session, project, team)
  if (issue) checkParent(session, parent, stringAt(issue, 'id'))
  if (typeof estimate === 'number') checkEstimate(team, estimate)
  const projectId = idOfRow(project)
  if (milestone && milestone['projectId'] !== (projectId === undefined ? issue?.['projectId'] : projectId)) {
    throw badArgument("projectMilestoneId must be a milestone of the issue's project.")
  }
  return {
    description: optionalText(input, 'description'),
    priority: optionalPriority(input),
    estimate: typeof estimate === 'number' || estimate === null ? estimate : undefined,
    dueDate: optionalDay(input, 'dueDate', session.now),
    assigneeId: idOfRow(assignee),
    projectId,
    projectMilestoneId: projectId === null ? null : idOfRow(milestone),
    cycleId: idOfRow(cycle),
    parentId: idOfRow(parent),
    ...(cycle && { addedToCycleAt: session.at }),
    ...(project && { addedToProjectAt: session.at }),
    ...(state && state['id'] !== issue?.['stateId'] && stateChanges(session, issue, state)),
  }
}

const issueCreate: FieldResolver = (_, args, session) => {
  const input = inputOf(args)
  const id = newId(input['id'])
  if (session.find('Issue', id) !== null) throw conflict('Issue', id)
  const team = requiredEntity(session, 'Team', input['teamId'], 'teamId')
  checkAcceptsIssues(team)
  const title = requiredText(input, 'title')
  const labels = optionalEntities(session, 'IssueLabel', input, 'labelIds') ?? []
  checkLabels(labels, team)
  const changes = issueChanges(session, input, team, undefined)
  const defaultState = initialState(session, team)
  const teamId = stringAt(team, 'id')
  const createdAt = optionalTime(input, 'createdAt', session.now) ?? session.at
  const number = nextNumber(session, teamId)
  const issue = session.insert('Issue', {
    priority: 0,
    ...stateChanges(session, undefined, defaultState),
    ...withoutUndefined(changes),
    id,
    teamId,
    title,
    number,
    identifier: `${stringAt(team, 'key')}-${number}`,
    creatorId: session.viewerId,
    createdAt,
    addedToTeamAt: createdAt,
    sortOrder: -number,
  })
  setLabels(session, id, labels)
  const subscribers = optionalEntities(session, 'User', input, 'subscriberIds') ?? []
  subscribe(session, id, [session.viewerId, issue['assigneeId'], ...subscribers.map((user) => user['id'])])
  return { issue }
}

const issueUpdate: FieldResolver = (_, args, session) => {
  const issue = findIssue(session, stringAt(args, 'id'))
  const input = inputOf(args)
  const id = stringAt(issue, 'id')
  const team = optionalEntity(session, 'Team', input, 'teamId') ?? session.get('Team', stringAt(issue, 'teamId'))
  const labels = changedLabels(session, id, input)
  checkLabels(labels ?? currentLabels(session, id), team)
  const title = input['title'] === null ? undefined : optionalNonEmptyText(input, 'title')
  const changes = issueChanges(session, input, team, issue)
  const moved = team['id'] === issue['teamId'] ? {} : moveToTeam(session, issue, team)
  const updated = session.update('Issue', id, { ...moved, ...withoutUndefined(changes), ...(title !== undefined && { title }) })
  if (labels !== undefined) setLabels(session, id, labels)
  const subscribers = optionalEntities(session, 'User', input, 'subscriberIds')
  if (subscribers !== undefined) session.store.run('delete from issueSubscribers where issueId = :id', { id })
  subscribe(session, id, [changes['assigneeId'], ...(subscribers ?? []).map((user) => user['id'])])
  return { issue: updated }
}

/** The columns that change when an issue moves to another team: its number and everything that belongs to the old team. */
function moveToTeam(session: Session, issue: EntityRow, team: EntityRow): Changes {
  checkAcceptsIssues(team)
  const teamId = stringAt(team, 'id')
  const number = nextNumber(session, teamId)
  const [id, identifier] = [stringAt(issue, 'id'), stringAt(issue, 'identifier')]
  session.store.run('insert or ignore into formerIdentifiers (identifier, issueId) values (:identifier, :id)', { identifier, id })
  const defaultState = session.get('WorkflowState', stringAt(team, 'defaultIssueStateId'))
  const placement = { teamId, number, identifier: `${stringAt(team, 'key')}-${number}`, cycleId: null, addedToTeamAt: session.at }
  const keepsProject = isTeamOfProject(session, issue['projectId'], teamId)
  return {
    ...placement,
    ...(!keepsProject && { projectId: null, projectMilestoneId: null }),
    ...stateChanges(session, issue, defaultState),
  }
}

const currentLabels = (session: Session, id: string) =>
  session.select('IssueLabel', 'where a.id in (select labelId from issueLabels where issueId = :id) order by a.id', { id })

/** The labels after an update; undefined when it does not change them. */
function changedLabels(session: Session, id: string, input: JsonObject): EntityRow[] | undefined {
  const all = optionalEntities(session, 'IssueLabel', input, 'labelIds')
  const added = optionalEntities(session, 'IssueLabel', input, 'addedLabelIds')
  const removed = optionalEntities(session, 'IssueLabel', input, 'removedLabelIds')
  if (all === undefined && added === undefined && removed === undefined) return undefined
  const removedIds = new Set((removed ?? []).map((label) => label['id']))
  const remaining = [...(all ?? currentLabels(session, id)), ...(added ?? [])].filter((label) => !removedIds.has(stringAt(label, 'id')))
  return [...new Map(remaining.map((label) => [label['id'], label])).values()]
}

function setLabels(session: Session, id: string, labels: readonly EntityRow[]): void {
  session.store.run('delete from issueLabels where issueId = :id', { id })
  for (const label of labels) {
    session.store.run('insert into issueLabels (issueId, labelId) values (:id, :label)', { id, label: stringAt(label, 'id') })
  }
}

/** Adds subscribers, and ignores those who already subscribe. */
export function subscribe(session: Session, id: string, users: readonly unknown[]): void {
  for (const user of users) {
    if (typeof user === 'string')
      session.store.run('insert or ignore into issueSubscribers (issueId, userId) values (:id, :user)', { id, user })
  }
}

/** The user of a subscription: the caller unless the arguments name one. */
function subscriberOf(session: Session, { userId, userEmail }: JsonObject): string {
  if (typeof userId === 'string') return stringAt(requiredEntity(session, 'User', userId, 'userId'), 'id')
  if (typeof userEmail !== 'string') return session.viewerId
  const user = session.select('User', 'where a.email = :email', { email: userEmail })[0]
  if (user === undefined) throw notFound('User')
  return stringAt(user, 'id')
}

const touch = (session: Session, issue: EntityRow) => ({ issue: session.update('Issue', stringAt(issue, 'id'), {}) })

/** Adds or removes one label. */
const changeLabel =
  (key: 'addedLabelIds' | 'removedLabelIds'): FieldResolver =>
  (source, args, session) =>
    issueUpdate(source, { id: args['id'], input: { [key]: [args['labelId']] } }, session)

const issueUnarchive: FieldResolver = (_, args, session) => {
  const issue = findIssue(session, stringAt(args, 'id'))
  return { entity: session.update('Issue', stringAt(issue, 'id'), { archivedAt: null, trashed: null }) }
}

/** Mutations of issues. */
export const issueMutations: EntityModule = {
  sdl: `
type IssuePayload { success: Boolean!  issue: Issue  lastSyncId: Float! }
type IssueArchivePayload implements ArchivePayload { success: Boolean!  entity: Issue  lastSyncId: Float! }
input IssueCreateInput {
  id: String  teamId: String!  title: String  description: String  assigneeId: String  labelIds: [String!]
  priority: Int  stateId: String  projectId: String  projectMilestoneId: String  cycleId: String  parentId: String
  estimate: Int  dueDate: TimelessDate  subscriberIds: [String!]  createdAt: DateTime
}
input IssueUpdateInput {
  title: String  description: String  assigneeId: String  labelIds: [String!]  addedLabelIds: [String!]
  removedLabelIds: [String!]  priority: Int  stateId: String  projectId: String  projectMilestoneId: String
  cycleId: String  parentId: String  estimate: Int  dueDate: TimelessDate  subscriberIds: [String!]  teamId: String
}
extend type Mutation {
  issueCreate(input: IssueCreateInput!): IssuePayload!
  issueUpdate(id: String!, input: IssueUpdateInput!): IssuePayload!
  issueAddLabel(id: String!, labelId: String!): IssuePayload!
  issueRemoveLabel(id: String!, labelId: String!): IssuePayload!
  issueSubscribe(id: String!, userEmail: String, userId: String): IssuePayload!
  issueUnsubscribe(id: String!, userEmail: String, userId: String): IssuePayload!
  issueArchive(id: String!, trash: Boolean): IssueArchivePayload!
  issueUnarchive(id: String!): IssueArchivePayload!
  issueDelete(id: String!, permanentlyDelete: Boolean): IssueArchivePayload!
}`,
  resolvers: {
    Mutation: {
      issueCreate,
      issueUpdate,
      issueAddLabel: changeLabel('addedLabelIds'),
      issueRemoveLabel: changeLabel('removedLabelIds'),
      issueSubscribe(_, args, session) {
        const issue = findIssue(session, stringAt(args, 'id'))
        subscribe(session, stringAt(issue, 'id'), [subscriberOf(session, args)])
        return touch(session, issue)
      },
      issueUnsubscribe(_, args, session) {
        const issue = findIssue(session, stringAt(args, 'id'))
        const user = subscriberOf(session, args)
        session.store.run('delete from issueSubscribers where issueId = :id and userId = :user', { id: stringAt(issue, 'id'), user })
        return touch(session, issue)
      },
      issueArchive: (_, args, session) => ({
        entity: archive(session, 'Issue', findIssue(session, stringAt(args, 'id')), args['trash'] === true),
      }),
      issueUnarchive: issueUnarchive,
      issueDelete(_, args, session) {
        if (args['permanentlyDelete'] === true)
          throw badArgument('This emulator cannot delete an issue permanently; leave permanentlyDelete out.')
        return { entity: archive(session, 'Issue', findIssue(session, stringAt(args, 'id')), true) }
      },
    },
  },
}
