import { type JsonObject, stringAt, stringOrNullAt } from '@mcp-toolkits/emulator'
import { getNamedType, isObjectType } from 'graphql'
import { type FieldResolver, getById, listAll, type Resolvers } from '../../entities/entity-module.ts'
import { conflict, notFound } from '../../errors.ts'
import { isUuid, newId, slugIdFor } from '../../ids.ts'
import { archive, inputOf, withoutUndefined } from '../../inputs.ts'
import type { EntityRow } from '../../store/entity-type.ts'
import { entityTypeOf } from '../../store/filters.ts'
import type { Changes, Session } from '../../store/session.ts'
import { readInput } from '../inputs.ts'
import { fieldName, storeExtras } from '../record-types.ts'
import { entityTypes, vendorSchema } from '../schema.ts'

/** A kind of entity whose operations follow from the vendor's schema, and what is particular about it. */
export interface Kind {
  /** The columns of a new entity that its input leaves out. */
  readonly defaults?: (session: Session, values: Changes, id: string) => Changes
  /** Refuses what the vendor refuses, and returns further changes. */
  readonly check?: (session: Session, values: Changes, before: EntityRow | undefined) => Changes | undefined
  /** Adds what a new entity comes with. */
  readonly afterCreate?: (session: Session, row: EntityRow) => EntityRow
  /** Refuses a removal, or removes what depends on the entity. */
  readonly beforeRemoval?: (session: Session, row: EntityRow) => void
  /** Its queries, where their names are not the usual ones. */
  readonly queries?: Readonly<Record<string, FieldResolver>>
}

const plural = (name: string) => (/(?:s|sh|ch|x)$/.test(name) ? `${name}es` : name.endsWith('y') ? `${name.slice(0, -1)}ies` : `${name}s`)

/** The operations of one type: its queries, and its mutations named after create, update, delete, archive and unarchive. */
export function operationsOf(type: string, kind: Kind = {}): Resolvers {
  const name = fieldName(type)
  return {
    Query: {
      [name]: (source, args, session) =>
        isReference(args['id']) ? findRow(session, type, args['id']) : getById(type)(source, args, session),
      [plural(name)]: listAll(type),
      ...kind.queries,
    },
    Mutation: {
      [`${name}Create`]: (_, args, session) =>
        payloadOf(`${name}Create`, type, create(session, { type, kind, mutation: `${name}Create` }, inputOf(args))),
      [`${name}Update`]: (_, args, session) =>
        payloadOf(`${name}Update`, type, updateRow(session, { type, kind, mutation: `${name}Update` }, args)),
      [`${name}Delete`]: (_, args, session) => removal(session, { type, kind, mutation: `${name}Delete` }, args),
      [`${name}Archive`]: (_, args, session) => removal(session, { type, kind, mutation: `${name}Archive` }, args),
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

/** An entity by its id or, where it has one, by the slug of its URL. */
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
  readonly kind: Kind
  readonly mutation: string
}

/** Creates an entity from an input. */
export function create(session: Session, { type, kind, mutation }: Operation, input: JsonObject): EntityRow {
  const id = newId(input['id'])
  if (session.find(type, id) !== null) throw conflict(type, id)
  const values = withoutUndefined(readInput(session, { mutation, type, input }))
  const { columns } = entityTypeOf(entityTypes, type)
  const present = (names: readonly string[], value: string) =>
    Object.fromEntries(names.filter((name) => name in columns).map((name) => [name, value]))
  const all = {
    ...present(['creatorId', 'userId', 'ownerId', 'subscriberId'], session.viewerId),
    ...present(['slugId'], slugIdFor(id)),
    ...kind.defaults?.(session, values, id),
    ...values,
    ...kind.check?.(session, values, undefined),
  }
  const { own, extra } = divide(type, all)
  const row = session.insert(type, { ...own, id })
  storeExtras(session.store, id, { at: session.at, fields: extra })
  return kind.afterCreate?.(session, row) ?? row
}

function updateRow(session: Session, { type, kind, mutation }: Operation, args: JsonObject): EntityRow {
  const before = findRow(session, type, args['id'])
  const values = withoutUndefined(readInput(session, { mutation, type, input: inputOf(args) }))
  return changeRow(session, { type, before, changes: { ...values, ...kind.check?.(session, values, before) } })
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

/** What an update with `trashed` changes. What was archived without the trash stays archived. */
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

/** Archives an entity where the payload returns it, and otherwise deletes it. */
function removal(session: Session, { type, kind, mutation }: Operation, args: JsonObject): JsonObject {
  const row = findRow(session, type, args['id'])
  kind.beforeRemoval?.(session, row)
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
export const payloadOf = (mutation: string, type: string, row: EntityRow): JsonObject => ({
  [payloadField(mutation, type) ?? 'entity']: row,
})
