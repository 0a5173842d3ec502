import { readDate } from '@mcp-toolkits/core/tool'

/** Maximum number read as seconds: the year 2100. Larger ones are milliseconds or microseconds. */
const maxSeconds = 4_102_444_800
/** Minimum number read as seconds: 1973, so that 20260131 is a day. */
const minSeconds = 100_000_000

/** RFC 3339, as the vendor requires. */
const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/

/** True for an RFC 3339 date and time on an existing day. */
export function isDateTime(value: unknown): boolean {
  return typeof value === 'string' && rfc3339.test(value) && !Number.isNaN(Date.parse(value)) && dayExists(value)
}

function dayExists(text: string): boolean {
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split('-').map(Number)
  return new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day
}

const date =
  /^(?:(?<year>\d{4})(?<separator>[-/.]|(?=\d{4}(?!\d)))(?<month>\d\d?)\k<separator>(?<day>\d\d?)|(?<first>\d\d?)[-/.](?<second>\d\d?)[-/.](?<last>\d{4}))(?:[T\s,]+|$)/i
const named =
  /^(?:[a-z]{3,9},? )?(?:(?<day>\d\d?)(?:st|nd|rd|th)?[ -](?<name>[a-z]{3,9})|(?<before>[a-z]{3,9})\.? (?<after>\d\d?)(?:st|nd|rd|th)?)\.?,?[ -](?<year>\d{4})(?:[\s,]+|$)/i
const time =
  /^(\d\d?):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:\s?(am|pm))?(?:\s?(?:GMT|UTC)?([+-]\d\d):?(\d\d)?(?: \([\w ]*\))?|\s?(?:z|utc|gmt))?$/i
const months = 'janfebmaraprmayjunjulaugsepoctnovdec'

/**
 * An RFC 3339 timestamp, from Unix seconds, milliseconds or microseconds, or from a date in a different form, which is read as UTC if it
 * has no time zone. Undefined for an ambiguous value, such as 01/02/2026.
 */
export function readDateTime(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : ''
  if (isDateTime(text)) return text
  if (/^\d+(?:\.\d+)?$/.test(text) && !/^(?:19|20)\d{6}$/.test(text)) return fromUnix(Number(text))
  const found = date.exec(text) ?? named.exec(text)
  const day = found?.groups && readDay(found.groups)
  const rest = text.slice(found?.[0].length)
  const [isTime, hour = '0', minute = '00', second = '00', fraction, half, offset, minutes = '00'] = time.exec(rest) ?? [
    rest === '' ? '' : undefined,
  ]
  if (day === undefined || isTime === undefined || (half !== undefined && (Number(hour) < 1 || Number(hour) > 12))) return undefined
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (/pm/i.test(half) ? 12 : 0)
  const zone = offset === undefined ? 'Z' : `${offset}:${minutes}`
  const moment = `${day}T${twoDigits(hours)}:${minute}:${second}${fraction === undefined ? '' : `.${fraction}`}${zone}`
  if (!isDateTime(moment)) return undefined
  return zone === 'Z' && (fraction?.length ?? 0) <= 3 ? new Date(moment).toISOString() : moment
}

/** The UTC timestamps that may be meant by a time in words or by a date with an unclear order of day and month. */
export function possibleDateTimes(value: unknown, now: number): readonly string[] {
  const text = typeof value === 'string' ? value.trim() : ''
  const [, amount, unit = ''] = /^(\d{1,4}|an?) (minute|hour)s? ago$/i.exec(text) ?? []
  if (amount !== undefined) return [new Date(now - (Number(amount) || 1) * (/^h/i.test(unit) ? 3_600_000 : 60_000)).toISOString()]
  const [end = '', clock = ''] = timed.exec(text) ?? []
  const written = text
    .slice(0, text.length - end.length)
    .replace(/,? at$/, '')
    .trim()
  const today = new Date(now).toISOString().slice(0, 10)
  const reading = readDate(written === '' && clock !== '' ? 'today' : written, today)
  const days = !reading ? [] : 'possible' in reading ? reading.possible : ['equal' in reading ? reading.equal : reading.likely]
  const hour = clock.replace(/^(\d\d?)(?= ?[ap]m)/i, '$1:00')
  return days.flatMap((day) => readDateTime(`${String(day)} ${hour}`.trim()) ?? [])
}

const timed = /(?:^|\bat |[\s,])(\d\d?:\d\d(?::\d\d)?(?: ?[ap]m)?(?: ?(?:z|utc|gmt|[+-]\d\d:?\d\d))?|\d\d? ?[ap]m)$/i

function fromUnix(number: number): string | undefined {
  const unit = [1, 1_000, 1_000_000].find((each) => number >= minSeconds * each && number <= maxSeconds * each)
  return unit === undefined ? undefined : new Date(Math.round((number / unit) * 1_000)).toISOString()
}

/** A day as YYYY-MM-DD; undefined if month and day may be swapped. */
function readDay({
  year,
  last,
  month,
  day,
  first,
  second,
  name,
  before,
  after,
}: Readonly<Record<string, string | undefined>>): string | undefined {
  const numbers = [Number(first), Number(second)].toSorted((a, b) => a - b)
  const monthName = (name ?? before)?.slice(0, 3).toLowerCase()
  if (monthName !== undefined) return dayOf(year, months.indexOf(monthName) / 3 + 1, Number(day ?? after))
  if (last === undefined) return dayOf(year, Number(month), Number(day))
  const [low = 0, high = 0] = numbers
  return high > 12 || low === high ? dayOf(last, low, high) : undefined
}

const dayOf = (year = '', month: number, day: number) => `${year}-${twoDigits(month)}-${twoDigits(day)}`

const twoDigits = (number: number) => String(number).padStart(2, '0')
