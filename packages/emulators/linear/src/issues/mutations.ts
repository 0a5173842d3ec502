import { isObject, type JsonObject, parseJson, stringAt, stringOrNullAt, stringsIn } from '@mcp-toolkits/emulator'
import { integer, text } from '@mcp-toolkits/sqlite'
import { change, changeRow, create, type CrudHooks } from '../engine/crud.ts'
import type { FieldResolver, Resolvers } from '../engine/entity-module.ts'
import { findIssue } from '../engine/input-values.ts'
import { archive, inputOf, optionalNonEmptyText, checkPriority, optionalTime, requiredEntity, requiredText } from '../engine/inputs.ts'
import { badArgument, conflictingLabels, notFound } from '../errors.ts'
import type { Entity } from '../store/entity-type.ts'
import type { Changes, Session } from '../store/session.ts'
import { isRetired, labelsOfIssue } from './labels.ts'
import { insidersOf, subscribe } from './subscribers.ts'

const scales: Readonly<Record<string, readonly number[]>> = {
  exponential: [1, 2, 4, 8, 16, 32, 64],
  fibonacci: [1, 2, 3, 5, 8, 13, 21],
  linear: [1, 2, 3, 4, 5, 6, 7],
  tShirt: [1, 2, 3, 5, 8, 13, 21],
}

