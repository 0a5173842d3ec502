import type { EntityType, FilterField, Operand } from '../store/entity-type.ts'

/** The arguments of a connection. */
export const page = 'after: String, before: String, first: Int, last: Int, includeArchived: Boolean, orderBy: PaginationOrderBy'

/** The connection type and the edge type of a type. */
export const connection = (type: string): string => `
type ${type}Connection { edges: [${type}Edge!]! nodes: [${type}!]! pageInfo: PageInfo! }
type ${type}Edge { cursor: String! node: ${type}! }`

interface FilterTypeOptions {
  /** Adds a filter for relations that may be null. */
  readonly nullable?: boolean
  /** Adds a filter for collections, with all fields or some of them. */
  readonly collection?: true | readonly string[]
  /** Fields that the vendor has and this workspace does not support. */
  readonly unsupported?: string
}

/** The input types that filter an entity type and relations to it. */
export function filterTypes(entityType: EntityType, { nullable = false, collection, unsupported = '' }: FilterTypeOptions = {}): string {
  const { type, filters } = entityType
  const fields = Object.entries(filters).map(([name, field]) => [name, `${name}: ${inputTypeOf(entityType, name, field)}`] as const)
  const list = (isListed: (name: string) => boolean) =>
    [...fields.filter(([name]) => isListed(name)).map(([, field]) => field), unsupported].join(' ')
  const input = (name: string, content: string) => `
input ${name} { and: [${name}!] or: [${name}!] ${content} }`
  const all = list(() => true)
  const inCollection = collection === true ? all : list((name) => collection?.includes(name) === true)
  return [
    input(`${type}Filter`, all),
    nullable ? input(`Nullable${type}Filter`, `${all} null: Boolean`) : '',
    collection === undefined
      ? ''
      : input(`${type}CollectionFilter`, `${inCollection} some: ${type}Filter every: ${type}Filter length: NumberComparator`),
  ].join('')
}

const comparators: Readonly<Record<Operand, string>> = {
  text: 'StringComparator',
  words: 'StringComparator',
  id: 'IdComparator',
  issueId: 'IssueIdComparator',
  number: 'NumberComparator',
  time: 'DateComparator',
  day: 'DateComparator',
  flag: 'BooleanComparator',
}

function inputTypeOf({ columns }: EntityType, name: string, field: FilterField): string {
  if (field.input !== undefined) return field.input
  if (field.kind === 'many') return `${field.type}CollectionFilter`
  const column = field.kind === 'one' ? field.key : name
  const isNullable = column === 'archivedAt' || columns[column]?.endsWith('?') === true
  return `${isNullable ? 'Nullable' : ''}${field.kind === 'one' ? `${field.type}Filter` : comparators[field.operand]}`
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
