import type { EntityType } from '../store/entity-type.ts'
import type { Session } from '../store/session.ts'
import { isUuid } from '../ids.ts'
import { notFound } from '../errors.ts'
import type { ConnectionScope } from '../store/connections.ts'
import { stringAt, type JsonObject } from '@mcp-toolkits/emulator'

/** Answers a field of `source`. */
export type Resolver = (source: JsonObject, args: JsonObject, session: Session) => unknown

/** Resolvers by type and field; a field without one is the column of its name. */
export type Resolvers = Readonly<Record<string, Readonly<Record<string, Resolver>>>>

/** What a module about a noun brings. */
export interface EntityModule {
  readonly sdl: string
  readonly entityTypes?: readonly EntityType[]
  /** Tables of pairs, and others that are no noun. */
  readonly tables?: string
  readonly resolvers: Resolvers
}

/** The entity whose id a column holds. */
export const toOne =
  (type: string, key: string): Resolver =>
  (source, _, session) =>
    session.find(type, source[key])

/** The entities of a type whose column `key` holds the id of this one. */
export const toMany =
  (type: string, key: string): Resolver =>
  (source, args, session) =>
    session.page(type, args, scopedTo(`a.${key} = :owner`, stringAt(source, 'id')))

/** The entities that a table of pairs links to this one. */
export const manyToMany =
  (type: string, [table, mine, theirs]: readonly [string, string, string]): Resolver =>
  (source, args, session) =>
    session.page(type, args, scopedTo(`a.id in (select ${theirs} from ${table} where ${mine} = :owner)`, stringAt(source, 'id')))

/** All entities of a type. */
export const listAll =
  (type: string): Resolver =>
  (_, args, session) =>
    session.page(type, args)

/** The entity with the id in the argument `id`. */
export const getById =
  (type: string): Resolver =>
  (_, args, session) => {
    const id = stringAt(args, 'id')
    if (!isUuid(id)) throw notFound(type)
    return session.get(type, id.toLowerCase())
  }

/** A field that is the same for all. */
export const constant =
  (value: unknown): Resolver =>
  () =>
    value

/** A list that is stored as JSON. */
export const list =
  (key: string): Resolver =>
  (source) => {
    const parsed: unknown = JSON.parse(stringAt(source, key))
    return parsed
  }

/** Limits a connection by a condition on `a`, in which `:owner` is the parent. */
export const scopedTo = (where: string, owner: string): ConnectionScope => ({ where, values: { owner } })
