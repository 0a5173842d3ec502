import { newId } from './ids.ts'
import * as given from './inputs.ts'
import * as rules from './issue-rules.ts'
import { findIssue } from './issues.ts'
import type { Part, Resolver, Row } from './noun.ts'
import { badArgument, conflict, notFound } from './refusals.ts'
import type { Changes, Session } from './session.ts'
import { text, type Fields } from './values.ts'

/** The columns that an input changes, as far as creating and updating agree. */
function changesOf(session: Session, input: Fields, { team, issue }: { team: Row; issue: Row | undefined }): Changes {
  const state = given.pointed(session, 'WorkflowState', [input, 'stateId'])
  const assignee = given.pointed(session, 'User', [input, 'assigneeId'])
  const project = given.pointed(session, 'Project', [input, 'projectId'])
  const cycle = given.pointed(session, 'Cycle', [input, 'cycleId'])
  const milestone = given.pointed(session, 'ProjectMilestone', [input, 'projectMilestoneId'])
  const { parentId, estimate } = input
  const parent = typeof parentId === 'string' ? findIssue(session, parentId) : parentId === null ? null : undefined
  rules.checkTeam(state, team, 'stateId')
  rules.checkTeam(cycle, team, 'cycleId')
  rules.checkAssignee(session, assignee, team)
  rules.checkProject(session, project, team)
  if (issue) rules.checkParent(session, parent, text(issue, 'id'))
  if (typeof estimate === 'number') rules.checkEstimate(team, estimate)
  const projectId = given.idIn(project)
  if (milestone && milestone['projectId'] !== (projectId === undefined ? issue?.['projectId'] : projectId)) {
    throw badArgument('projectMilestoneId must be a milestone of the project of the issue.')
  }
  return {
    description: given.optionalText(input, 'description'),
    priority: given.priorityOf(input),
    estimate: typeof estimate === 'number' || estimate === null ? estimate : undefined,
    dueDate: given.dayOf(input, 'dueDate', session.now),
    assigneeId: given.idIn(assignee),
    projectId,
    projectMilestoneId: projectId === null ? null : given.idIn(milestone),
    cycleId: given.idIn(cycle),
    parentId: given.idIn(parent),
    ...(cycle && { addedToCycleAt: session.at }),
    ...(project && { addedToProjectAt: session.at }),
    ...(state && state['id'] !== issue?.['stateId'] && rules.stateChanges(session, issue, state)),
  }
}

const issueCreate: Resolver = (_, args, session) => {
  const input = given.inputOf(args)
  const id = newId(input['id'])
  if (session.find('Issue', id) !== null) throw conflict('Issue', id)
  const team = given.entity(session, 'Team', { id: input['teamId'], key: 'teamId' })
  rules.checkAccepts(team)
  const title = given.required(input, 'title')
  const labels = given.pointedAll(session, 'IssueLabel', [input, 'labelIds']) ?? []
  rules.checkLabels(labels, team)
  const changes = changesOf(session, input, { team, issue: undefined })
  const usual = rules.firstState(session, team)
  const teamId = text(team, 'id')
  const createdAt = given.momentOf(input, 'createdAt', session.now) ?? session.at
  const numbered = rules.nextNumber(session, teamId)
  const issue = session.insert('Issue', {
    priority: 0,
    ...rules.stateChanges(session, undefined, usual),
    ...Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)),
    id,
    teamId,
    title,
    number: numbered,
    identifier: `${text(team, 'key')}-${numbered}`,
    creatorId: session.viewerId,
    createdAt,
    addedToTeamAt: createdAt,
    sortOrder: -numbered,
  })
  setLabels(session, id, labels)
  const invited = given.pointedAll(session, 'User', [input, 'subscriberIds']) ?? []
  subscribe(session, id, [session.viewerId, issue['assigneeId'], ...invited.map((user) => user['id'])])
  return { issue }
}

const issueUpdate: Resolver = (_, args, session) => {
  const issue = findIssue(session, text(args, 'id'))
  const input = given.inputOf(args)
  const id = text(issue, 'id')
  const team = given.pointed(session, 'Team', [input, 'teamId']) ?? session.get('Team', text(issue, 'teamId'))
  const labels = labelsAfter(session, id, input)
  rules.checkLabels(labels ?? labelsNow(session, id), team)
  const title = input['title'] === null ? undefined : given.filled(input, 'title')
  const changes = changesOf(session, input, { team, issue })
  const moved = team['id'] === issue['teamId'] ? {} : move(session, issue, team)
  const updated = session.update('Issue', id, { ...moved, ...defined(changes), ...(title !== undefined && { title }) })
  if (labels !== undefined) setLabels(session, id, labels)
  const subscribers = given.pointedAll(session, 'User', [input, 'subscriberIds'])
  if (subscribers !== undefined) session.store.run('delete from issueSubscribers where issueId = :id', { id })
  subscribe(session, id, [changes['assigneeId'], ...(subscribers ?? []).map((user) => user['id'])])
  return { issue: updated }
}

