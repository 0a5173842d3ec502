import { byId, every, toOne } from './entities.ts'
import { commonFilters, type Noun, type Part } from './noun.ts'
import { connection, page } from './sdl.ts'

const relation: Noun = {
  type: 'IssueRelation',
  table: 'relations',
  columns: { type: 'text', issueId: 'text', relatedIssueId: 'text' },
  indexes: ['issueId', 'relatedIssueId'],
  filters: commonFilters,
}

/** How issues relate. The issue blocks, or duplicates, the related one. */
export const relations: Part = {
  nouns: [relation],
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
    Query: { issueRelation: byId('IssueRelation'), issueRelations: every('IssueRelation') },
  },
}
