import { type JsonObject, parseJson, toObject } from '@mcp-toolkits/emulator'
import type { Store } from '@mcp-toolkits/sqlite'
import {
  getNamedType,
  getNullableType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isObjectType,
  isScalarType,
} from 'graphql'
import {
  type ColumnType,
  commonFilters,
  type EntityType,
  type FilterField,
  manyFilter,
  oneFilter,
  type Operand,
  valueFilter,
} from '../store/entity-type.ts'
import { recordEntity, recordWriter } from '../store/record-entity.ts'

/**
 * The entities that are stored as JSON, in the shape of the vendor's schema. Their queries and their mutations to create, update, delete,
 * archive and restore follow from that schema.
 */
export const recordTypes: ReadonlySet<string> = new Set([
  'CustomView',
  'Customer',
  'CustomerNeed',
  'CustomerStatus',
  'CustomerTier',
  'Document',
  'EmailIntakeAddress',
  'Emoji',
  'EntityExternalLink',
  'Favorite',
  'GitAutomationState',
  'GitAutomationTargetBranch',
  'InitiativeLabel',
  'InitiativeRelation',
  'InitiativeUpdate',
  'IssueToRelease',
  'NotificationSubscription',
  'OrganizationInvite',
  'ProjectLabel',
  'ProjectRelation',
  'Reaction',
  'Release',
  'ReleaseNote',
  'ReleasePipeline',
  'ReleaseStage',
  'Roadmap',
  'RoadmapToProject',
  'Template',
  'TimeSchedule',
  'TriageResponsibility',
  'UserSettings',
  'ViewPreferences',
  'Webhook',
])

/** The comparators of filters, by the beginning of their names. */
const operands: readonly (readonly [RegExp, Operand])[] = [
  [/^(?:Nullable)?(?:Timeless)?Date/, 'time'],
  [/^(?:Nullable)?String|^SourceType/, 'words'],
  [/^(?:Nullable)?Number|^Estimate/, 'number'],
  [/^Boolean/, 'flag'],
  [/^(?:EntityIdentifier)?I[dD]/, 'id'],
]

/** Columns that every entity has. */
const common = new Set(['id', 'createdAt', 'updatedAt', 'archivedAt'])

/** With the first letter in lower case, as fields begin. */
export const fieldName = (type: string): string => type.slice(0, 1).toLowerCase() + type.slice(1)

/**
 * An entity type that is stored as JSON. Its columns and filters follow from the vendor's schema: a column for each scalar, list and JSON
 * object, one with the id of each related entity, and further fields of its inputs.
 */
export function recordType(schema: GraphQLSchema, type: string): EntityType {
  const columns = columnsOf(schema, type)
  return recordEntity({ type, columns, filters: filtersOf(schema, type, columns) })
}

function columnsOf(schema: GraphQLSchema, type: string): Record<string, ColumnType> {
  const declared = schema.getType(type)
  if (!isObjectType(declared) && !isInterfaceType(declared)) throw new Error(`${type} is not an object type of the schema.`)
  const types = isInterfaceType(declared) ? [declared, ...schema.getPossibleTypes(declared)] : [declared]
  const names = types.flatMap((each) =>
    Object.values(each.getFields()).flatMap((field) => {
      const named = getNamedType(field.type)
      if (isScalarType(named) || isEnumType(named)) return [field.name]
      return isListType(getNullableType(field.type)) || named.name.endsWith('Connection') ? [] : [`${field.name}Id`]
    }),
  )
  const inputs = [schema.getType(`${type}CreateInput`), schema.getType(`${type}UpdateInput`)].filter(isInputObjectType)
  const given = inputs.flatMap((input) => Object.keys(input.getFields()))
  const kind = isInterfaceType(declared) ? ['kind'] : []
  return Object.fromEntries([...names, ...given, ...kind].filter((name) => !common.has(name)).map((name) => [name, 'text?' as const]))
}

function filtersOf(schema: GraphQLSchema, type: string, columns: Readonly<Record<string, ColumnType>>): Record<string, FilterField> {
  const input = schema.getType(`${type}Filter`)
  const filters: Record<string, FilterField> = { ...commonFilters }
  if (!isInputObjectType(input)) return filters
  for (const { name, type: fieldType } of Object.values(input.getFields())) {
    const filter = getNamedType(fieldType).name
    const operand = operands.find(([pattern]) => pattern.test(filter))?.[1]
    const many = /^(\w+)CollectionFilter$/.exec(filter)?.[1]
    const one = /^(?:Nullable)?(\w+)Filter$/.exec(filter)?.[1]
    if (operand !== undefined && (name in columns || common.has(name))) filters[name] = valueFilter(operand)
    else if (many !== undefined) filters[name] = manyFilter(many, (alias, other) => `${other}.${fieldName(type)}Id = ${alias}.id`)
    else if (one !== undefined && `${name}Id` in columns) filters[name] = oneFilter(one, `${name}Id`)
  }
  return filters
}

const extras = recordWriter('extras')

/** Stores fields of an entity for which its table has no columns. */
export function storeExtras(
  store: Store,
  id: string,
  { at, fields }: { readonly at: string; readonly fields: Readonly<Record<string, string | number | null>> },
): void {
  if (Object.keys(fields).length === 0) return
  if (readExtras(store, id) === undefined) extras.insert(store, { id, createdAt: at, updatedAt: at, archivedAt: null, ...fields })
  else extras.update(store, id, { updatedAt: at, ...fields })
}

/** These fields; empty when there are none. */
export const extrasOf = (store: Store, id: string): JsonObject => toObject(parseJson(readExtras(store, id) ?? '{}'))

const readExtras = (store: Store, id: string): string | undefined =>
  store.rows({ data: (value) => typeof value === 'string' }, "select data from records where id = :id and type = 'extras'", { id })[0]?.data