const defined = (changes: Changes): Changes => Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))

/** What a move to another team changes: the number, and all that belonged to the old team. */
function move(session: Session, issue: Row, team: Row): Changes {
  rules.checkAccepts(team)
  const teamId = text(team, 'id')
  const numbered = rules.nextNumber(session, teamId)
  const [id, identifier] = [text(issue, 'id'), text(issue, 'identifier')]
  session.store.run('insert or ignore into formerIdentifiers (identifier, issueId) values (:identifier, :id)', { identifier, id })
  const usual = session.get('WorkflowState', text(team, 'defaultIssueStateId'))
  const place = { teamId, number: numbered, identifier: `${text(team, 'key')}-${numbered}`, cycleId: null, addedToTeamAt: session.at }
  const isIn = rules.takesPart(session, { projectId: issue['projectId'], teamId })
  return { ...place, ...(!isIn && { projectId: null, projectMilestoneId: null }), ...rules.stateChanges(session, issue, usual) }
}

const labelsNow = (session: Session, id: string) =>
  session.select('IssueLabel', 'where a.id in (select labelId from issueLabels where issueId = :id) order by a.id', { id })

/** The labels that an issue is to have; undefined when they stay. */
function labelsAfter(session: Session, id: string, input: Fields): Row[] | undefined {
  const all = given.pointedAll(session, 'IssueLabel', [input, 'labelIds'])
  const added = given.pointedAll(session, 'IssueLabel', [input, 'addedLabelIds'])
  const removed = given.pointedAll(session, 'IssueLabel', [input, 'removedLabelIds'])
  if (all === undefined && added === undefined && removed === undefined) return undefined
  const gone = new Set((removed ?? []).map((label) => label['id']))
  const wanted = [...(all ?? labelsNow(session, id)), ...(added ?? [])].filter((label) => !gone.has(text(label, 'id')))
  return [...new Map(wanted.map((label) => [label['id'], label])).values()]
}

function setLabels(session: Session, id: string, labels: readonly Row[]): void {
  session.store.run('delete from issueLabels where issueId = :id', { id })
  for (const label of labels) {
    session.store.run('insert into issueLabels (issueId, labelId) values (:id, :label)', { id, label: text(label, 'id') })
  }
}

/** Adds subscribers; those who are none yet. */
export function subscribe(session: Session, id: string, users: readonly unknown[]): void {
  for (const user of users) {
    if (typeof user === 'string')
      session.store.run('insert or ignore into issueSubscribers (issueId, userId) values (:id, :user)', { id, user })
  }
}

/** Whom a subscription is for: the caller, unless somebody is named. */
function subscriber(session: Session, { userId, userEmail }: Fields): string {
  if (typeof userId === 'string') return text(given.entity(session, 'User', { id: userId, key: 'userId' }), 'id')
  if (typeof userEmail !== 'string') return session.viewerId
  const user = session.select('User', 'where a.email = :email', { email: userEmail })[0]
  if (user === undefined) throw notFound('User')
  return text(user, 'id')
}

const touch = (session: Session, issue: Row) => ({ issue: session.update('Issue', text(issue, 'id'), {}) })

/** Changes one label of an issue. */
const changeLabel =
  (key: 'addedLabelIds' | 'removedLabelIds'): Resolver =>
  (source, args, session) =>
    issueUpdate(source, { id: args['id'], input: { [key]: [args['labelId']] } }, session)

const restored: Resolver = (_, args, session) => {
  const issue = findIssue(session, text(args, 'id'))
  return { entity: session.update('Issue', text(issue, 'id'), { archivedAt: null, trashed: null }) }
}

/** Creating and changing issues. */
export const issueWrites: Part = {
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
        const issue = findIssue(session, text(args, 'id'))
        subscribe(session, text(issue, 'id'), [subscriber(session, args)])
        return touch(session, issue)
      },
      issueUnsubscribe(_, args, session) {
        const issue = findIssue(session, text(args, 'id'))
        const user = subscriber(session, args)
        session.store.run('delete from issueSubscribers where issueId = :id and userId = :user', { id: text(issue, 'id'), user })
        return touch(session, issue)
      },
      issueArchive: (_, args, session) => ({
        entity: given.archived(session, 'Issue', { row: findIssue(session, text(args, 'id')), trash: args['trash'] === true }),
      }),
      issueUnarchive: restored,
      issueDelete(_, args, session) {
        if (args['permanentlyDelete'] === true)
          throw badArgument('issueDelete cannot delete permanently here; leave permanentlyDelete out.')
        return { entity: given.archived(session, 'Issue', { row: findIssue(session, text(args, 'id')), trash: true }) }
      },
    },
  },
}
