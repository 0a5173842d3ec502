import { type JsonObject, numberAt, stringAt } from '@mcp-toolkits/emulator'
import { notFound } from '../errors.ts'
import { connection, filterTypes, page } from '../graphql/sdl.ts'
import { isUuid, slugify } from '../ids.ts'
import {
  commonFilters,
  computedFilter,
  type EntityRow,
  type EntityType,
  joinFilter,
  manyFilter,
  oneFilter,
  type SqlExpression,
  valueFilter,
} from '../store/entity-type.ts'
import type { Session } from '../store/session.ts'
import { type EntityModule, getById, listAll, manyToMany, scopedTo, toMany, toOne } from '../engine/entity-module.ts'
import { usersWithin } from '../people/organization.ts'

/** Condition that the issue is at one of these ends of a relation of this type. */
const hasRelation =
  (type: string, ends: readonly string[]): SqlExpression =>
  (alias) =>
    `(exists (select 1 from relations r where r.type = '${type}' and ${alias}.id in (${ends.map((end) => `r.${end}`).join(', ')})))`

const issue: EntityType = {
  type: 'Issue',
  table: 'issues',
  columns: {
    teamId: 'text',
    number: 'integer',
    identifier: 'text',
    title: 'text',
    description: 'text?',
    priority: 'integer',
    estimate: 'real?',
    dueDate: 'text?',
    stateId: 'text',
    assigneeId: 'text?',
    creatorId: 'text?',
    projectId: 'text?',
    projectMilestoneId: 'text?',
    cycleId: 'text?',
    parentId: 'text?',
    startedAt: 'text?',
    completedAt: 'text?',
    canceledAt: 'text?',
    triagedAt: 'text?',
    addedToCycleAt: 'text?',
    addedToProjectAt: 'text?',
    addedToTeamAt: 'text?',
    trashed: 'integer?',
    sortOrder: 'real',
  },
  indexes: ['teamId', 'assigneeId', 'creatorId', 'projectId', 'cycleId', 'parentId', 'stateId'],
  uniques: ['teamId, number', 'identifier'],
  filters: {
    ...commonFilters,
    id: valueFilter('issueId'),
    number: valueFilter('number'),
    title: valueFilter('words'),
    description: valueFilter('words'),
    priority: valueFilter('number', 'NullableNumberComparator'),
    estimate: valueFilter('number', 'EstimateComparator'),
    archivedAt: valueFilter('time'),
    startedAt: valueFilter('time'),
    completedAt: valueFilter('time'),
    canceledAt: valueFilter('time'),
    triagedAt: valueFilter('time'),
    addedToCycleAt: valueFilter('time'),
    dueDate: valueFilter('day', 'NullableTimelessDateComparator'),
    team: oneFilter('Team', 'teamId'),
    state: oneFilter('WorkflowState', 'stateId'),
    assignee: oneFilter('User', 'assigneeId'),
    creator: oneFilter('User', 'creatorId'),
    project: oneFilter('Project', 'projectId'),
    projectMilestone: oneFilter('ProjectMilestone', 'projectMilestoneId'),
    cycle: oneFilter('Cycle', 'cycleId'),
    parent: oneFilter('Issue', 'parentId'),
    children: manyFilter('Issue', (alias, other) => `${other}.parentId = ${alias}.id`),
    labels: joinFilter('IssueLabel', ['issueLabels', 'issueId', 'labelId']),
    subscribers: joinFilter('User', ['issueSubscribers', 'issueId', 'userId']),
    comments: manyFilter('Comment', (alias, other) => `${other}.issueId = ${alias}.id`),
    attachments: manyFilter('Attachment', (alias, other) => `${other}.issueId = ${alias}.id`),
    hasBlockedByRelations: computedFilter('flag', hasRelation('blocks', ['relatedIssueId']), 'RelationExistsComparator'),
    hasBlockingRelations: computedFilter('flag', hasRelation('blocks', ['issueId']), 'RelationExistsComparator'),
    hasDuplicateRelations: computedFilter('flag', hasRelation('duplicate', ['issueId', 'relatedIssueId']), 'RelationExistsComparator'),
    hasRelatedRelations: computedFilter('flag', hasRelation('related', ['issueId', 'relatedIssueId']), 'RelationExistsComparator'),
  },
}

/** Finds an issue by UUID or by a current or previous identifier, ignoring case. */
export function findIssue(session: Session, reference: string): EntityRow {
  if (isUuid(reference)) return session.get('Issue', reference.toLowerCase())
  const identifier = reference.toUpperCase()
  const found =
    session.select('Issue', 'where a.identifier = :identifier', { identifier })[0] ??
    session.select('Issue', 'where a.id in (select issueId from formerIdentifiers where identifier = :identifier)', { identifier })[0]
  if (found === undefined) throw notFound('Issue')
  return found
}

