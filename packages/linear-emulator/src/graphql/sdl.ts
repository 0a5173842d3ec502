/** The arguments of a connection. */
export const page = 'after: String, before: String, first: Int, last: Int, includeArchived: Boolean, orderBy: PaginationOrderBy'

/** The connection type and the edge type of a type. */
export const connection = (type: string): string => `
type ${type}Connection { edges: [${type}Edge!]! nodes: [${type}!]! pageInfo: PageInfo! }
type ${type}Edge { cursor: String! node: ${type}! }`

/** The filters of an entity type and of relations to it. */
export interface FilterTypes {
  readonly type: string
  /** The fields that all of them have in common. */
  readonly fields: string
  /** Adds a filter for relations that may be null. */
  readonly nullable?: boolean
  /** Adds a filter for collections, with these fields or, if true, all. */
  readonly collection?: string | true
}

/** The input types of these filters. */
export function filterTypes({ type, fields, nullable = false, collection }: FilterTypes): string {
  const input = (name: string, all: string) => `
input ${name} { and: [${name}!] or: [${name}!] ${all} }`
  const direct = collection === true ? fields : collection
  return [
    input(`${type}Filter`, fields),
    nullable ? input(`Nullable${type}Filter`, `${fields} null: Boolean`) : '',
    direct === undefined
      ? ''
      : input(`${type}CollectionFilter`, `${direct} some: ${type}Filter every: ${type}Filter length: NumberComparator`),
  ].join('')
}

const textComparisons = `contains: String  containsIgnoreCase: String  containsIgnoreCaseAndAccent: String  endsWith: String  eq: String
  eqIgnoreCase: String  in: [String!]  neq: String  neqIgnoreCase: String  nin: [String!]  notContains: String
  notContainsIgnoreCase: String  notEndsWith: String  notStartsWith: String  startsWith: String  startsWithIgnoreCase: String`

const orderComparisons = (type: string) =>
  `eq: ${type}  gt: ${type}  gte: ${type}  in: [${type}!]  lt: ${type}  lte: ${type}  neq: ${type}  nin: [${type}!]`

/** Scalars, comparators and the types that connections share. */
export const commonTypes = `
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
input StringComparator { ${textComparisons} }
input NullableStringComparator { ${textComparisons} null: Boolean }
input SourceTypeComparator { ${textComparisons} }
input IdComparator { eq: ID  in: [ID!]  neq: ID  nin: [ID!] }
input EntityIdentifierIdComparator { eq: ID  in: [ID!]  neq: ID  nin: [ID!] }
input IssueIdComparator { eq: ID  in: [ID!]  neq: ID  nin: [ID!] }
input BooleanComparator { eq: Boolean  neq: Boolean }
input RelationExistsComparator { eq: Boolean  neq: Boolean }
input NumberComparator { ${orderComparisons('Float')} }
input NullableNumberComparator { ${orderComparisons('Float')} null: Boolean }
input EstimateComparator { ${orderComparisons('Float')} null: Boolean and: [NullableNumberComparator!] or: [NullableNumberComparator!] }
input DateComparator { ${orderComparisons('DateTimeOrDuration')} }
input NullableDateComparator { ${orderComparisons('DateTimeOrDuration')} null: Boolean }
input NullableTimelessDateComparator { ${orderComparisons('TimelessDateOrDuration')} null: Boolean }
type Query
type Mutation
`
