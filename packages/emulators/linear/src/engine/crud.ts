import { type JsonObject, stringAt, stringOrNullAt, stringsIn } from '@mcp-toolkits/emulator'
import {
  getNamedType,
  getNullableType,
  type GraphQLInputField,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import { type FieldResolver, getById, listAll, type Resolvers } from './entity-module.ts'
import { findIssue } from '../issues/issues.ts'
import { badArgument, conflict, notFound } from '../errors.ts'
import { isUuid, newId, slugIdFor } from '../ids.ts'
import { archive, inputOf, optionalDay, optionalTime, requiredEntity, withoutUndefined } from './inputs.ts'
import type { EntityRow } from '../store/entity-type.ts'
import { entityTypeOf } from '../store/filters.ts'
import type { Changes, Session } from '../store/session.ts'
import { fieldName, storeExtras } from './records.ts'
import { entityTypes } from './entity-types.ts'
import { fieldType, vendorSchema } from '../vendor/schema.ts'

/** Behaviour of a type's operations that does not follow from the vendor's schema. */
export interface CrudHooks {
  /** The columns of a new entity that its input leaves out. */
  readonly defaults?: (session: Session, values: Changes, id: string) => Changes
  /** Refuses values that the vendor refuses, and returns further changes. */
  readonly check?: (session: Session, values: Changes, before: EntityRow | undefined) => Changes | undefined
  /** Adds the parts that a new entity comes with. */
  readonly afterCreate?: (session: Session, row: EntityRow) => EntityRow
  /** Refuses a removal, or removes dependents of the entity. */
  readonly beforeRemoval?: (session: Session, row: EntityRow) => void
  /** Its queries, if their names are not the usual ones. */
  readonly queries?: Readonly<Record<string, FieldResolver>>
}

const plural = (name: string) => (/(?:s|sh|ch|x)$/.test(name) ? `${name}es` : name.endsWith('y') ? `${name.slice(0, -1)}ies` : `${name}s`)

/** The queries of one type, and its mutations named after create, update, delete, archive and unarchive. */
export function crudOperations(type: string, hooks: CrudHooks = {}): Resolvers {
  const name = fieldName(type)
  return {
    Query: {
      [name]: (source, args, session) =>
        isReference(args['id']) ? findRow(session, type, args['id']) : getById(type)(source, args, session),
      [plural(name)]: listAll(type),
      ...hooks.queries,
    },
    Mutation: {
      [`${name}Create`]: (_, args, session) =>
        payloadOf(`${name}Create`, type, create(session, { type, hooks, mutation: `${name}Create` }, inputOf(args))),
      [`${name}Update`]: (_, args, session) =>
        payloadOf(`${name}Update`, type, updateRow(session, { type, hooks, mutation: `${name}Update` }, args)),
      [`${name}Delete`]: (_, args, session) => removal(session, { type, hooks, mutation: `${name}Delete` }, args),
      [`${name}Archive`]: (_, args, session) => removal(session, { type, hooks, mutation: `${name}Archive` }, args),
      [`${name}Unarchive`]: (_, args, session) => ({
        entity: session.update(type, stringAt(findRow(session, type, args['id']), 'id'), {
          archivedAt: null,
          ...('trashed' in entityTypeOf(entityTypes, type).columns && { trashed: null }),
        }),
      }),
    },
  }
}

const isReference = (id: unknown) => typeof id === 'string'

/** An entity by its id or, if it has one, by the slug of its URL. */
export function findRow(session: Session, type: string, reference: unknown): EntityRow {
  if (typeof reference !== 'string') throw notFound(type)
  if (isUuid(reference)) return session.get(type, reference.toLowerCase())
  const slugId = reference.slice(reference.lastIndexOf('-') + 1)
  const found =
    'slugId' in entityTypeOf(entityTypes, type).columns ? session.select(type, 'where a.slugId = :slugId', { slugId })[0] : undefined
  if (found === undefined) throw notFound(type)
  return found
}

interface Operation {
  readonly type: string
  readonly hooks: CrudHooks
  readonly mutation: string
}

/** Creates an entity from an input. */
function create(session: Session, { type, hooks, mutation }: Operation, input: JsonObject): EntityRow {
  const id = newId(input['id'])
  if (session.find(type, id) !== null) throw conflict(type, id)
  const values = withoutUndefined(readInput(session, { mutation, type, input }))
  const { columns } = entityTypeOf(entityTypes, type)
  const present = (names: readonly string[], value: string) =>
    Object.fromEntries(names.filter((name) => name in columns).map((name) => [name, value]))
  const all = {
    ...present(['creatorId', 'userId', 'ownerId', 'subscriberId'], session.viewerId),
    ...present(['slugId'], slugIdFor(id)),
    ...hooks.defaults?.(session, values, id),
    ...values,
    ...hooks.check?.(session, values, undefined),
  }
  const { own, extra } = divide(type, all)
  const row = session.insert(type, { ...own, id })
  storeExtras(session.store, id, { at: session.at, fields: extra })
  return hooks.afterCreate?.(session, row) ?? row
}

function updateRow(session: Session, { type, hooks, mutation }: Operation, args: JsonObject): EntityRow {
  const before = findRow(session, type, args['id'])
  const values = withoutUndefined(readInput(session, { mutation, type, input: inputOf(args) }))
  return changeRow(session, { type, before, changes: { ...values, ...hooks.check?.(session, values, before) } })
}

/** Changes the columns of a row, and its extra fields. What is in the trash is archived; `trashed: null` changes nothing. */
export function changeRow(
  session: Session,
  { type, before, changes }: { readonly type: string; readonly before: JsonObject; readonly changes: Changes },
): EntityRow {
  const id = stringAt(before, 'id')
  const { trashed, ...others } = changes
  const { own, extra } = divide(type, { ...others, ...trash(session, before, trashed) })
  storeExtras(session.store, id, { at: session.at, fields: extra })
  return session.update(type, id, own)
}

/** Changes of an update with `trashed`. An entity archived without the trash stays archived. */
function trash(session: Session, before: JsonObject, trashed: unknown): Changes {
  if (typeof trashed !== 'boolean') return {}
  if (trashed) return { trashed, archivedAt: stringOrNullAt(before, 'archivedAt') ?? session.at }
  return { trashed, ...(Boolean(before['trashed']) && { archivedAt: null }) }
}

/** Divides values into columns of the table and extra fields. */
function divide(type: string, values: Changes) {
  const { columns } = entityTypeOf(entityTypes, type)
  const isOwn = (name: string) => name in columns || name === 'createdAt' || name === 'archivedAt'
  const extra = Object.entries(values).filter(([name, value]) => !isOwn(name) && value !== undefined)
  return {
    own: Object.fromEntries(Object.entries(values).filter(([name]) => isOwn(name))),
    extra: Object.fromEntries(extra.map(([name, value]) => [name, typeof value === 'boolean' ? Number(value) : (value ?? null)])),
  }
}

/** Archives an entity if the payload returns it, and otherwise deletes it. */
function removal(session: Session, { type, hooks, mutation }: Operation, args: JsonObject): JsonObject {
  const row = findRow(session, type, args['id'])
  hooks.beforeRemoval?.(session, row)
  const id = stringAt(row, 'id')
  if (payloadField(mutation, type) === 'entity') return { entity: archive(session, type, row, 'trashed' in row) }
  session.remove(type, id)
  return { entityId: id }
}

/** The field of a payload that has the entity. */
function payloadField(mutation: string, type: string): string | undefined {
  const payload = vendorSchema().getMutationType()?.getFields()[mutation]
  const declared = payload && getNamedType(payload.type)
  if (!isObjectType(declared)) return undefined
  return Object.values(declared.getFields()).find((field) => getNamedType(field.type).name === type)?.name
}

/** The payload of a mutation that changes an entity. */
const payloadOf = (mutation: string, type: string, row: EntityRow): JsonObject => ({
  [payloadField(mutation, type) ?? 'entity']: row,
})

/** The type of an input of a mutation. */
function inputTypeOf(mutation: string) {
  const field = vendorSchema().getMutationType()?.getFields()[mutation]
  const argument = field?.args.find(({ name }) => name === 'input')
  const type = argument && getNamedType(argument.type)
  if (!isInputObjectType(type)) throw new Error(`${mutation} has no input.`)
  return type
}

/** The columns that the input of a mutation sets on an entity of `type`. Throws for empty required texts and for missing entities. */
export function readInput(
  session: Session,
  { mutation, type, input }: { readonly mutation: string; readonly type: string; readonly input: JsonObject },
): Changes {
  const fields = Object.values(inputTypeOf(mutation).getFields()).filter(({ name }) => name !== 'id' && input[name] !== undefined)
  return Object.fromEntries(fields.map((field) => [field.name, columnValue(session, { field, type, input })]))
}

interface InputValue {
  readonly field: GraphQLInputField
  readonly type: string
  readonly input: JsonObject
}

function columnValue(session: Session, { field, type, input }: InputValue): string | number | boolean | null | undefined {
  const { name } = field
  const value = input[name]
  if (value === null) {
    if (isNonNullType(field.type)) throw badArgument(`${name} should not be empty.`)
    return null
  }
  const scalar = getNamedType(field.type).name
  if (name.endsWith('Ids'))
    stringsIn(value).forEach((each) => referenceId(session, { type, field: name.replace(/Ids$/, 's'), id: each, key: name }))
  if (isListType(getNullableType(field.type)) || isInputObjectType(getNamedType(field.type)) || scalar.startsWith('JSON'))
    return JSON.stringify(value)
  if (scalar === 'DateTime') return optionalTime(input, name, session.now)
  if (scalar === 'TimelessDate') return optionalDay(input, name, session.now)
  if (typeof value === 'string' && name.endsWith('Id'))
    return referenceId(session, { type, field: name.slice(0, -'Id'.length), id: value, key: name })
  if (typeof value === 'string' && isNonNullType(field.type) && value.trim() === '') throw badArgument(`${name} should not be empty.`)
  checkEnumeration(type, name, value)
  return typeof value === 'number' || typeof value === 'boolean' ? value : stringAt(input, name)
}

/** Inputs take some texts that entities have as one of several values. */
function checkEnumeration(type: string, name: string, value: unknown): void {
  const declared = vendorSchema().getType(fieldType(type, name) ?? '')
  if (!isEnumType(declared) || typeof value !== 'string') return
  const values = declared.getValues().map((each) => each.name)
  if (!values.includes(value)) throw badArgument(`${name} must be one of ${values.join(', ')}.`)
}

interface Reference {
  readonly type: string
  readonly field: string
  readonly id: string
  readonly key: string
}

/** The id of an entity that a field of an input refers to, which must exist if its type is emulated. */
function referenceId(session: Session, { type, field, id, key }: Reference): string {
  const target = fieldType(type, field)?.replace(/Connection$/, '')
  if (target === undefined || entityTypes.get(target) === undefined) return id
  if (target === 'Issue') return stringAt(findIssue(session, id), 'id')
  return stringAt(requiredEntity(session, target, id, key), 'id')
}
