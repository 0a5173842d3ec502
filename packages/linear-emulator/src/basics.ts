import type { Part } from './noun.ts'

const texts = `contains: String  containsIgnoreCase: String  containsIgnoreCaseAndAccent: String  endsWith: String  eq: String
  eqIgnoreCase: String  in: [String!]  neq: String  neqIgnoreCase: String  nin: [String!]  notContains: String
  notContainsIgnoreCase: String  notEndsWith: String  notStartsWith: String  startsWith: String  startsWithIgnoreCase: String`

const ordered = (type: string) =>
  `eq: ${type}  gt: ${type}  gte: ${type}  in: [${type}!]  lt: ${type}  lte: ${type}  neq: ${type}  nin: [${type}!]`

/** Scalars, comparators, and what all connections share. */
export const basics: Part = {
  sdl: `
scalar DateTime
scalar DateTimeOrDuration
scalar TimelessDate
scalar TimelessDateOrDuration
scalar JSONObject
enum PaginationOrderBy { createdAt updatedAt }
enum PaginationNulls { first last }
enum PaginationSortOrder { Ascending Descending }
type PageInfo { hasNextPage: Boolean!  endCursor: String  startCursor: String  hasPreviousPage: Boolean! }
interface Node { id: ID! }
interface Entity implements Node { id: ID! createdAt: DateTime! updatedAt: DateTime! archivedAt: DateTime }
interface ArchivePayload { lastSyncId: Float! success: Boolean! }
input StringComparator { ${texts} }
input NullableStringComparator { ${texts} null: Boolean }
input SourceTypeComparator { ${texts} }
input IdComparator { eq: ID  in: [ID!]  neq: ID  nin: [ID!] }
input EntityIdentifierIdComparator { eq: ID  in: [ID!]  neq: ID  nin: [ID!] }
input IssueIdComparator { eq: ID  in: [ID!]  neq: ID  nin: [ID!] }
input BooleanComparator { eq: Boolean  neq: Boolean }
input RelationExistsComparator { eq: Boolean  neq: Boolean }
input NumberComparator { ${ordered('Float')} }
input NullableNumberComparator { ${ordered('Float')} null: Boolean }
input EstimateComparator { ${ordered('Float')} null: Boolean and: [NullableNumberComparator!] or: [NullableNumberComparator!] }
input DateComparator { ${ordered('DateTimeOrDuration')} }
input NullableDateComparator { ${ordered('DateTimeOrDuration')} null: Boolean }
input NullableTimelessDateComparator { ${ordered('TimelessDateOrDuration')} null: Boolean }
type Query
type Mutation
`,
  resolvers: {},
}
