import { type EntityModule, getById, listAll, toOne } from './entity-module.ts'
import { commonFilters, type EntityType } from '../store/entity-type.ts'
import { connection, page } from '../graphql/sdl.ts'

const relation: EntityType = {
  type: 'IssueRelation',
  table: 'relations',
  columns: { type: 'text', issueId: 'text', relatedIssueId: 'text' },
  indexes: ['issueId', 'relatedIssueId'],
  filters: commonFilters,
}

/** How issues relate. The issue blocks, or duplicates, the related one. */
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
}`,
  resolvers: {
    IssueRelation: { issue: toOne('Issue', 'issueId'), relatedIssue: toOne('Issue', 'relatedIssueId') },
    Query: { issueRelation: getById('IssueRelation'), issueRelations: listAll('IssueRelation') },
  },
}
