import { type JsonObject, stringAt } from '@mcp-toolkits/emulator'
import type { FieldResolver } from '../engine/entity-module.ts'
import type { Entity } from '../store/entity-type.ts'
import type { Session } from '../store/session.ts'

type Owner = 'projectId' | 'cycleId' | 'projectMilestoneId'

const openTypes = ['backlog', 'unstarted', 'triage', 'started']

function pointsByStateType(source: JsonObject, session: Session, key: Owner): { points: number; type: string }[] {
  const issues = session.select('Issue', `where a.${key} = :id and a.archivedAt is null`, { id: stringAt(source, 'id') })
  return issues.map((issue) => ({
    points: pointsOf(issue),
    type: stringAt(session.get('WorkflowState', stringAt(issue, 'stateId')), 'type'),
  }))
}

/** An issue's points: its estimate, or 1 if it has none. */
const pointsOf = (issue: Entity) => (typeof issue['estimate'] === 'number' ? issue['estimate'] : 1)

const sum = (all: readonly { points: number }[]) => all.reduce((total, { points }) => total + points, 0)

/** The share of finished points. Canceled issues and duplicates do not count. */
export const progressOf =
  (key: Owner): FieldResolver =>
  (source, _, session) => {
    const all = pointsByStateType(source, session, key).filter(({ type }) => openTypes.includes(type) || type === 'completed')
    return all.length === 0 ? 0 : sum(all.filter(({ type }) => type === 'completed')) / sum(all)
  }

/** The sum of all points. */
export const scopeOf =
  (key: Owner): FieldResolver =>
  (source, _, session) =>
    sum(pointsByStateType(source, session, key))

/** Histories, which contain only today's value. */
export const scopeHistories = (key: Owner): Readonly<Record<string, FieldResolver>> => {
  const today = (types: readonly string[] | undefined, count: boolean) => (source: JsonObject, _: JsonObject, session: Session) => {
    const all = pointsByStateType(source, session, key).filter(({ type }) => types?.includes(type) ?? true)
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
