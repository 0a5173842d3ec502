import { stringAt } from '@mcp-toolkits/emulator'
import { activeCycle } from './cycles.ts'
import { connection, filterTypes, page } from '../graphql/sdl.ts'
import { commonFilters, type EntityType, manyFilter, oneFilter, valueFilter } from '../store/entity-type.ts'
import { type EntityModule, getById, listAll, manyToMany, scopedTo, toMany, toOne } from '../engine/entity-module.ts'
import { usersWithin } from '../people/organization.ts'

const team: EntityType = {
  type: 'Team',
  table: 'teams',
  columns: {
    key: 'text',
    name: 'text',
    description: 'text?',
    icon: 'text?',
    color: 'text?',
    visibility: 'text',
    private: 'integer',
    timezone: 'text',
    retiredAt: 'text?',
    cyclesEnabled: 'integer',
    cycleDuration: 'real',
    cycleStartDay: 'real',
    upcomingCycleCount: 'real',
    issueEstimationType: 'text',
    issueEstimationAllowZero: 'integer',
    issueEstimationExtended: 'integer',
    triageEnabled: 'integer',
    parentId: 'text?',
    defaultIssueStateId: 'text?',
    triageIssueStateId: 'text?',
    markedAsDuplicateWorkflowStateId: 'text?',
  },
  uniques: ['key'],
  filters: {
    ...commonFilters,
    key: valueFilter('words'),
    name: valueFilter('words'),
    description: valueFilter('words'),
    private: valueFilter('flag'),
    parent: oneFilter('Team', 'parentId'),
    issues: manyFilter('Issue', (alias, other) => `${other}.teamId = ${alias}.id`),
  },
}