/** The URL of an issue, or of a place on its page. */
export const issueUrl = ({ pageUrl }: Session, issue: JsonObject, place = ''): string =>
  pageUrl(`/issue/${stringAt(issue, 'identifier')}/${slugify(stringAt(issue, 'title'))}${place}`)

/** The labels of the priorities 0 to 4. */
export const priorityLabels = ['No priority', 'Urgent', 'High', 'Medium', 'Low']

const labelIds = (source: JsonObject, session: Session) =>
  session
    .select('IssueLabel', 'where a.id in (select labelId from issueLabels where issueId = :id) order by a.id', {
      id: stringAt(source, 'id'),
    })
    .map((label) => label['id'])

/** Issues. */
export const issues: EntityModule = {
  entityTypes: [issue],
  tables: `create table formerIdentifiers (identifier text primary key, issueId text not null) strict;
create table issueSubscribers (issueId text not null, userId text not null, primary key (issueId, userId)) strict, without rowid;`,
  sdl: `
type Issue implements Node {
  id: ID!  identifier: String!  title: String!  url: String!  state: WorkflowState!  priority: Float!
  priorityLabel: String!  estimate: Float  dueDate: TimelessDate  createdAt: DateTime!  updatedAt: DateTime!
  archivedAt: DateTime  assignee: User  team: Team!  project: Project  cycle: Cycle  parent: Issue  creator: User
  previousIdentifiers: [String!]!  description: String  branchName: String!  startedAt: DateTime  completedAt: DateTime
  canceledAt: DateTime  trashed: Boolean  delegate: User  projectMilestone: ProjectMilestone  reactionData: JSONObject!
  labelIds: [String!]!  integrationSourceType: IntegrationService  reactions: [Reaction!]!  customerTicketCount: Int!
  sharedAccess: IssueSharedAccess!  botActor: ActorBot  sourceComment: Comment  syncedWith: [ExternalEntityInfo!]
  externalUserCreator: ExternalUser  asksExternalUserRequester: ExternalUser  asksRequester: User  number: Float!
  lastAppliedTemplate: Template  boardOrder: Float!  sortOrder: Float!  prioritySortOrder: Float!
  subIssueSortOrder: Float  recurringIssueTemplate: Template  startedTriageAt: DateTime  triagedAt: DateTime
  addedToCycleAt: DateTime  addedToProjectAt: DateTime  addedToTeamAt: DateTime  autoArchivedAt: DateTime
  autoClosedAt: DateTime  slaStartedAt: DateTime  slaBreachesAt: DateTime  slaHighRiskAt: DateTime
  slaMediumRiskAt: DateTime  snoozedUntilAt: DateTime  slaType: String  snoozedBy: User  favorite: Favorite
  inheritsSharedAccess: Boolean!
  labels(filter: IssueLabelFilter, ${page}): IssueLabelConnection!
  comments(filter: CommentFilter, ${page}): CommentConnection!
  attachments(filter: AttachmentFilter, ${page}): AttachmentConnection!
  relations(${page}): IssueRelationConnection!
  inverseRelations(${page}): IssueRelationConnection!
  children(filter: IssueFilter, ${page}): IssueConnection!
  subscribers(filter: UserFilter, includeDisabled: Boolean, ${page}): UserConnection!
}
type IssueSharedAccess {
  disallowedIssueFields: [IssueSharedAccessDisallowedField!]!  sharedWithCount: Int!  sharedWithUsers: [User!]!
  viewerHasOnlySharedAccess: Boolean!  isShared: Boolean!
}
enum IssueSharedAccessDisallowedField { cycleId projectId projectMilestoneId teamId }
enum IntegrationService { airbyte asksWeb datadog discord email figma figmaPlugin front github githubCodeAccessPersonal githubCommit githubEnterpriseServer githubImport githubPersonal gitlab gong googleCalendarPersonal googleSheets intercom jira jiraPersonal launchDarkly launchDarklyPersonal loom mcpServer mcpServerPersonal microsoftPersonal microsoftTeams microsoftTeamsProjectPost notion opsgenie origin pagerDuty salesforce sentry slack slackAsks slackCustomViewNotifications slackInitiativePost slackOrgInitiativeUpdatesPost slackOrgProjectUpdatesPost slackPersonal slackPost slackProjectPost slackProjectUpdatesPost zendesk }
${connection('Issue')}
${filterTypes(issue, { nullable: true, collection: true, unsupported: 'delegate: NullableUserFilter' })}
input IssueSortInput { createdAt: CreatedAtSort  updatedAt: UpdatedAtSort }
input CreatedAtSort { nulls: PaginationNulls  order: PaginationSortOrder }
input UpdatedAtSort { nulls: PaginationNulls  order: PaginationSortOrder }
extend type Query {
  issue(id: String!): Issue!
  issues(filter: IssueFilter, sort: [IssueSortInput!], ${page}): IssueConnection!
}`,
  resolvers: {
    Issue: {
      url: (source, _, session) => issueUrl(session, source),
      priorityLabel: (source) => priorityLabels[numberAt(source, 'priority')],
      previousIdentifiers: (source, _, { store }) =>
        store
          .rows(
            { identifier: (each) => typeof each === 'string' },
            'select identifier from formerIdentifiers where issueId = :id order by rowid',
            {
              id: stringAt(source, 'id'),
            },
          )
          .map(({ identifier }) => identifier),
      branchName: (source, _, session) =>
        [
          stringAt(session.get('User', session.viewerId), 'displayName'),
          `${stringAt(source, 'identifier').toLowerCase()}-${slugify(stringAt(source, 'title'))}`,
        ].join('/'),
      labelIds: (source, _, session) => labelIds(source, session),
      sharedAccess: () => ({ disallowedIssueFields: [], sharedWithUsers: [] }),
      team: toOne('Team', 'teamId'),
      state: toOne('WorkflowState', 'stateId'),
      assignee: toOne('User', 'assigneeId'),
      creator: toOne('User', 'creatorId'),
      project: toOne('Project', 'projectId'),
      projectMilestone: toOne('ProjectMilestone', 'projectMilestoneId'),
      cycle: toOne('Cycle', 'cycleId'),
      parent: toOne('Issue', 'parentId'),
      children: toMany('Issue', 'parentId'),
      labels: manyToMany('IssueLabel', ['issueLabels', 'issueId', 'labelId']),
      comments: toMany('Comment', 'issueId'),
      attachments: toMany('Attachment', 'issueId'),
      relations: toMany('IssueRelation', 'issueId'),
      inverseRelations: (source, args, session) =>
        session.page('IssueRelation', args, scopedTo('a.relatedIssueId = :owner', stringAt(source, 'id'))),
      subscribers: (source, args, session) =>
        usersWithin(
          session,
          args,
          scopedTo('a.id in (select userId from issueSubscribers where issueId = :owner)', stringAt(source, 'id')),
        ),
    },
    Query: { issue: (_, args, session) => findIssue(session, stringAt(args, 'id')), issues: listAll('Issue') },
  },
}

