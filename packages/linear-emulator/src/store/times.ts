import { badArgument } from '../errors.ts'

const duration = /^(-?)P(?=.)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/
const date = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$/
const dateTime = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?$/

/** A year, month, day, date and time, or duration from `now`, as tables store times. */
export function parseTime(value: unknown, now: number): string {
  if (value instanceof Date && Number.isFinite(value.getTime())) return value.toISOString()
  if (typeof value !== 'string') throw badArgument('A date must be text in ISO 8601.')
  const found = fromDuration(value, now) ?? fromDate(value) ?? fromDateTime(value)
  if (found === undefined) throw badArgument(`"${value}" is not a date in ISO 8601.`)
  return found
}

/** The same, as tables store days. */
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
  return toStoredTime(at.getTime() + ((hours * 60 + minutes) * 60 + seconds) * 1000)
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
