import { type JsonObject, parseJson, stringAt, stringOrNullAt, stringsIn } from '@mcp-toolkits/emulator'
import { badArgument, conflict, notFound } from '../errors.ts'
import { isUuid, newId, slugIdFor } from '../ids.ts'
import type { Entity, EntityType } from '../store/entity-type.ts'
import { entityTypeOf } from '../store/filters.ts'
import type { Changes, Session } from '../store/session.ts'
import { fieldsOf, nameOf } from '../vendor/declarations.ts'
import { type EntityModule, type FieldResolver, getById, type Resolvers } from './entity-module.ts'
import { findIssue, type InputOf, readInput } from './input-values.ts'
import { archive, inputOf, requiredEntity, withoutUndefined } from './inputs.ts'
import { notifyMentioned, withMentions } from './mentions.ts'
import { fieldName } from './records.ts'

/** Behaviour of a type's operations beyond the vendor's schema. */
export interface CrudHooks {
  /** Values for the columns that a new entity's input leaves out. */
  readonly defaults?: (session: Session, values: Changes, id: string) => Changes
  /** Refuses values that the vendor refuses, and returns more changes; an undefined change drops the input's value. */
  readonly check?: (session: Session, values: Changes, before: Entity | undefined) => Changes | undefined
  /** Updates whatever depends on a changed entity. */
  readonly afterChange?: (session: Session, row: Entity, before: Entity) => void
  /** Adds the parts of a new entity. */
  readonly afterCreate?: (session: Session, row: Entity) => Entity
  /** Refuses a removal, or removes the entity's dependents. */
  readonly beforeRemoval?: (session: Session, row: Entity) => void
  /** Join tables, by the input field that contains the other entities' ids. */
  readonly links?: Readonly<Record<string, readonly [table: string, mine: string, theirs: string]>>
  /** True if mutations name the entity only by its id, never by the slug in its URL. */
  readonly idsAlone?: true
  /** Maximum lengths of text fields in the input, in characters. */
  readonly maxLengths?: Readonly<Record<string, number>>
}

interface EntityBehavior extends CrudHooks {
  /** A script for more tables. */
  readonly tables?: string
  /** Computed fields. */
  readonly fields?: Resolvers[string]
  /** Additional queries, and queries that differ from the usual ones. */
  readonly queries?: Resolvers[string]
  readonly mutations?: Resolvers[string]
}

/** An entity with its usual operations. A type without a table is stored as JSON. */
export function entity(
  type: EntityType | string,
  { tables, fields = {}, queries, mutations, ...hooks }: EntityBehavior = {},
): EntityModule {
  const name = typeof type === 'string' ? type : type.type
  const { Query, Mutation } = crudOperations(name, hooks)
  return {
    ...(typeof type === 'string' ? { records: [name] } : { entityTypes: [type] }),
    ...(tables !== undefined && { tables }),
    resolvers: { [name]: fields, Query: { ...Query, ...queries }, Mutation: { ...Mutation, ...mutations } },
  }
}

const plural = (name: string) => (/(?:s|sh|ch|x)$/.test(name) ? `${name}es` : name.endsWith('y') ? `${name.slice(0, -1)}ies` : `${name}s`)

/** One type's queries, and its create, update, delete, archive and unarchive mutations. */
function crudOperations(type: string, hooks: CrudHooks): Resolvers {
  const name = fieldName(type)
  const operation = (verb: string): Operation => ({ type, hooks, mutation: `${name}${verb}` })
  const changing = (verb: string, run: (session: Session, operation: Operation, args: JsonObject) => Entity): FieldResolver => {
    const chosen = operation(verb)
    return (_, args, session) => ({ [payloadField(chosen) ?? 'entity']: run(session, chosen, args) })
  }
  const removing = (verb: string): FieldResolver => {
    const chosen = operation(verb)
    return (_, args, session) => removal(session, chosen, args)
  }
  return {
    Query: {
      [name]: (source, args, session) =>
        typeof args['id'] === 'string' ? findRow(session, type, args['id']) : getById(type)(source, args, session),
      [plural(name)]: (_, args, session) => session.page(type, args),
    },
    Mutation: {
      [`${name}Create`]: changing('Create', (session, chosen, args) => create(session, chosen, inputOf(args))),
      [`${name}Update`]: changing('Update', change),
      [`${name}Delete`]: removing('Delete'),
      [`${name}Archive`]: removing('Archive'),
      [`${name}Unarchive`]: (_, args, session) => ({
        entity: session.update(type, stringAt(named(session, { type, hooks }, args), 'id'), {
          archivedAt: null,
          ...('trashed' in entityTypeOf(session.entityTypes, type).columns && { trashed: null }),
        }),
      }),
    },
  }
}

