import { isObject, type JsonObject, parseJson, stringAt, toObject } from '@mcp-toolkits/emulator'
import { getNamedType, getNullableType, isListType, isNonNullType, isObjectType } from 'graphql'
import { scopedTo } from '../entities/entity-module.ts'
import { slugify } from '../ids.ts'
import type { ResolvedField } from '../graphql/api-surface.ts'
import type { Session } from '../store/session.ts'
import { fieldName, readExtras } from './record-types.ts'
import { entityTypes } from './schema.ts'

/** What the results of searches are. */
export const searchResults: ReadonlyMap<string, string> = new Map(
  ['Issue', 'Document', 'Project'].map((type) => [`${type}SearchResult`, type]),
)

/** Fields without a resolver that a stored row does not have: related entities, and what an extra field stores. */
export function storedValue(found: unknown, field: ResolvedField): unknown {
  const { source, session, info } = field
  const isContainer = isListType(getNullableType(info.returnType)) || getNamedType(info.returnType).name.startsWith('JSON')
  if (found !== undefined && found !== null) return isContainer && typeof found === 'string' ? parseJson(found) : found
  if (typeof source['id'] !== 'string') return isNonNullType(info.returnType) ? requiredValue(field) : undefined
  const stored = storedWith(source, field) ?? fromExtras(session, source['id'], field)
  if (stored !== undefined && stored !== null) return isContainer && typeof stored === 'string' ? parseJson(stored) : stored
  return isNonNullType(info.returnType) ? requiredValue(field) : undefined
}

/** A related entity, or several, by the columns with ids. */
function storedWith(source: JsonObject, { args, session, info }: ResolvedField): unknown {
  const { fieldName: field, returnType } = info
  const type = getNamedType(returnType).name
  const isList = isListType(getNullableType(returnType))
  if (!isList && entityTypes.get(type) !== undefined) return session.find(type, source[`${field}Id`])
  const element = type.endsWith('Connection') ? type.slice(0, -'Connection'.length) : isList ? type : undefined
  if (element === undefined) return undefined
  const owner = `${fieldName(searchResults.get(info.parentType.name) ?? info.parentType.name)}Id`
  const entityType = entityTypes.get(element)
  if (entityType === undefined) return undefined
  const listed = listedIds(source, { session, key: field.replace(/s$/, 'Ids') })
  if (listed === undefined && !(owner in entityType.columns)) return undefined
  const scope =
    listed === undefined
      ? scopedTo(`a.${owner} = :owner`, stringAt(source, 'id'))
      : scopedTo('a.id in (select value from json_each(:owner))', listed)
  return isList
    ? session.select(element, `where ${scope.where} and a.archivedAt is null order by a.createdAt, a.id`, scope.values)
    : session.page(element, args, scope)
}

/** The JSON of the ids of several related entities; undefined where none was stored. */
function listedIds(source: JsonObject, { session, key }: { readonly session: Session; readonly key: string }): string | undefined {
  const stored = source[key] ?? extrasOf(session, stringAt(source, 'id'))[key]
  return typeof stored === 'string' ? stored : undefined
}

const extrasOf = (session: Session, id: string): JsonObject => toObject(parseJson(readExtras(session.store, id) ?? '{}'))

function fromExtras(session: Session, id: string, { info }: ResolvedField): unknown {
  const extras = extrasOf(session, id)
  const value = extras[info.fieldName]
  if (value !== undefined) return value
  const type = getNamedType(info.returnType).name
  const reference = extras[`${info.fieldName}Id`]
  return typeof reference === 'string' && entityTypes.get(type) !== undefined ? session.find(type, reference) : undefined
}

/** What a field that must not be null is when nothing was stored. */
function requiredValue({ source, session, info }: ResolvedField): unknown {
  const type = getNamedType(info.returnType).name
  if (isListType(getNullableType(info.returnType))) return undefined
  if (type === 'Organization') return session.select('Organization', 'limit 1')[0]
  if (type === 'User') return session.get('User', session.viewerId)
  if (info.fieldName === 'url') {
    const { slugId, id } = source
    return session.pageUrl(`/${slugify(info.parentType.name)}/${stringAt({ place: slugId ?? id }, 'place')}`)
  }
  if (type.endsWith('Connection')) return emptyPage
  const declared = getNamedType(info.returnType)
  // A value, such as preferences, rather than an entity.
  return isObjectType(declared) && !('id' in declared.getFields()) ? {} : undefined
}

const emptyPage = { nodes: [], edges: [], pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null } }

/** Whether a value is a row of a table. */
export const isRow = (value: unknown): value is JsonObject => isObject(value) && typeof value['id'] === 'string'
