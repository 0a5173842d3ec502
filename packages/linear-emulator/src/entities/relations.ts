import { stringAt } from '@mcp-toolkits/emulator'
import { badArgument } from '../errors.ts'
import { newId } from '../ids.ts'
import { inputOf } from '../inputs.ts'
import { stateChanges } from './issue-mutations.ts'
import { findIssue } from './issues.ts'
import { type EntityModule, type FieldResolver, getById, listAll, toOne } from './entity-module.ts'
import { commonFilters, type EntityType } from '../store/entity-type.ts'
import { connection, page } from '../graphql/sdl.ts'

const relation: EntityType = {
  type: 'IssueRelation',
  table: 'relations',
  columns: { type: 'text', issueId: 'text', relatedIssueId: 'text' },
  indexes: ['issueId', 'relatedIssueId'],
  filters: commonFilters,
}

const issueRelationCreate: FieldResolver = (_, args, session) => {
  const input = inputOf(args)
  const id = newId(input['id'])
  const issue = findIssue(session, stringAt(input, 'issueId'))
  const related = findIssue(session, stringAt(input, 'relatedIssueId'))
  if (issue['id'] === related['id']) throw badArgument('relatedIssueId must be another issue.')
  const type = stringAt(input, 'type')
  const issueRelation = session.insert('IssueRelation', {
    id,
    type,
    issueId: stringAt(issue, 'id'),
    relatedIssueId: stringAt(related, 'id'),
  })
  const duplicates =
    type === 'duplicate'
      ? session.find('WorkflowState', session.get('Team', stringAt(issue, 'teamId'))['markedAsDuplicateWorkflowStateId'])
      : null
  if (duplicates !== null) session.update('Issue', stringAt(issue, 'id'), stateChanges(session, issue, duplicates))
  return { issueRelation }
}

/** Relations of issues. The issue blocks or duplicates the related issue. */
export const relations: EntityModule = {
  entityTypes: [relation],
  sdl: `
type IssueRelation implements Node {
  id: ID!  type: String!  relatedIssue: Issue!  issue: Issue!  updatedAt: DateTime!  archivedAt: DateTime
  createdAt: DateTime!
}
enum IssueRelationType { blocks duplicate related similar }
${connection('IssueRelation')}
extend type Query {
  issueRelation(id: String!): IssueRelation!
  issueRelations(${page}): IssueRelationConnection!
}
type IssueRelationPayload { success: Boolean!  issueRelation: IssueRelation!  lastSyncId: Float! }
input IssueRelationCreateInput { id: String  issueId: String!  relatedIssueId: String!  type: IssueRelationType! }
extend type Mutation {
  issueRelationCreate(input: IssueRelationCreateInput!, overrideCreatedAt: DateTime): IssueRelationPayload!
}`,
  resolvers: {
    IssueRelation: { issue: toOne('Issue', 'issueId'), relatedIssue: toOne('Issue', 'relatedIssueId') },
    Query: { issueRelation: getById('IssueRelation'), issueRelations: listAll('IssueRelation') },
    Mutation: { issueRelationCreate },
  },
}
