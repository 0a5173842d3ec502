import { type JsonObject, stringAt, stringsIn, toObject } from '@mcp-toolkits/emulator'
import { isUuid } from './ids.ts'
import { badArgument, notFound } from './errors.ts'
import type { Row } from './store/entity-type.ts'
import type { Changes, Session } from './store/session.ts'

const duration = /^(-?)P(?=.)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/
const date = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$/
const dateTime = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?$/

/** A moment as the store keeps it, from a year, a month, a day, a date-time or a duration that is added to `now`. */
export function parseTime(value: unknown, now: number): string {
  if (value instanceof Date && Number.isFinite(value.getTime())) return value.toISOString()
  if (typeof value !== 'string') throw badArgument('A date must be text in ISO 8601.')
  const found = fromDuration(value, now) ?? fromDate(value) ?? fromDateTime(value)
  if (found === undefined) throw badArgument(`"${value}" is not a date in ISO 8601.`)
  return found
}

/** A day as the store keeps it: what `moment` reads, cut after the day. */
export const parseDay = (value: unknown, now: number): string => parseTime(value, now).slice(0, 10)

function fromDuration(value: string, now: number): string | undefined {
  const match = duration.exec(value)
  if (match === null) return undefined
  const sign = match[1] === '-' ? -1 : 1
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = match
    .slice(2)
    .map((part) => sign * Number(part || 0))
  const at = new Date(now)
  at.setUTCFullYear(at.getUTCFullYear() + years, at.getUTCMonth() + months, at.getUTCDate() + weeks * 7 + days)
  const result = at.getTime() + ((hours * 60 + minutes) * 60 + seconds) * 1000
  return toStoredTime(result)
}

function fromDate(value: string): string | undefined {
  const match = date.exec(value)
  if (match === null) return undefined
  const [year = 0, month = 1, dayOfMonth = 1] = match.slice(1).map((part) => Number(part || 1))
  const at = new Date(Date.UTC(year, month - 1, dayOfMonth))
  const exists = at.getUTCMonth() === month - 1 && at.getUTCDate() === dayOfMonth
  return exists ? at.toISOString() : undefined
}

function fromDateTime(value: string): string | undefined {
  const match = dateTime.exec(value)
  if (match === null || fromDate(match[1] ?? '') === undefined) return undefined
  const zoned = /(?:Z|[+-]\d\d:?\d\d)$/.test(value) ? value : `${value}Z`
  return toStoredTime(Date.parse(zoned))
}

const toStoredTime = (time: number) =>
  Math.abs(time) < 8.64e15 && time < 253402300800000 && time > -62167219200000 ? new Date(time).toISOString() : undefined

/** The argument `input`. */
export const inputOf = (args: JsonObject): JsonObject => toObject(args['input'])

/** The entity that a field of an input points to: undefined when nothing was said, null to have none. */
export function optionalEntity(session: Session, type: string, [input, key]: readonly [JsonObject, string]): Row | null | undefined {
  const id = input[key]
  if (id === undefined || id === null) return id
  return requiredEntity(session, type, { id, key })
}

/** The entity with an id that must be a UUID. */
export function requiredEntity(session: Session, type: string, { id, key }: { readonly id: unknown; readonly key: string }): Row {
  if (typeof id !== 'string' || !isUuid(id)) throw badArgument(`${key} must be a UUID.`)
  const found = session.find(type, id.toLowerCase())
  if (found === null) throw notFound(type)
  return found
}

/** The entities of a list of ids; undefined when nothing was said. */
export function optionalEntities(session: Session, type: string, [input, key]: readonly [JsonObject, string]): Row[] | undefined {
  const ids = input[key]
  if (ids === undefined || ids === null) return undefined
  return [...new Set(stringsIn(ids))].map((id) => requiredEntity(session, type, { id, key: `each value in ${key}` }))
}

/** A text that may be left out, but not be empty. */
export function optionalNonEmptyText(input: JsonObject, key: string): string | undefined {
  const value = input[key]
  if (value === undefined) return undefined
  if (typeof value !== 'string' || value.trim() === '') throw badArgument(`${key} should not be empty.`)
  return value
}

/** A text that must be there. */
export function requiredText(input: JsonObject, key: string): string {
  const value = optionalNonEmptyText(input, key)
  if (value === undefined) throw badArgument(`${key} should not be empty.`)
  return value
}

/** A text of at most so many characters. */
export function limitedText(input: JsonObject, key: string, longest: number): string | null | undefined {
  const value = optionalText(input, key)
  if (typeof value === 'string' && value.length > longest)
    throw badArgument(`${key} must be shorter than or equal to ${longest} characters.`)
  return value
}

/** A text, null to clear it, undefined when nothing was said. */
export function optionalText(input: JsonObject, key: string): string | null | undefined {
  const value = input[key]
  return value === undefined || value === null ? value : stringAt(input, key)
}

/** A day, null to clear it, undefined when nothing was said. */
export function optionalDay(input: JsonObject, key: string, now: number): string | null | undefined {
  const value = input[key]
  return value === undefined || value === null ? value : parseDay(value, now)
}

/** A moment, null to clear it, undefined when nothing was said. */
export function optionalTime(input: JsonObject, key: string, now: number): string | null | undefined {
  const value = input[key]
  return value === undefined || value === null ? value : parseTime(value, now)
}

/** A priority from 0 to 4. */
export function optionalPriority(input: JsonObject): number | undefined {
  const value = input['priority']
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'number' || value < 0 || value > 4) throw badArgument('priority must be from 0 to 4.')
  return value
}

/** An http or https address. */
export function requiredUrl(source: JsonObject, key: string): string {
  const value = requiredText(source, key)
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) throw badArgument(`${key} must be a URL address.`)
  return value
}

/** The id of what a field points to, as the column holds it. */
export const idOfRow = (row: Row | null | undefined): string | null | undefined => (row ? stringAt(row, 'id') : row)

/** Archives an entity; one that is archived keeps its moment. */
export function archive(session: Session, type: string, { row, trash }: { readonly row: Row; readonly trash: boolean }): Row {
  const changes: Changes = { ...(row['archivedAt'] === null && { archivedAt: session.at }), ...(trash && { trashed: true }) }
  return Object.keys(changes).length === 0 ? row : session.update(type, stringAt(row, 'id'), changes)
}
