import { isObject, type JsonObject, parseJson, stringAt, toObject } from '@mcp-toolkits/emulator'
import { getNamedType, getNullableType, isListType, isNonNullType, isObjectType } from 'graphql'
import { type FieldResolver, scopedTo } from './entity-module.ts'
import { resolverOf, sdl } from '../entities.ts'
import type { ResolvedField } from '../graphql/api-surface.ts'
import { slugify } from '../ids.ts'
import { optionalObject } from './inputs.ts'
import type { Session } from '../store/session.ts'
import { changeRow, readInput } from './crud.ts'
import { refuseRetiredLabels } from '../issues/labels.ts'
import { fieldName, extrasOf } from './records.ts'
import { entityTypes } from './entity-types.ts'
import { fieldType } from '../vendor/schema.ts'

/** The entity type of each type of search result. */
export const searchResults: ReadonlyMap<string, string> = new Map(
  ['Issue', 'Document', 'Project'].map((type) => [`${type}SearchResult`, type]),
)

/** The value of a field that has no resolver and may have no column: a related entity, or an extra field. */
export function storedValue(found: unknown, field: ResolvedField): unknown {
  const { source, session, info } = field
  const isContainer = isListType(getNullableType(info.returnType)) || getNamedType(info.returnType).name.startsWith('JSON')
  if (found !== undefined && found !== null) return isContainer && typeof found === 'string' ? parseJson(found) : found
  if (typeof source['id'] !== 'string') return isNonNullType(info.returnType) ? requiredValue(field) : undefined
  const stored = relatedTo(source, field) ?? fromExtras(session, source['id'], field)
  if (stored !== undefined && stored !== null) return isContainer && typeof stored === 'string' ? parseJson(stored) : stored
  return isNonNullType(info.returnType) ? requiredValue(field) : undefined
}

/** A related entity, or several, by the columns with ids. */
function relatedTo(source: JsonObject, { args, session, info }: ResolvedField): unknown {
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

/** The JSON of the ids of several related entities; undefined if none was stored. */
function listedIds(source: JsonObject, { session, key }: { readonly session: Session; readonly key: string }): string | undefined {
  const stored = source[key] ?? extrasOf(session.store, stringAt(source, 'id'))[key]
  return typeof stored === 'string' ? stored : undefined
}

function fromExtras(session: Session, id: string, { info }: ResolvedField): unknown {
  const extras = extrasOf(session.store, id)
  const value = extras[info.fieldName]
  if (value !== undefined) return value
  const type = getNamedType(info.returnType).name
  const reference = extras[`${info.fieldName}Id`]
  return typeof reference === 'string' && entityTypes.get(type) !== undefined ? session.find(type, reference) : undefined
}

/** The value of a required field for which nothing was stored. */
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

/** True for a row of a table. */
const isRow = (value: unknown): value is JsonObject => isObject(value) && typeof value['id'] === 'string'

/** A mutation of the servers' API that also stores the input fields that the servers do not use. */
export const withExtras =
  (mutation: string, resolver: FieldResolver): FieldResolver =>
  (source, args, session) => {
    if (/^issue(?:Create|Update|AddLabel)$/.test(mutation)) refuseRetiredLabels(session, args)
    const payload = toObject(resolver(source, args, session))
    const found = Object.entries(payload).find(([, value]) => isRow(value))
    const entity = /^(\w+?)(?:Create|Update)$/.exec(mutation)?.[1]
    if (found === undefined || entity === undefined) return payload
    const [member, row] = found
    const changes = extraChanges(session, {
      mutation,
      type: entity.slice(0, 1).toUpperCase() + entity.slice(1),
      input: optionalObject(args['input']),
    })
    return changes === undefined ? payload : { ...payload, [member]: changeRow(session, { ...changes, before: toObject(row) }) }
  }

interface Input {
  readonly mutation: string
  readonly type: string
  readonly input: JsonObject
}

/** The fields of an input that the servers' mutation does not read and that the entity has. */
function extraChanges(session: Session, { mutation, type, input }: Input) {
  const served = servedInput(mutation)
  const isShown = (key: string) =>
    [key, key.replace(/Id$/, ''), key.replace(/Ids$/, 's')].some((field) => fieldType(type, field) !== undefined)
  const rest = Object.fromEntries(Object.entries(input).filter(([key]) => !served.has(key) && isShown(key)))
  return Object.keys(rest).length === 0 ? undefined : { type, changes: readInput(session, { mutation, type, input: rest }) }
}

const inputs = new Map<string, ReadonlySet<string>>()

/** The fields of the input of a mutation that the servers' schema declares. */
function servedInput(mutation: string): ReadonlySet<string> {
  const known = inputs.get(mutation)
  if (known !== undefined) return known
  const name = `${mutation.slice(0, 1).toUpperCase()}${mutation.slice(1)}Input`
  const fields = new RegExp(`^input ${name} \\{([^}]*)\\}`, 'm').exec(sdl)?.[1] ?? ''
  const found = new Set([...fields.matchAll(/\b(\w+):/g)].map(([, field = '']) => field))
  inputs.set(mutation, found)
  return found
}

/** A field that is computed until an input sets it. */
export const storedOrComputed =
  (type: string, field: string): FieldResolver =>
  (source, args, session) =>
    extrasOf(session.store, stringAt(source, 'id'))[field] ?? resolverOf(type, field)?.(source, args, session)