/** Teams and their members. */
export const teams: EntityModule = {
  entityTypes: [team],
  tables: `create table teamMembers (teamId text not null, userId text not null, primary key (teamId, userId)) strict, without rowid;
create index teamMembers_user on teamMembers (userId);`,
  sdl: `
type Team implements Node {
  id: ID!  key: String!  name: String!  description: String  visibility: TeamVisibility!  archivedAt: DateTime
  icon: String  color: String  timezone: String!  retiredAt: DateTime  createdAt: DateTime!  updatedAt: DateTime!
  cyclesEnabled: Boolean!  cycleDuration: Float!  issueEstimationType: String!  triageEnabled: Boolean!  parent: Team
  activeCycle: Cycle  defaultIssueState: WorkflowState  organization: Organization!  issueEstimationAllowZero: Boolean!
  issueEstimationExtended: Boolean!  cycleIssueAutoAssignCompleted: Boolean!  cycleLockToActive: Boolean!
  cycleIssueAutoAssignStarted: Boolean!  cycleCalenderUrl: String!  upcomingCycleCount: Float!
  autoArchivePeriod: Float!  autoClosePeriod: Float  securitySettings: JSONObject!
  integrationsSettings: IntegrationsSettings  triageResponsibility: TriageResponsibility  scimGroupName: String
  autoCloseStateId: String  cycleCooldownTime: Float!  cycleStartDay: Float!  defaultTemplateForMembers: Template
  defaultTemplateForNonMembers: Template  defaultProjectTemplate: Template  defaultTemplateForMembersId: String
  defaultTemplateForNonMembersId: String  displayName: String!  ledInitiativeCount: Int!
  viewerMembership: TeamMembership  mergeWorkflowState: WorkflowState  draftWorkflowState: WorkflowState
  startWorkflowState: WorkflowState  mergeableWorkflowState: WorkflowState  reviewWorkflowState: WorkflowState
  triageIssueState: WorkflowState  defaultIssueEstimate: Float!  setIssueSortOrderOnStateChange: String!
  allMembersCanJoin: Boolean  requirePriorityToLeaveTriage: Boolean!  autoCloseChildIssues: Boolean
  autoCloseParentIssues: Boolean  initiativesEnabled: Boolean!  scimManaged: Boolean!  private: Boolean!
  inheritIssueEstimation: Boolean!  inheritWorkflowStatuses: Boolean!  viewerCanJoin: Boolean!  viewerCanLeave: Boolean!
  aiDiscussionSummariesEnabled: Boolean!  aiThreadSummariesEnabled: Boolean!  groupIssueHistory: Boolean!
  slackIssueComments: Boolean!  slackNewIssue: Boolean!  slackIssueStatuses: Boolean!
  markedAsDuplicateWorkflowState: WorkflowState  inviteHash: String!  issueOrderingNoPriorityFirst: Boolean!
  issueSortOrderDefaultToBottom: Boolean!
  issueCount(includeArchived: Boolean): Int!
  members(filter: UserFilter, includeDisabled: Boolean, sort: [UserSortInput!], ${page}): UserConnection!
  states(filter: WorkflowStateFilter, ${page}): WorkflowStateConnection!
  labels(filter: IssueLabelFilter, ${page}): IssueLabelConnection!
  cycles(filter: CycleFilter, ${page}): CycleConnection!
  projects(filter: ProjectFilter, includeSubTeams: Boolean, sort: [ProjectSortInput!], ${page}): ProjectConnection!
  issues(filter: IssueFilter, includeSubTeams: Boolean, ${page}): IssueConnection!
}
enum TeamVisibility { private public restricted }
type TeamMembership implements Node { id: ID! }
${connection('Team')}
${filterTypes(team, { nullable: true, collection: ['id', 'parent', 'createdAt', 'updatedAt'] })}
extend type Query {
  team(id: String!): Team!
  teams(filter: TeamFilter, ${page}): TeamConnection!
}`,
  resolvers: {
    Team: {
      displayName: (source) => source['name'],
      organization: (_source, _args, session) => session.select('Organization', 'limit 1')[0],
      parent: toOne('Team', 'parentId'),
      defaultIssueState: toOne('WorkflowState', 'defaultIssueStateId'),
      triageIssueState: toOne('WorkflowState', 'triageIssueStateId'),
      markedAsDuplicateWorkflowState: toOne('WorkflowState', 'markedAsDuplicateWorkflowStateId'),
      activeCycle: (source, _, session) => activeCycle(session, stringAt(source, 'id')),
      viewerCanJoin: (source) => source['private'] === 0,
      viewerCanLeave: () => true,
      issueCount: (source, args, session) => {
        const shown = args['includeArchived'] === true ? 'true' : 'a.archivedAt is null'
        return session.count('Issue', `a.teamId = :id and ${shown}`, { id: stringAt(source, 'id') })
      },
      members: (source, args, session) =>
        usersWithin(session, args, scopedTo('a.id in (select userId from teamMembers where teamId = :owner)', stringAt(source, 'id'))),
      states: toMany('WorkflowState', 'teamId'),
      labels: toMany('IssueLabel', 'teamId'),
      cycles: toMany('Cycle', 'teamId'),
      projects: manyToMany('Project', ['projectTeams', 'teamId', 'projectId']),
      issues: toMany('Issue', 'teamId'),
    },
    Query: { team: getById('Team'), teams: listAll('Team') },
  },
}

const state: EntityType = {
  type: 'WorkflowState',
  table: 'workflowStates',
  columns: { name: 'text', type: 'text', position: 'real', color: 'text', description: 'text?', teamId: 'text' },
  indexes: ['teamId'],
  filters: {
    ...commonFilters,
    name: valueFilter('words'),
    type: valueFilter('text'),
    position: valueFilter('number'),
    description: valueFilter('words', 'StringComparator'),
    team: oneFilter('Team', 'teamId'),
    issues: manyFilter('Issue', (alias, other) => `${other}.stateId = ${alias}.id`),
  },
}

/** The workflow states of teams. */
export const workflowStates: EntityModule = {
  entityTypes: [state],
  sdl: `
type WorkflowState implements Node {
  id: ID!  name: String!  type: String!  position: Float!  description: String  color: String!  team: Team!
  updatedAt: DateTime!  inheritedFrom: WorkflowState  archivedAt: DateTime  createdAt: DateTime!
  issues(filter: IssueFilter, ${page}): IssueConnection!
}
${connection('WorkflowState')}
${filterTypes(state)}
extend type Query {
  workflowState(id: String!): WorkflowState!
  workflowStates(filter: WorkflowStateFilter, ${page}): WorkflowStateConnection!
}`,
  resolvers: {
    WorkflowState: { team: toOne('Team', 'teamId'), issues: toMany('Issue', 'stateId') },
    Query: { workflowState: getById('WorkflowState'), workflowStates: listAll('WorkflowState') },
  },
}