const label: EntityType = {
  type: 'IssueLabel',
  table: 'labels',
  columns: {
    name: 'text',
    description: 'text?',
    color: 'text',
    isGroup: 'integer',
    parentId: 'text?',
    teamId: 'text?',
    creatorId: 'text?',
    lastAppliedAt: 'text?',
  },
  indexes: ['teamId', 'parentId'],
  filters: {
    ...commonFilters,
    name: valueFilter('words'),
    isGroup: valueFilter('flag'),
    parent: oneFilter('IssueLabel', 'parentId', 'IssueLabelFilter'),
    team: oneFilter('Team', 'teamId'),
    creator: oneFilter('User', 'creatorId'),
  },
}

/** Labels of issues, and their groups. */
export const labels: EntityModule = {
  entityTypes: [label],
  tables: `create table issueLabels (issueId text not null, labelId text not null, primary key (issueId, labelId)) strict, without rowid;
create index issueLabels_label on issueLabels (labelId);`,
  sdl: `
type IssueLabel implements Node {
  id: ID!  name: String!  isGroup: Boolean!  parent: IssueLabel  team: Team  color: String!  description: String
  archivedAt: DateTime  lastAppliedAt: DateTime  updatedAt: DateTime!  inheritedFrom: IssueLabel
  groupType: LabelGroupType  createdAt: DateTime!  creator: User  retiredBy: User
  children(filter: IssueLabelFilter, ${page}): IssueLabelConnection!
  issues(filter: IssueFilter, ${page}): IssueConnection!
}
enum LabelGroupType { multiSelect singleSelect }
${connection('IssueLabel')}
${filterTypes(label, { collection: true })}
extend input IssueLabelCollectionFilter { null: Boolean }
extend type Query {
  issueLabel(id: String!): IssueLabel!
  issueLabels(filter: IssueLabelFilter, ${page}): IssueLabelConnection!
}`,
  resolvers: {
    IssueLabel: {
      parent: toOne('IssueLabel', 'parentId'),
      team: toOne('Team', 'teamId'),
      creator: toOne('User', 'creatorId'),
      groupType: (source) => (source['isGroup'] === 1 ? 'singleSelect' : null),
      children: toMany('IssueLabel', 'parentId'),
      issues: manyToMany('Issue', ['issueLabels', 'labelId', 'issueId']),
    },
    Query: { issueLabel: getById('IssueLabel'), issueLabels: listAll('IssueLabel') },
  },
}
