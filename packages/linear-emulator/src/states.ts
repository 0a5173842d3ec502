import { byId, every, owned, toOne } from './entities.ts'
import { commonFilters, many, one, value, type Noun, type Part } from './noun.ts'
import { connection, filterTypes, page } from './sdl.ts'

const state: Noun = {
  type: 'WorkflowState',
  table: 'workflowStates',
  columns: { name: 'text', type: 'text', position: 'real', color: 'text', description: 'text?', teamId: 'text' },
  indexes: ['teamId'],
  filters: {
    ...commonFilters,
    name: value('words'),
    type: value('text'),
    position: value('number'),
    description: value('words'),
    team: one('Team', 'teamId'),
    issues: many('Issue', (alias, other) => `${other}.stateId = ${alias}.id`),
  },
}

/** The workflow states of teams. */
export const states: Part = {
  nouns: [state],
  sdl: `
type WorkflowState implements Node {
  id: ID!  name: String!  type: String!  position: Float!  description: String  color: String!  team: Team!
  updatedAt: DateTime!  inheritedFrom: WorkflowState  archivedAt: DateTime  createdAt: DateTime!
  issues(filter: IssueFilter, ${page}): IssueConnection!
}
${connection('WorkflowState')}
${filterTypes({
  type: 'WorkflowState',
  fields: `id: IdComparator  name: StringComparator  type: StringComparator  position: NumberComparator
    description: StringComparator  team: TeamFilter  issues: IssueCollectionFilter  createdAt: DateComparator
    updatedAt: DateComparator`,
})}
extend type Query {
  workflowState(id: String!): WorkflowState!
  workflowStates(filter: WorkflowStateFilter, ${page}): WorkflowStateConnection!
}`,
  resolvers: {
    WorkflowState: { team: toOne('Team', 'teamId'), issues: owned('Issue', 'stateId') },
    Query: { workflowState: byId('WorkflowState'), workflowStates: every('WorkflowState') },
  },
}
