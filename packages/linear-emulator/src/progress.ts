import type { Resolver, Row } from './noun.ts'
import type { Session } from './session.ts'
import { text, type Fields } from './values.ts'

type Owner = 'projectId' | 'cycleId' | 'projectMilestoneId'

const open = ['backlog', 'unstarted', 'triage', 'started']

function typesOf(source: Fields, session: Session, key: Owner): { points: number; type: string }[] {
  const issues = session.select('Issue', `where a.${key} = :id and a.archivedAt is null`, { id: text(source, 'id') })
  return issues.map((issue) => ({ points: pointsOf(issue), type: text(session.get('WorkflowState', text(issue, 'stateId')), 'type') }))
}

/** An issue without an estimate counts as one point. */
const pointsOf = (issue: Row) => (typeof issue['estimate'] === 'number' ? issue['estimate'] : 1)

const sum = (all: readonly { points: number }[]) => all.reduce((total, { points }) => total + points, 0)

/** The share of the points that is done. Canceled issues and duplicates do not count. */
export const progressOf =
  (key: Owner): Resolver =>
  (source, _, session) => {
    const all = typesOf(source, session, key).filter(({ type }) => open.includes(type) || type === 'completed')
    return all.length === 0 ? 0 : sum(all.filter(({ type }) => type === 'completed')) / sum(all)
  }

/** All points. */
export const scopeOf =
  (key: Owner): Resolver =>
  (source, _, session) =>
    sum(typesOf(source, session, key))

/** Histories, of which this workspace knows today alone. */
export const scopeHistories = (key: Owner): Readonly<Record<string, Resolver>> => {
  const today = (types: readonly string[] | undefined, count: boolean) => (source: Fields, _: Fields, session: Session) => {
    const all = typesOf(source, session, key).filter(({ type }) => types?.includes(type) ?? true)
    return [count ? all.length : sum(all)]
  }
  return {
    scopeHistory: today(undefined, false),
    completedScopeHistory: today(['completed'], false),
    inProgressScopeHistory: today(['started'], false),
    issueCountHistory: today(undefined, true),
    completedIssueCountHistory: today(['completed'], true),
  }
}
