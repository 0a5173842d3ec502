import type { Resolver } from './noun.ts'
import { isUuid } from './ids.ts'
import { notFound } from './refusals.ts'
import type { Scope } from './pages.ts'
import { text } from './values.ts'

/** The entity whose id a column holds. */
export const toOne =
  (type: string, key: string): Resolver =>
  (source, _, session) =>
    session.find(type, source[key])

/** The entities of a type whose column `key` holds the id of this one. */
export const owned =
  (type: string, key: string): Resolver =>
  (source, args, session) =>
    session.page(type, args, within(`a.${key} = :owner`, text(source, 'id')))

/** The entities that a table of pairs links to this one. */
export const paired =
  (type: string, [table, mine, theirs]: readonly [string, string, string]): Resolver =>
  (source, args, session) =>
    session.page(type, args, within(`a.id in (select ${theirs} from ${table} where ${mine} = :owner)`, text(source, 'id')))

/** All entities of a type. */
export const every =
  (type: string): Resolver =>
  (_, args, session) =>
    session.page(type, args)

/** The entity with the id in the argument `id`. */
export const byId =
  (type: string): Resolver =>
  (_, args, session) => {
    const id = text(args, 'id')
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
    const parsed: unknown = JSON.parse(text(source, key))
    return parsed
  }

/** Limits a connection by a condition on `a`, in which `:owner` is the parent. */
export const within = (where: string, owner: string): Scope => ({ where, values: { owner } })
