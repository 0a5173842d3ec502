import { isUuid } from './ids.ts'
import { day, moment } from './moments.ts'
import type { Row } from './noun.ts'
import { badArgument, notFound } from './refusals.ts'
import type { Changes, Session } from './session.ts'
import { fields, text, texts, type Fields } from './values.ts'

/** The argument `input`. */
export const inputOf = (args: Fields): Fields => fields(args['input'])

/** The entity that a field of an input points to: undefined when nothing was said, null to have none. */
export function pointed(session: Session, type: string, [input, key]: readonly [Fields, string]): Row | null | undefined {
  const id = input[key]
  if (id === undefined || id === null) return id
  return entity(session, type, { id, key })
}

/** The entity with an id that must be a UUID. */
export function entity(session: Session, type: string, { id, key }: { readonly id: unknown; readonly key: string }): Row {
  if (typeof id !== 'string' || !isUuid(id)) throw badArgument(`${key} must be a UUID.`)
  const found = session.find(type, id.toLowerCase())
  if (found === null) throw notFound(type)
  return found
}

/** The entities of a list of ids; undefined when nothing was said. */
export function pointedAll(session: Session, type: string, [input, key]: readonly [Fields, string]): Row[] | undefined {
  const ids = input[key]
  if (ids === undefined || ids === null) return undefined
  return [...new Set(texts(ids))].map((id) => entity(session, type, { id, key: `each value in ${key}` }))
}

/** A text that may be left out, but not be empty. */
export function filled(input: Fields, key: string): string | undefined {
  const value = input[key]
  if (value === undefined) return undefined
  if (typeof value !== 'string' || value.trim() === '') throw badArgument(`${key} should not be empty.`)
  return value
}

/** A text that must be there. */
export function required(input: Fields, key: string): string {
  const value = filled(input, key)
  if (value === undefined) throw badArgument(`${key} should not be empty.`)
  return value
}

/** A text of at most so many characters. */
export function bounded(input: Fields, key: string, longest: number): string | null | undefined {
  const value = optionalText(input, key)
  if (typeof value === 'string' && value.length > longest)
    throw badArgument(`${key} must be shorter than or equal to ${longest} characters.`)
  return value
}

/** A text, null to clear it, undefined when nothing was said. */
export function optionalText(input: Fields, key: string): string | null | undefined {
  const value = input[key]
  return value === undefined || value === null ? value : text(input, key)
}

/** A day, null to clear it, undefined when nothing was said. */
export function dayOf(input: Fields, key: string, now: number): string | null | undefined {
  const value = input[key]
  return value === undefined || value === null ? value : day(value, now)
}

/** A moment, null to clear it, undefined when nothing was said. */
export function momentOf(input: Fields, key: string, now: number): string | null | undefined {
  const value = input[key]
  return value === undefined || value === null ? value : moment(value, now)
}

/** A priority from 0 to 4. */
export function priorityOf(input: Fields): number | undefined {
  const value = input['priority']
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'number' || value < 0 || value > 4) throw badArgument('priority must be from 0 to 4.')
  return value
}

/** An http or https address. */
export function addressOf(source: Fields, key: string): string {
  const value = required(source, key)
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) throw badArgument(`${key} must be a URL address.`)
  return value
}

/** The id of what a field points to, as the column holds it. */
export const idIn = (row: Row | null | undefined): string | null | undefined => (row ? text(row, 'id') : row)

/** Archives an entity; one that is archived keeps its moment. */
export function archived(session: Session, type: string, { row, trash }: { readonly row: Row; readonly trash: boolean }): Row {
  const changes: Changes = { ...(row['archivedAt'] === null && { archivedAt: session.at }), ...(trash && { trashed: true }) }
  return Object.keys(changes).length === 0 ? row : session.update(type, text(row, 'id'), changes)
}
