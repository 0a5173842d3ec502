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
