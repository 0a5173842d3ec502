import { byId, every, toOne } from './entities.ts'
import { commonFilters, value, type Noun, type Part } from './noun.ts'
import { progressOf } from './progress.ts'
import { connection, filterTypes, page } from './sdl.ts'
import { textOrNull } from './values.ts'

const status: Noun = {
  type: 'ProjectStatus',
  table: 'projectStatuses',
  columns: { name: 'text', type: 'text', position: 'real', color: 'text', description: 'text?', indefinite: 'integer' },
  filters: { ...commonFilters, name: value('words'), type: value('text'), position: value('number'), description: value('words') },
}

const milestone: Noun = {
  type: 'ProjectMilestone',
  table: 'projectMilestones',
  columns: { name: 'text', description: 'text?', targetDate: 'text?', sortOrder: 'real', projectId: 'text' },
  indexes: ['projectId'],
  filters: { ...commonFilters, name: value('words'), targetDate: value('day') },
}

/** What projects pass through: their statuses and their milestones. */
export const projectPlans: Part = {
  nouns: [status, milestone],
  sdl: `
type ProjectStatus implements Node {
  id: ID!  name: String!  type: ProjectStatusType!  position: Float!  description: String  color: String!
  updatedAt: DateTime!  archivedAt: DateTime  createdAt: DateTime!  indefinite: Boolean!
}
enum ProjectStatusType { backlog canceled completed paused planned started }
${connection('ProjectStatus')}
${filterTypes({
  type: 'ProjectStatus',
  fields: `id: IdComparator  name: StringComparator  type: StringComparator  position: NumberComparator
    description: StringComparator  createdAt: DateComparator  updatedAt: DateComparator`,
})}
type ProjectMilestone implements Node {
  id: ID!  name: String!  description: String  targetDate: TimelessDate  status: ProjectMilestoneStatus!
  progress: Float!  sortOrder: Float!  updatedAt: DateTime!  project: Project!  documentContent: DocumentContent
  archivedAt: DateTime  createdAt: DateTime!
}
enum ProjectMilestoneStatus { done next overdue unstarted }
${connection('ProjectMilestone')}
${filterTypes({
  type: 'ProjectMilestone',
  fields: `id: IdComparator  name: NullableStringComparator  targetDate: NullableDateComparator  createdAt: DateComparator
    updatedAt: DateComparator`,
  nullable: true,
})}
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
        const target = textOrNull(source, 'targetDate')
        if (target === null) return 'unstarted'
        return target < session.at.slice(0, 10) ? 'overdue' : 'next'
      },
    },
    Query: {
      projectStatus: byId('ProjectStatus'),
      projectStatuses: every('ProjectStatus'),
      projectMilestone: byId('ProjectMilestone'),
      projectMilestones: every('ProjectMilestone'),
    },
  },
}
