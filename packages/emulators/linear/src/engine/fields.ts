import { type JsonObject, parseJson, stringAt } from '@mcp-toolkits/emulator'
import { slugify } from '../ids.ts'
import type { Session } from '../store/session.ts'
import { fieldsOf, isList, isRequired, kindOf, nameOf, type VendorField } from '../vendor/declarations.ts'
import { type FieldResolver, scopedTo } from './entity-module.ts'
import { fieldName } from './records.ts'

/** A field without a resolver. */
export interface StoredField {
  readonly source: JsonObject
  readonly args: JsonObject
  readonly session: Session
  readonly parent: string
  readonly name: string
}

/** The entity type for each type of search result. */
export const searchResults: ReadonlyMap<string, string> = new Map(
  ['Issue', 'Document', 'Project'].map((type) => [`${type}SearchResult`, type]),
)

/** Facts about a field, derived from its type. */
interface Shape {
  /** The name of the type, without list and null marks. */
  readonly type: string
  readonly isList: boolean
  readonly isRequired: boolean
  readonly isJson: boolean
  /** The related entities' type, if there can be several. */
  readonly element: string | undefined
  /** The related entities' column that contains this entity's id. */
  readonly owner: string
}

const shapes = new Map<VendorField, Shape>()

function shapeOf({ parent, name }: StoredField): Shape | undefined {
  const field = fieldsOf(parent).get(name)
  if (field === undefined) return undefined
  const known = shapes.get(field)
  if (known !== undefined) return known
  const [type, hasMany] = [nameOf(field.type), isList(field.type)]
  const element = type.endsWith('Connection') ? type.slice(0, -'Connection'.length) : hasMany ? type : undefined
  const shape: Shape = {
    type,
    isList: hasMany,
    isRequired: isRequired(field.type),
    isJson: hasMany || type.startsWith('JSON'),
    element,
    owner: `${ownerField(element ?? '', searchResults.get(parent) ?? parent)}Id`,
  }
  shapes.set(field, shape)
  return shape
}

/** The field through which a type refers to its owner: named after the owner's type or, failing that, the only field of that type. */
function ownerField(type: string, owner: string): string {
  const fields = fieldsOf(type)
  const [only, ...others] = [...fields].filter(([, field]) => field.type.replace('!', '') === owner)
  return fields.has(fieldName(owner)) || only === undefined || others.length > 0 ? fieldName(owner) : only[0]
}

/** The value of a field without a resolver: a column, a related entity, or a field stored outside the table. */
export function storedValue(found: unknown, field: StoredField): unknown {
  const { source, name } = field
  const shape = shapeOf(field)
  if (shape === undefined) return found
  const isBeside = typeof source['id'] === 'string' && !(name in source)
  const stored = found ?? (isBeside ? (relatedTo(source['id'], shape, field) ?? extraOf(source['id'], shape, field)) : undefined)
  if (stored === undefined || stored === null) return shape.isRequired ? requiredValue(shape, field) : undefined
  return shape.isJson && typeof stored === 'string' ? parseJson(stored) : stored
}

/** A related entity, or several, found through id columns. */
function relatedTo(id: unknown, { type, element, owner, isList: hasMany }: Shape, { source, args, session, name }: StoredField): unknown {
  if (element === undefined) return session.entityTypes.get(type) === undefined ? undefined : session.find(type, source[`${name}Id`])
  const entityType = session.entityTypes.get(element)
  if (entityType === undefined || typeof id !== 'string') return undefined
  const key = name.replace(/s$/, 'Ids')
  const listed = source[key] ?? session.extras(id)[key]
  if (typeof listed !== 'string' && !(owner in entityType.columns)) return undefined
  const scope =
    typeof listed === 'string' ? scopedTo('a.id in (select value from json_each(:owner))', listed) : scopedTo(`a.${owner} = :owner`, id)
  return hasMany
    ? session.select(element, `where ${scope.where} and a.archivedAt is null order by a.createdAt, a.id`, scope.values)
    : session.page(element, args, scope)
}

function extraOf(id: unknown, { type }: Shape, { session, source, name }: StoredField): unknown {
  // If there is a column for the related entity's id, null in that column means that there is no such entity.
  if (typeof id !== 'string' || `${name}Id` in source) return undefined
  const extras = session.extras(id)
  const value = extras[name]
  if (value !== undefined) return value
  const reference = extras[`${name}Id`]
  return typeof reference === 'string' && session.entityTypes.get(type) !== undefined ? session.find(type, reference) : undefined
}

/** The value of a required field without a stored value. */
function requiredValue({ type, isList: hasMany }: Shape, { source, session, parent, name }: StoredField): unknown {
  if (hasMany) return undefined
  if (type === 'Organization') return session.select('Organization', 'limit 1')[0]
  if (type === 'User') return session.get('User', session.viewerId)
  if (name === 'url') return session.pageUrl(`/${slugify(parent)}/${String(source['slugId'] ?? source['id'])}`)
  if (type.endsWith('Connection')) return emptyPage
  // A value, such as preferences, rather than an entity.
  return kindOf(type) === 'type' && !fieldsOf(type).has('id') ? {} : undefined
}

const emptyPage = { nodes: [], edges: [], pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null } }

/** A field computed until an input sets it. */
export const storedOr =
  (field: string, computed: FieldResolver): FieldResolver =>
  (source, args, session) =>
    session.extras(stringAt(source, 'id'))[field] ?? computed(source, args, session)
