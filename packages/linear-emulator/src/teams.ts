import { activeCycle } from './cycles.ts'
import { byId, every, owned, paired, toOne, within } from './entities.ts'
import { commonFilters, many, one, value, type Noun, type Part } from './noun.ts'
import { connection, filterTypes, page } from './sdl.ts'
import { usersWithin } from './users.ts'
import { text } from './values.ts'

const team: Noun = {
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
    key: value('words'),
    name: value('words'),
    description: value('words'),
    private: value('flag'),
    parent: one('Team', 'parentId'),
    issues: many('Issue', (alias, other) => `${other}.teamId = ${alias}.id`),
  },
}

/** Teams and who belongs to them. */
export const teams: Part = {
  nouns: [team],
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
${filterTypes({
  type: 'Team',
  fields: `id: IdComparator  key: StringComparator  name: StringComparator  description: NullableStringComparator
    private: BooleanComparator  parent: NullableTeamFilter  issues: IssueCollectionFilter  createdAt: DateComparator
    updatedAt: DateComparator`,
  nullable: true,
  collection: 'id: IdComparator  parent: NullableTeamFilter  createdAt: DateComparator  updatedAt: DateComparator',
})}
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
      activeCycle: (source, _, session) => activeCycle(session, text(source, 'id')),
      viewerCanJoin: (source) => source['private'] === 0,
      viewerCanLeave: () => true,
      issueCount: (source, args, session) => {
        const shown = args['includeArchived'] === true ? 'true' : 'a.archivedAt is null'
        return session.count('Issue', `a.teamId = :id and ${shown}`, { id: text(source, 'id') })
      },
      members: (source, args, session) =>
        usersWithin(session, args, within('a.id in (select userId from teamMembers where teamId = :owner)', text(source, 'id'))),
      states: owned('WorkflowState', 'teamId'),
      labels: owned('IssueLabel', 'teamId'),
      cycles: owned('Cycle', 'teamId'),
      projects: paired('Project', ['projectTeams', 'teamId', 'projectId']),
      issues: owned('Issue', 'teamId'),
    },
    Query: { team: byId('Team'), teams: every('Team') },
  },
}
