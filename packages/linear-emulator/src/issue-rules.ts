import type { Row } from './noun.ts'
import { badArgument, labelsOfOneGroup } from './refusals.ts'
import type { Changes, Session } from './session.ts'
import { number, text, textOrNull } from './values.ts'

const scales: Readonly<Record<string, readonly number[]>> = {
  exponential: [1, 2, 4, 8, 16, 32, 64],
  fibonacci: [1, 2, 3, 5, 8, 13, 21],
  linear: [1, 2, 3, 4, 5, 6, 7],
  tShirt: [1, 2, 3, 5, 8, 13, 21],
}

/** Refuses an estimate that is not on the scale of the team. */
export function checkEstimate(team: Row, estimate: number): void {
  const type = text(team, 'issueEstimationType')
  const scale = scales[type]
  if (scale === undefined) throw badArgument(`The team ${text(team, 'key')} does not use estimates.`)
  const allowed = [
    ...(team['issueEstimationAllowZero'] === 1 ? [0] : []),
    ...(team['issueEstimationExtended'] === 1 ? scale : scale.slice(0, 5)),
  ]
  if (!allowed.includes(estimate)) throw badArgument(`estimate must be one of ${allowed.join(', ')}.`)
}

/** Refuses what belongs to another team. */
export function checkTeam(row: Row | null | undefined, team: Row, key: string): void {
  if (row && row['teamId'] !== team['id']) throw badArgument(`${key} must belong to the team of the issue.`)
}

/** Refuses a team that takes no new issues. */
export function checkAccepts(team: Row): void {
  if (team['archivedAt'] !== null || team['retiredAt'] !== null) throw badArgument('teamId must be a team that accepts issues.')
}

/** Whether a team takes part in a project, if there is one. */
export const takesPart = (session: Session, { projectId, teamId }: { projectId: unknown; teamId: string }): boolean =>
  typeof projectId !== 'string' || linked(session, 'projectTeams', { projectId, teamId })

/** Refuses a project that the team does not take part in. */
export function checkProject(session: Session, project: Row | null | undefined, team: Row): void {
  if (!takesPart(session, { projectId: project?.['id'], teamId: text(team, 'id') })) {
    throw badArgument('projectId must be a project of the team of the issue.')
  }
}

/** Refuses someone who cannot be assigned: an app, a person who left, one outside the team. */
export function checkAssignee(session: Session, user: Row | null | undefined, team: Row): void {
  if (!user) return
  if (user['app'] === 1) throw badArgument('assigneeId must be a person; use delegateId for an app.')
  if (user['active'] !== 1) throw badArgument('assigneeId must be an active user.')
  if (!linked(session, 'teamMembers', { teamId: text(team, 'id'), userId: text(user, 'id') })) {
    throw badArgument('assigneeId must be a member of the team of the issue.')
  }
}

/** Refuses labels that an issue of the team cannot have, or not together: linear.md §3.3. */
export function checkLabels(labels: readonly Row[], team: Row): void {
  const seen = new Map<string, Row>()
  for (const label of labels) {
    if (label['isGroup'] === 1) throw badArgument(`The label '${text(label, 'name')}' is a group and cannot be applied to an issue.`)
    if (label['teamId'] !== null && label['teamId'] !== team['id'])
      throw badArgument('labelIds must be labels of the workspace or of the team.')
    const group = textOrNull(label, 'parentId')
    const other = group === null ? undefined : seen.get(group)
    if (other !== undefined) throw labelsOfOneGroup(text(label, 'name'), text(other, 'name'))
    if (group !== null) seen.set(group, label)
  }
}

/** Refuses a parent that is the issue itself or below it. */
export function checkParent(session: Session, parent: Row | null | undefined, issueId: string): void {
  for (let above = parent ?? null; above !== null; above = session.find('Issue', above['parentId'])) {
    if (above['id'] === issueId) throw badArgument('parentId must not be the issue itself or one of its sub-issues.')
  }
}

/** Whether a table of pairs holds a pair. */
function linked(session: Session, table: string, pair: Record<string, string>): boolean {
  const where = Object.keys(pair)
    .map((name) => `${name} = :${name}`)
    .join(' and ')
  return session.store.rows({}, `select 1 from ${table} where ${where}`, pair).length > 0
}

/** The state of a new issue that names none; what comes from outside a team with triage waits there. */
export function firstState(session: Session, team: Row): Row {
  const isMember = linked(session, 'teamMembers', { teamId: text(team, 'id'), userId: session.viewerId })
  const triage = isMember ? null : textOrNull(team, 'triageIssueStateId')
  return session.get('WorkflowState', triage ?? text(team, 'defaultIssueStateId'))
}

/** What a change of state does to the moments of an issue. */
export function stateChanges(session: Session, issue: Row | undefined, state: Row): Changes {
  const type = text(state, 'type')
  const kept = (key: string) => (issue === undefined ? null : textOrNull(issue, key))
  const isOver = type === 'completed' || type === 'canceled' || type === 'duplicate'
  return {
    stateId: text(state, 'id'),
    startedAt: type === 'started' ? (kept('startedAt') ?? session.at) : isOver ? kept('startedAt') : null,
    completedAt: type === 'completed' ? session.at : null,
    canceledAt: type === 'canceled' || type === 'duplicate' ? session.at : null,
  }
}

/** The next number of a team. Numbers are never given twice. */
export function nextNumber(session: Session, teamId: string): number {
  const last = session.select('Issue', 'where a.teamId = :teamId order by a.number desc limit 1', { teamId })[0]
  const former = session.store.rows(
    { last: (value) => typeof value === 'number' || value === null },
    `select max(cast(substr(identifier, instr(identifier, '-') + 1) as integer)) as last from formerIdentifiers
     where substr(identifier, 1, instr(identifier, '-') - 1) = :key`,
    { key: text(session.get('Team', teamId), 'key') },
  )[0]?.last
  return Math.max(last === undefined ? 0 : number(last, 'number'), typeof former === 'number' ? former : 0) + 1
}
