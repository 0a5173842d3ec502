import type { EntityModule } from '../entities/entity-module.ts'

/** The arguments that every full connection takes. */
export const page = 'after: String, before: String, first: Int, last: Int, includeArchived: Boolean, orderBy: PaginationOrderBy'

/** The connection and the edge of a type. */
export const connection = (type: string): string => `
type ${type}Connection { edges: [${type}Edge!]! nodes: [${type}!]! pageInfo: PageInfo! }
type ${type}Edge { cursor: String! node: ${type}! }`

/** The filter of a noun, and those of relations to it. */
export interface FilterTypes {
  readonly type: string
  /** The fields that all of them have. */
  readonly fields: string
  /** There is a filter for a relation that may be missing. */
  readonly nullable?: boolean
  /** The direct fields of the filter for a collection; all when `true`. */
  readonly collection?: string | true
}

/** The input types that filter a noun. */
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

const texts = `contains: String  containsIgnoreCase: String  containsIgnoreCaseAndAccent: String  endsWith: String  eq: String
  eqIgnoreCase: String  in: [String!]  neq: String  neqIgnoreCase: String  nin: [String!]  notContains: String
  notContainsIgnoreCase: String  notEndsWith: String  notStartsWith: String  startsWith: String  startsWithIgnoreCase: String`

const ordered = (type: string) =>
  `eq: ${type}  gt: ${type}  gte: ${type}  in: [${type}!]  lt: ${type}  lte: ${type}  neq: ${type}  nin: [${type}!]`

/** Scalars, comparators, and what all connections share. */
export const basics: EntityModule = {
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
