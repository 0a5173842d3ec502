import { isObject, type JsonObject, stringAt, toObject } from '@mcp-toolkits/emulator'
import { isUuid } from '../ids.ts'
import { badArgument, notFound } from '../errors.ts'
import type { Entity } from '../store/entity-type.ts'
import type { Changes, Session } from '../store/session.ts'
import { parseTime } from '../store/filters.ts'

/** An object that may be absent. */
export const optionalObject = (value: unknown): JsonObject => (isObject(value) ? value : {})

/** The `input` argument. */
export const inputOf = (args: JsonObject): JsonObject => toObject(args['input'])

/** The entity with this id, which must be a UUID. */
export function requiredEntity(session: Session, type: string, id: unknown, key: string): Entity {
  if (typeof id !== 'string' || !isUuid(id)) throw badArgument(`${key} must be a UUID.`)
  const found = session.find(type, id.toLowerCase())
  if (found === null) throw notFound(type)
  return found
}

/** Text that is optional but not empty. */
export function optionalNonEmptyText(input: JsonObject, key: string): string | undefined {
  const value = input[key]
  if (value === undefined) return undefined
  if (typeof value !== 'string' || value.trim() === '') throw badArgument(`${key} should not be empty.`)
  return value
}

/** Text that is required and not empty. */
export function requiredText(input: JsonObject, key: string): string {
  const value = optionalNonEmptyText(input, key)
  if (value === undefined) throw badArgument(`${key} should not be empty.`)
  return value
}

/** Text; null clears it. */
export function optionalText(input: JsonObject, key: string): string | null | undefined {
  const value = input[key]
  return value === undefined || value === null ? value : stringAt(input, key)
}

/** A time; null clears it. */
export function optionalTime(input: JsonObject, key: string, now: number): string | null | undefined {
  const value = input[key]
  return value === undefined || value === null ? value : parseTime(value, now)
}

/** Refuses a priority that is not from 0 to 4. */
export function checkPriority({ priority }: Changes): void {
  if (typeof priority === 'number' && (priority < 0 || priority > 4)) throw badArgument('priority must be from 0 to 4.')
}

/** An http or https address. */
export function requiredUrl(source: JsonObject, key: string): string {
  const value = requiredText(source, key)
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) throw badArgument(`${key} must be a URL address.`)
  return value
}

/** Archives an entity; one that is already archived keeps its time. */
export function archive(session: Session, type: string, row: Entity, isTrashed: boolean): Entity {
  const changes: Changes = { ...(row['archivedAt'] === null && { archivedAt: session.at }), ...(isTrashed && { trashed: true }) }
  return Object.keys(changes).length === 0 ? row : session.update(type, row.id, changes)
}

/** Drops undefined values, which change nothing. */
export const withoutUndefined = (changes: Changes): Changes =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
