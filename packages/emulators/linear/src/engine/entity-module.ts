import type { EntityType } from '../store/entity-type.ts'
import type { Session } from '../store/session.ts'
import { isUuid } from '../ids.ts'
import { notFound } from '../errors.ts'
import type { ConnectionScope } from '../store/tables.ts'
import { stringAt, type JsonObject } from '@mcp-toolkits/emulator'

/** Computes a field of `source`. */
export type FieldResolver = (source: JsonObject, args: JsonObject, session: Session) => unknown

/** Resolvers by type and field; a field without one is a column. */
export type Resolvers = Readonly<Record<string, Readonly<Record<string, FieldResolver>>>>

/** A field's resolver; undefined if the field is a column, or a query or mutation that is not emulated. */
export type ResolverOf = (type: string, field: string) => FieldResolver | undefined

/** Some entity types, their tables and resolvers. */
export interface EntityModule {
  readonly entityTypes?: readonly EntityType[]
  /** Types stored as JSON: their columns and filters follow from the vendor's schema. */
  readonly records?: readonly string[]
  /** A script for other tables, such as join tables. */
  readonly tables?: string
  readonly resolvers: Resolvers
}

/** Entities whose `key` column contains this entity's id. */
export const toMany =
  (type: string, key: string): FieldResolver =>
  (source, args, session) =>
    session.page(type, args, scopedTo(`a.${key} = :owner`, stringAt(source, 'id')))

/** Entities linked to this one through a join table. */
export const manyToMany =
  (type: string, [table, mine, theirs]: readonly [string, string, string]): FieldResolver =>
  (source, args, session) =>
    session.page(type, args, scopedTo(`a.id in (select ${theirs} from ${table} where ${mine} = :owner)`, stringAt(source, 'id')))

/** Entities whose `key` column contains the caller's id. */
export const ownOnly =
  (type: string, key: string): FieldResolver =>
  (_, args, session) =>
    session.page(type, args, { where: `a.${key} = :me`, values: { me: session.viewerId } })

/** The entity whose id is in the `id` argument. */
export const getById =
  (type: string): FieldResolver =>
  (_, args, session) => {
    const id = stringAt(args, 'id')
    if (!isUuid(id)) throw notFound(type)
    return session.get(type, id.toLowerCase())
  }

/** Limits a connection by a condition on its rows, called `a`, with the parent as `:owner`. */
export const scopedTo = (where: string, owner: string): ConnectionScope => ({ where, values: { owner } })
