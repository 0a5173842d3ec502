import { type JsonObject, parseJson, stringAt } from '@mcp-toolkits/emulator'
import { slugify } from '../ids.ts'
import type { Session } from '../store/session.ts'
import { fieldsOf, isList, isRequired, kindOf, nameOf } from '../vendor/declarations.ts'
import { type FieldResolver, scopedTo } from './entity-module.ts'
import { fieldName } from './records.ts'

/** A field without a resolver. */
export interface StoredField {
  readonly source: JsonObject
  readonly args: JsonObject
  readonly session: Session
  /** The type that has the field. */
  readonly parent: string
  readonly name: string
  /** The type of the field, in SDL. */
  readonly type: string
}

/** The entity type of each type of search result. */
export const searchResults: ReadonlyMap<string, string> = new Map(
  ['Issue', 'Document', 'Project'].map((type) => [`${type}SearchResult`, type]),
)

/** The value of a field that has no resolver: a column, a related entity, or a field that is stored beside the table. */
export function storedValue(found: unknown, field: StoredField): unknown {
  const { source, name, type } = field
  const stored =
    found ??
    (typeof source['id'] === 'string' && !(name in source) ? (relatedTo(source['id'], field) ?? extraOf(source['id'], field)) : undefined)
  if (stored === undefined || stored === null) return isRequired(type) ? requiredValue(field) : undefined
  const isContainer = isList(type) || nameOf(type).startsWith('JSON')
  return isContainer && typeof stored === 'string' ? parseJson(stored) : stored
}

/** A related entity, or several, by the columns with ids. */
function relatedTo(id: string, { source, args, session, parent, name, type }: StoredField): unknown {
  const named = nameOf(type)
  if (!isList(type) && session.entityTypes.get(named) !== undefined) return session.find(named, source[`${name}Id`])
  const element = named.endsWith('Connection') ? named.slice(0, -'Connection'.length) : isList(type) ? named : undefined
  const entityType = element === undefined ? undefined : session.entityTypes.get(element)
  if (element === undefined || entityType === undefined) return undefined
  const owner = `${fieldName(searchResults.get(parent) ?? parent)}Id`
  const key = name.replace(/s$/, 'Ids')
  const listed = source[key] ?? session.extras(id)[key]
  if (typeof listed !== 'string' && !(owner in entityType.columns)) return undefined
  const scope =
    typeof listed === 'string' ? scopedTo('a.id in (select value from json_each(:owner))', listed) : scopedTo(`a.${owner} = :owner`, id)
  return isList(type)
    ? session.select(element, `where ${scope.where} and a.archivedAt is null order by a.createdAt, a.id`, scope.values)
    : session.page(element, args, scope)
}

function extraOf(id: string, { session, name, type }: StoredField): unknown {
  const extras = session.extras(id)
  const value = extras[name]
  if (value !== undefined) return value
  const reference = extras[`${name}Id`]
  return typeof reference === 'string' && session.entityTypes.get(nameOf(type)) !== undefined
    ? session.find(nameOf(type), reference)
    : undefined
}

/** The value of a required field for which nothing was stored. */
function requiredValue({ source, session, parent, name, type }: StoredField): unknown {
  const named = nameOf(type)
  if (isList(type)) return undefined
  if (named === 'Organization') return session.select('Organization', 'limit 1')[0]
  if (named === 'User') return session.get('User', session.viewerId)
  if (name === 'url') return session.pageUrl(`/${slugify(parent)}/${String(source['slugId'] ?? source['id'])}`)
  if (named.endsWith('Connection')) return emptyPage
  // A value, such as preferences, rather than an entity.
  return kindOf(named) === 'type' && !fieldsOf(named).has('id') ? {} : undefined
}

const emptyPage = { nodes: [], edges: [], pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null } }

/** A field that is computed until an input sets it. */
export const storedOr =
  (field: string, computed: FieldResolver): FieldResolver =>
  (source, args, session) =>
    session.extras(stringAt(source, 'id'))[field] ?? computed(source, args, session)