/** An entity by its id or, if it has one, by its identifier or the slug in its URL. */
export function findRow(session: Session, type: string, reference: unknown): Entity {
  if (typeof reference !== 'string') throw notFound(type)
  if (type === 'Issue') return findIssue(session, reference)
  if (isUuid(reference)) return session.get(type, reference.toLowerCase())
  const slugId = reference.slice(reference.lastIndexOf('-') + 1)
  const hasSlug = 'slugId' in entityTypeOf(session.entityTypes, type).columns
  const found = hasSlug ? session.select(type, 'where a.slugId = :slugId', { slugId })[0] : undefined
  if (found === undefined) throw notFound(type)
  return found
}

/** The entity named by a mutation's `id` argument. */
const named = (session: Session, { type, hooks }: Pick<Operation, 'type' | 'hooks'>, { id }: JsonObject): Entity =>
  hooks.idsAlone === true ? requiredEntity(session, type, id, 'id') : findRow(session, type, id)

interface Operation extends Pick<InputOf, 'type' | 'mutation'> {
  readonly hooks: CrudHooks
}

/** Columns that contain the caller's id in a new entity. */
export const ownerColumns = ['creatorId', 'userId', 'ownerId', 'subscriberId'] as const

/** Creates an entity from an input. */
export function create(session: Session, { type, hooks, mutation }: Operation, input: JsonObject): Entity {
  const id = newId(input['id'])
  if (session.find(type, id) !== null) throw conflict(type, id)
  const values = readValues(session, { type, hooks, mutation }, input)
  const { columns } = entityTypeOf(session.entityTypes, type)
  const present = (names: readonly string[], value: string) =>
    Object.fromEntries(names.filter((name) => name in columns).map((name) => [name, value]))
  const all = {
    ...present(ownerColumns, session.viewerId),
    ...present(['slugId'], slugIdFor(id)),
    ...hooks.defaults?.(session, values, id),
    ...values,
    ...hooks.check?.(session, values, undefined),
  }
  const { own, extra } = divide(session, type, withoutUndefined(withoutLinks(all, hooks)))
  const row = session.insert(type, { ...own, id })
  session.storeExtras(id, extra)
  setLinks(session, { id, values: all, hooks })
  notifyMentioned(session, type, { row, input })
  return hooks.afterCreate?.(session, row) ?? row
}

/** Updates the entity named by an argument, according to the input. */
export function change(session: Session, operation: Operation, args: JsonObject): Entity {
  const { type, hooks } = operation
  const before = named(session, operation, args)
  const values = readValues(session, operation, inputOf(args))
  const changes = withoutUndefined({ ...values, ...hooks.check?.(session, values, before) })
  setLinks(session, { id: before.id, values: changes, hooks })
  const row = changeRow(session, { type, before, changes: withoutLinks(changes, hooks) })
  notifyMentioned(session, type, { row, input: inputOf(args) })
  hooks.afterChange?.(session, row, before)
  return row
}

