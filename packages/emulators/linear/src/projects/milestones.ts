import { type JsonObject, stringAt, stringOrNullAt } from '@mcp-toolkits/emulator'
import { connection, filterTypes, page } from '../graphql/sdl.ts'
import { commonFilters, type EntityType, type EntityRow, valueFilter } from '../store/entity-type.ts'
import type { Session } from '../store/session.ts'
import { type EntityModule, getById, listAll, type FieldResolver, toOne } from '../engine/entity-module.ts'

type Owner = 'projectId' | 'cycleId' | 'projectMilestoneId'

const openTypes = ['backlog', 'unstarted', 'triage', 'started']

function pointsByStateType(source: JsonObject, session: Session, key: Owner): { points: number; type: string }[] {
  const issues = session.select('Issue', `where a.${key} = :id and a.archivedAt is null`, { id: stringAt(source, 'id') })
  return issues.map((issue) => ({
    points: pointsOf(issue),
    type: stringAt(session.get('WorkflowState', stringAt(issue, 'stateId')), 'type'),
  }))
}

/** An issue without an estimate counts as one point. */
const pointsOf = (issue: EntityRow) => (typeof issue['estimate'] === 'number' ? issue['estimate'] : 1)

const sum = (all: readonly { points: number }[]) => all.reduce((total, { points }) => total + points, 0)

/** The share of the points that are done. Canceled issues and duplicates do not count. */
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

/** Histories, which contain only today. */
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

const status: EntityType = {
  type: 'ProjectStatus',
  table: 'projectStatuses',
  columns: { name: 'text', type: 'text', position: 'real', color: 'text', description: 'text?', indefinite: 'integer' },
  filters: {
    ...commonFilters,
    name: valueFilter('words'),
    type: valueFilter('text'),
    position: valueFilter('number'),
    description: valueFilter('words', 'StringComparator'),
  },
}

const milestone: EntityType = {
  type: 'ProjectMilestone',
  table: 'projectMilestones',
  columns: { name: 'text', description: 'text?', targetDate: 'text?', sortOrder: 'real', projectId: 'text' },
  indexes: ['projectId'],
  filters: { ...commonFilters, name: valueFilter('words', 'NullableStringComparator'), targetDate: valueFilter('day') },
}

/** Statuses and milestones of projects. */
export const milestones: EntityModule = {
  entityTypes: [status, milestone],
  sdl: `
type ProjectStatus implements Node {
  id: ID!  name: String!  type: ProjectStatusType!  position: Float!  description: String  color: String!
  updatedAt: DateTime!  archivedAt: DateTime  createdAt: DateTime!  indefinite: Boolean!
}
enum ProjectStatusType { backlog canceled completed paused planned started }
${connection('ProjectStatus')}
${filterTypes(status)}
type ProjectMilestone implements Node {
  id: ID!  name: String!  description: String  targetDate: TimelessDate  status: ProjectMilestoneStatus!
  progress: Float!  sortOrder: Float!  updatedAt: DateTime!  project: Project!  documentContent: DocumentContent
  archivedAt: DateTime  createdAt: DateTime!
}
enum ProjectMilestoneStatus { done next overdue unstarted }
${connection('ProjectMilestone')}
${filterTypes(milestone, { nullable: true })}
extend type Query {
  projectStatus(id: String!): ProjectStatus!
  projectStatuses(${page}): ProjectStatusConnection!
  projectMilestone(id: String!): ProjectMilestone!
  projectMilestones(filter: ProjectMilestoneFilter, ${page}): ProjectMilestoneConnection!
}`,
  resolvers: {
    ProjectMilestone: {
      project: toOne('Project', 'projectId'),
      progress: progressOf('projectMilestoneId'),
      status(source, args, session) {
        if (progressOf('projectMilestoneId')(source, args, session) === 1) return 'done'
        const target = stringOrNullAt(source, 'targetDate')
        if (target === null) return 'unstarted'
        return target < session.at.slice(0, 10) ? 'overdue' : 'next'
      },
    },
    Query: {
      projectStatus: getById('ProjectStatus'),
      projectStatuses: listAll('ProjectStatus'),
      projectMilestone: getById('ProjectMilestone'),
      projectMilestones: listAll('ProjectMilestone'),
    },
  },
}