/** Refuses an estimate that is not on the team's scale. */
function checkEstimate(team: Entity, estimate: number): void {
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
function checkTeam(row: Entity | null | undefined, team: Entity, key: string): void {
  if (row && row['teamId'] !== team.id) throw badArgument(`${key} must belong to the issue's team.`)
}

/** True if the team belongs to the project, or if there is no project. */
const isTeamOfProject = (session: Session, projectId: unknown, teamId: string): boolean =>
  typeof projectId !== 'string' || hasPair(session, 'projectTeams', { projectId, teamId })

/** Refuses deactivated users and users outside the team, and people as delegates. An app that is assigned becomes the delegate. */
function assignments(session: Session, values: Changes, team: Entity): Changes {
  const isApp = (id: unknown) => typeof id === 'string' && session.get('User', id)['app'] === 1
  for (const key of ['assigneeId', 'delegateId']) {
    const { [key]: id } = values
    if (typeof id !== 'string') continue
    if (session.get('User', id)['active'] !== 1) throw badArgument(`${key} must be an active user.`)
    if (!hasPair(session, 'teamMembers', { teamId: team.id, userId: id })) throw badArgument(`${key} must be a member of the issue's team.`)
    if (key === 'delegateId' && !isApp(id)) throw badArgument('delegateId must be an app.')
  }
  const { assigneeId } = values
  return isApp(assigneeId) ? { assigneeId: undefined, delegateId: assigneeId } : {}
}

/** Refuses label groups, other teams' labels, and two labels from one group. */
function checkLabels(labels: readonly Entity[], team: Entity): void {
  const seen = new Map<string, Entity>()
  for (const label of labels) {
    if (label['isGroup'] === 1) throw badArgument(`The label '${stringAt(label, 'name')}' is a group and cannot be applied to an issue.`)
    if (label['teamId'] !== null && label['teamId'] !== team.id)
      throw badArgument('labelIds must be labels of the workspace or of the team.')
    const group = stringOrNullAt(label, 'parentId')
    const other = group === null ? undefined : seen.get(group)
    if (other !== undefined) throw conflictingLabels(stringAt(label, 'name'), stringAt(other, 'name'))
    if (group !== null) seen.set(group, label)
  }
}

/** Refuses a parent that is the issue itself or one of its sub-issues. */
function checkParent(session: Session, parent: Entity | null | undefined, issueId: string): void {
  for (let above = parent ?? null; above !== null; above = session.find('Issue', above['parentId'])) {
    if (above.id === issueId) throw badArgument('parentId must not be the issue itself or one of its sub-issues.')
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
function initialState(session: Session, team: Entity): Entity {
  const isMember = hasPair(session, 'teamMembers', { teamId: team.id, userId: session.viewerId })
  const triage = isMember ? null : stringOrNullAt(team, 'triageIssueStateId')
  return session.get('WorkflowState', triage ?? stringAt(team, 'defaultIssueStateId'))
}

/** The columns that change with an issue's state: the state and the times that depend on it. */
export function stateChanges(session: Session, issue: Entity | undefined, state: Entity): Changes {
  const type = stringAt(state, 'type')
  const previous = (key: string) => (issue === undefined ? null : stringOrNullAt(issue, key))
  const isOver = type === 'completed' || type === 'canceled' || type === 'duplicate'
  return {
    stateId: state.id,
    startedAt: type === 'started' ? (previous('startedAt') ?? session.at) : isOver ? previous('startedAt') : null,
    completedAt: type === 'completed' ? session.at : null,
    canceledAt: type === 'canceled' || type === 'duplicate' ? session.at : null,
  }
}

/** A team's next issue number. Numbers are never reused. */
function nextNumber({ store }: Session, team: Entity): number {
  const sql = `select max(
      coalesce((select max(number) from issues where teamId = :id), 0),
      coalesce((select max(cast(substr(identifier, instr(identifier, '-') + 1) as integer)) from formerIdentifiers
        where substr(identifier, 1, instr(identifier, '-') - 1) = :key), 0)
    ) as last`
  return (store.rows({ last: integer }, sql, { id: team.id, key: stringAt(team, 'key') })[0]?.last ?? 0) + 1
}

/** Checks the entities referred to in an input, and returns the columns derived from the input. */
function issueChanges(session: Session, values: Changes, team: Entity, issue: Entity | undefined): Changes {
  const row = (type: string, key: string) => (typeof values[key] === 'string' ? session.get(type, values[key]) : null)
  const [state, cycle, project] = [row('WorkflowState', 'stateId'), row('Cycle', 'cycleId'), row('Project', 'projectId')]
  const milestone = row('ProjectMilestone', 'projectMilestoneId')
  const { estimate, projectId } = values
  checkPriority(values)
  checkTeam(state, team, 'stateId')
  checkTeam(cycle, team, 'cycleId')
  const assigned = assignments(session, values, team)
  if (!isTeamOfProject(session, project?.id, team.id)) throw badArgument("projectId must be a project of the issue's team.")
  if (issue) checkParent(session, row('Issue', 'parentId'), issue.id)
  if (typeof estimate === 'number') checkEstimate(team, estimate)
  if (milestone && milestone['projectId'] !== (projectId === undefined ? issue?.['projectId'] : projectId)) {
    throw badArgument("projectMilestoneId must be a milestone of the issue's project.")
  }
  return {
    ...assigned,
    ...(projectId === null && { projectMilestoneId: null }),
    ...(cycle && { addedToCycleAt: session.at }),
    ...(project && { addedToProjectAt: session.at }),
    ...(state && state.id !== issue?.['stateId'] && stateChanges(session, issue, state)),
  }
}

/** A new issue's times, which an import may set: both in the past, and `completedAt` only for a completed issue. */
function importedTimes(session: Session, { createdAt = null, completedAt }: Changes, type: string): Changes {
  const created = typeof createdAt === 'string' ? createdAt : session.at
  if (created > session.at) throw badArgument('createdAt must be in the past.')
  if (typeof completedAt !== 'string') return { createdAt: created }
  if (completedAt > session.at || completedAt < created) throw badArgument('completedAt must be in the past and after createdAt.')
  if (type !== 'completed') throw badArgument('completedAt needs a state of the type completed.')
  return { createdAt: created, completedAt }
}

/** The columns of a new issue that its team determines. */
function placement(session: Session, team: Entity): Changes {
  if (team['archivedAt'] !== null || team['retiredAt'] !== null) throw badArgument('teamId must be a team that accepts issues.')
  const number = nextNumber(session, team)
  return { teamId: team.id, number, identifier: `${stringAt(team, 'key')}-${number}` }
}

function newIssue(session: Session, values: Changes): Changes {
  const team = requiredEntity(session, 'Team', values['teamId'], 'teamId')
  const place = placement(session, team)
  const subscribers = insidersOf(session, team.id, [session.viewerId, values['assigneeId'], ...idsIn(values['subscriberIds'])])
  const changes = issueChanges(session, values, team, undefined)
  const state = typeof values['stateId'] === 'string' ? session.get('WorkflowState', values['stateId']) : initialState(session, team)
  const times = importedTimes(session, values, stringAt(state, 'type'))
  return {
    ...stateChanges(session, undefined, state),
    ...changes,
    ...times,
    ...place,
    title: requiredText(values, 'title'),
    labelIds: JSON.stringify(newLabels(session, values, { team, issueId: undefined })),
    subscriberIds: JSON.stringify(subscribers),
    addedToTeamAt: times['createdAt'],
    sortOrder: values['sortOrder'] ?? -Number(place['number']),
  }
}

function changedIssue(session: Session, values: Changes, issue: Entity): Changes {
  const issueId = issue.id
  const team = session.get('Team', String(values['teamId'] ?? issue['teamId']))
  const isLabelled = ['labelIds', 'addedLabelIds', 'removedLabelIds'].some((key) => typeof values[key] === 'string')
  const labels = newLabels(session, values, { team, issueId })
  const changes = issueChanges(session, values, team, issue)
  const { assigneeId, subscriberIds } = values
  const isSubscribing = typeof subscriberIds === 'string'
  if (!isSubscribing) subscribe(session, issueId, [assigneeId])
  const isMoved = team.id !== issue['teamId']
  const moved = isMoved ? moveToTeam(session, issue, team) : {}
  return {
    stateId: undefined,
    teamId: undefined,
    title: optionalNonEmptyText(values, 'title'),
    ...Object.fromEntries(Object.entries(moved).filter(([key]) => key === 'teamId' || typeof values[key] !== 'string')),
    ...changes,
    labelIds: isLabelled || isMoved ? JSON.stringify(labels) : undefined,
    addedLabelIds: undefined,
    removedLabelIds: undefined,
    ...(isSubscribing && { subscriberIds: JSON.stringify(insidersOf(session, team.id, [...idsIn(subscriberIds), assigneeId])) }),
  }
}

const idsIn = (list: unknown) => (typeof list === 'string' ? stringsIn(parseJson(list)) : [])

const hooks: CrudHooks = {
  defaults: () => ({ priority: 0 }),
  check: (session, values, before) => (before === undefined ? newIssue(session, values) : changedIssue(session, values, before)),
  links: { labelIds: ['issueLabels', 'issueId', 'labelId'], subscriberIds: ['issueSubscribers', 'issueId', 'userId'] },
}

/** The columns that change when an issue moves to another team: its number, references to the old team, and people outside the new one. */
function moveToTeam(session: Session, issue: Entity, team: Entity): Changes {
  const place = placement(session, team)
  const [id, identifier] = [issue.id, stringAt(issue, 'identifier')]
  session.store.run('insert or ignore into formerIdentifiers (identifier, issueId) values (:identifier, :id)', { identifier, id })
  const isOutside = (userId: unknown) => typeof userId === 'string' && insidersOf(session, team.id, [userId]).length === 0
  const subscribers = session.store
    .rows({ userId: text }, 'select userId from issueSubscribers where issueId = :id', { id })
    .map(({ userId }) => userId)
  const keepsProject = isTeamOfProject(session, issue['projectId'], team.id)
  return {
    ...place,
    cycleId: null,
    addedToTeamAt: session.at,
    ...(isOutside(issue['assigneeId']) && { assigneeId: null }),
    ...(isOutside(issue['delegateId']) && { delegateId: null }),
    subscriberIds: JSON.stringify(insidersOf(session, team.id, subscribers)),
    ...(!keepsProject && { projectId: null, projectMilestoneId: null }),
    ...stateChanges(session, issue, equivalentState(session, issue, team)),
  }
}

/** A team's equivalent of an issue's state: the one with the same name, else the first of its type, else the default. */
function equivalentState(session: Session, issue: Entity, team: Entity): Entity {
  const before = session.get('WorkflowState', stringAt(issue, 'stateId'))
  const states = session.select('WorkflowState', 'where a.teamId = :id and a.archivedAt is null order by a.position', {
    id: team.id,
  })
  const ofType = states.filter((state) => state['type'] === before['type'])
  const ofName = ofType.find((state) => stringAt(state, 'name').toLowerCase() === stringAt(before, 'name').toLowerCase())
  return ofName ?? ofType[0] ?? session.get('WorkflowState', stringAt(team, 'defaultIssueStateId'))
}

/** Label ids after a change. Keeps retired labels, but refuses to add one, and drops a former team's labels. */
function newLabels(
  session: Session,
  values: Changes,
  { team, issueId }: { readonly team: Entity; readonly issueId: string | undefined },
): string[] {
  const current = labelsOfIssue(session, issueId ?? '')
    .filter((label) => label['teamId'] === null || label['teamId'] === team.id)
    .map((label) => label.id)
  const named = (key: string) => idsIn(values[key]).map((id) => requiredEntity(session, 'IssueLabel', id, `each value in ${key}`).id)
  const [removed, added] = [new Set(named('removedLabelIds')), named('addedLabelIds')]
  const remaining = [...(typeof values['labelIds'] === 'string' ? named('labelIds') : current), ...added].filter((id) => !removed.has(id))
  const labels = [...new Set(remaining)].map((id) => session.get('IssueLabel', id))
  checkLabels(labels, team)
  const refused = labels.find((label) => !current.includes(label.id) && isRetired(session, label))
  if (refused !== undefined) throw badArgument(`The label '${stringAt(refused, 'name')}' is retired and cannot be applied.`)
  return labels.map((label) => label.id)
}

/** A subscription's user: the caller unless the arguments name someone. */
function subscriberOf(session: Session, { userId, userEmail }: JsonObject): string {
  if (typeof userId === 'string') return requiredEntity(session, 'User', userId, 'userId').id
  if (typeof userEmail !== 'string') return session.viewerId
  const user = session.select('User', 'where a.email = :email', { email: userEmail })[0]
  if (user === undefined) throw notFound('User')
  return user.id
}

const touch = (session: Session, issue: Entity) => ({ issue: session.update('Issue', issue.id, {}) })

const changeIssue = (session: Session, args: JsonObject) => change(session, { type: 'Issue', hooks, mutation: 'issueUpdate' }, args)

const changeLabel =
  (key: 'addedLabelIds' | 'removedLabelIds'): FieldResolver =>
  (_, args, session) => ({ issue: changeIssue(session, { id: args['id'], input: { [key]: [args['labelId']] } }) })

const maxBatch = 50

const issueBatchCreate: FieldResolver = (_, args, session) => {
  const { issues } = inputOf(args)
  const inputs: readonly unknown[] = Array.isArray(issues) ? issues : []
  if (inputs.length === 0 || inputs.length > maxBatch) throw badArgument(`issues must contain from 1 to ${maxBatch} elements.`)
  const operation = { type: 'Issue', hooks, mutation: 'issueCreate' }
  return { issues: inputs.filter(isObject).map((input) => create(session, operation, input)) }
}

const issueBatchUpdate: FieldResolver = (_, args, session) => {
  const ids = stringsIn(args['ids'])
  if (ids.length === 0 || ids.length > maxBatch) throw badArgument(`ids must contain from 1 to ${maxBatch} elements.`)
  return { issues: ids.map((id) => changeIssue(session, { id, input: args['input'] })) }
}

const issueReminder: FieldResolver = (_, args, session) => {
  const before = findIssue(session, stringAt(args, 'id'))
  const reminderAt = optionalTime(args, 'reminderAt', session.now)
  if (typeof reminderAt === 'string' && reminderAt <= session.at) throw badArgument('reminderAt must be in the future.')
  return { issue: changeRow(session, { type: 'Issue', before, changes: { reminderAt: reminderAt ?? null } }) }
}

/** Issue operations that do not follow from the schema. */
export const issueBehavior = {
  ...hooks,
  mutations: {
    issueAddLabel: changeLabel('addedLabelIds'),
    issueRemoveLabel: changeLabel('removedLabelIds'),
    issueSubscribe(_, args, session) {
      const issue = findIssue(session, stringAt(args, 'id'))
      subscribe(session, issue.id, insidersOf(session, issue['teamId'], [subscriberOf(session, args)]))
      return touch(session, issue)
    },
    issueUnsubscribe(_, args, session) {
      const issue = findIssue(session, stringAt(args, 'id'))
      const user = subscriberOf(session, args)
      session.store.run('delete from issueSubscribers where issueId = :id and userId = :user', { id: issue.id, user })
      return touch(session, issue)
    },
    issueDelete(_, args, session) {
      if (args['permanentlyDelete'] === true) throw badArgument('This emulator cannot delete an issue permanently; omit permanentlyDelete.')
      return { entity: archive(session, 'Issue', findIssue(session, stringAt(args, 'id')), true) }
    },
    issueBatchCreate,
    issueBatchUpdate,
    issueReminder,
  },
} satisfies CrudHooks & { readonly mutations: Resolvers[string] }