function readValues(session: Session, { type, hooks, mutation }: Operation, input: JsonObject): Changes {
  for (const [key, maxLength] of Object.entries(hooks.maxLengths ?? {})) {
    const text = input[key]
    if (typeof text === 'string' && text.length > maxLength)
      throw badArgument(`${key} must be shorter than or equal to ${maxLength} characters.`)
  }
  const { columns } = entityTypeOf(session.entityTypes, type)
  // Null does not clear a column that must have a value.
  const isCleared = (name: string, value: unknown) => value === null && columns[name]?.endsWith('?') === false
  const values = Object.entries(readInput(session, { mutation, type, input }))
  return withMentions(session, type, Object.fromEntries(values.filter(([name, value]) => !isCleared(name, value))))
}

const withoutLinks = (values: Changes, { links = {} }: CrudHooks): Changes =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !(name in links)))

/** Replaces the entities linked through join tables, if the input names any. */
function setLinks(
  { store, hiddenTeams }: Session,
  { id, values, hooks }: { readonly id: string; readonly values: Changes; readonly hooks: CrudHooks },
): void {
  for (const [key, [table, mine, theirs]] of Object.entries(hooks.links ?? {})) {
    const ids = values[key]
    if (typeof ids !== 'string') continue
    // Keeps teams that the caller cannot see.
    const hidden = JSON.stringify(hiddenTeams())
    store.run(`delete from ${table} where ${mine} = :id and ${theirs} not in (select value from json_each(:hidden))`, { id, hidden })
    for (const other of new Set(stringsIn(parseJson(ids))))
      store.run(`insert or ignore into ${table} (${mine}, ${theirs}) values (:id, :other)`, { id, other })
  }
}

/** Changes the columns of a row, and its extra fields. Trashing an entity also archives it; `trashed: null` changes nothing. */
export function changeRow(
  session: Session,
  { type, before, changes }: { readonly type: string; readonly before: JsonObject; readonly changes: Changes },
): Entity {
  const id = stringAt(before, 'id')
  const { trashed, ...others } = changes
  const { own, extra } = divide(session, type, { ...others, ...trash(session, before, trashed) })
  session.storeExtras(id, extra)
  return session.update(type, id, own)
}

/** Changes for an update with `trashed`. An entity that is archived but not trashed stays archived. */
function trash(session: Session, before: JsonObject, trashed: unknown): Changes {
  if (typeof trashed !== 'boolean') return {}
  if (trashed) return { trashed, archivedAt: stringOrNullAt(before, 'archivedAt') ?? session.at }
  return { trashed, ...(Boolean(before['trashed']) && { archivedAt: null }) }
}

/** Splits values into table columns and extra fields; drops values for fields that the type does not have. */
function divide(session: Session, type: string, values: Changes) {
  const { columns } = entityTypeOf(session.entityTypes, type)
  const isOwn = (name: string) => name in columns || name === 'createdAt' || name === 'archivedAt'
  const fields = fieldsOf(type)
  const isShown = (name: string) => [name, name.replace(/Id$/, ''), name.replace(/Ids$/, 's')].some((each) => fields.has(each))
  const extra = Object.entries(values).filter(([name, value]) => !isOwn(name) && isShown(name) && value !== undefined)
  return {
    own: Object.fromEntries(Object.entries(values).filter(([name]) => isOwn(name))),
    extra: Object.fromEntries(extra.map(([name, value]) => [name, typeof value === 'boolean' ? Number(value) : (value ?? null)])),
  }
}

/** Archives an entity if the payload returns it, and otherwise deletes it. */
function removal(session: Session, operation: Operation, args: JsonObject): JsonObject {
  const { type, hooks } = operation
  const row = named(session, operation, args)
  hooks.beforeRemoval?.(session, row)
  const id = row.id
  const isTrashed = operation.mutation.endsWith('Archive') ? args['trash'] === true : 'trashed' in row
  if (payloadField(operation) === 'entity') return { entity: archive(session, type, row, isTrashed) }
  session.remove(type, id)
  return { entityId: id }
}

/** The payload field that contains the entity. */
function payloadField({ mutation, type }: Pick<Operation, 'mutation' | 'type'>): string | undefined {
  const payload = nameOf(fieldsOf('Mutation').get(mutation)?.type ?? '')
  return [...fieldsOf(payload)].find(([, field]) => nameOf(field.type) === type)?.[0]
}
