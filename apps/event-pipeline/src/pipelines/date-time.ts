/** The largest number that is read as seconds: the year 2100. Larger ones are milliseconds or microseconds. */
const maxSeconds = 4_102_444_800
/** The smallest number that is read as seconds, so that 20260131 is a day: 1973. */
const minSeconds = 100_000_000

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

const time = /(?:^|[T\s,])(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:\s?(am|pm))?(?:\s?(z|utc|gmt|[+-]\d\d:?\d\d|[+-]\d\d))?$/i
const numericDate = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})$/
const dayFirst = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})$/
const namedDay = /^(?:[a-z]{3,9},? )?(\d{1,2})(?:st|nd|rd|th)?[ -]([a-z]{3,9})\.?,?[ -](\d{4})$/i
const namedMonth = /^(?:[a-z]{3,9},? )?([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})$/i

/** RFC 3339, which the vendor asks for. */
const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/

/** True for an RFC 3339 date and time of a day that exists. */
export function isDateTime(value: unknown): boolean {
  return typeof value === 'string' && rfc3339.test(value) && !Number.isNaN(Date.parse(value)) && dayExists(value)
}

function dayExists(text: string): boolean {
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split('-').map(Number)
  return new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day
}

/**
 * A moment in RFC 3339, from Unix seconds, milliseconds or microseconds, or a date in another form; without a time zone it is read as
 * UTC. Undefined when it may mean several moments, such as 01/02/2026.
 */
export function readDateTime(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? withoutZoneNames(value).trim() : ''
  if (isDateTime(text)) return text
  const [, year, month, day] = /^((?:19|20)\d\d)(\d\d)(\d\d)$/.exec(text) ?? []
  if (year !== undefined) return fromText(`${year}-${month}-${day}`)
  return /^\d+(?:\.\d+)?$/.test(text) ? fromUnix(Number(text)) : fromText(text)
}

/** Drops the name that a program adds to an offset: `GMT+0100 (CET)`. */
function withoutZoneNames(text: string): string {
  return text.replace(/GMT(?=[+-])/, '').replace(/\([\w ]*\)$/, '')
}

function fromUnix(number: number): string | undefined {
  const unit = [1, 1_000, 1_000_000].find((each) => number >= minSeconds * each && number <= maxSeconds * each)
  return unit === undefined ? undefined : new Date(Math.round((number / unit) * 1_000)).toISOString()
}

function fromText(text: string): string | undefined {
  const [ofTime, hour = '0', minute = '00', second = '00', fraction, half, zone = 'z'] = time.exec(text) ?? ['']
  const day = readDay(
    text
      .slice(0, text.length - ofTime.length)
      .trimEnd()
      .replace(/,$/, ''),
  )
  if (day === undefined) return undefined
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (/pm/i.test(half) ? 12 : 0)
  if (half !== undefined && (Number(hour) < 1 || Number(hour) > 12)) return undefined
  const offset = /^[zug]/i.test(zone) ? 'Z' : `${zone.slice(0, 3)}:${zone.replace(':', '').slice(3) || '00'}`
  const moment = `${day}T${twoDigits(hours)}:${minute}:${second}${fraction === undefined ? '' : `.${fraction}`}${offset}`
  if (!isDateTime(moment)) return undefined
  return offset === 'Z' && (fraction?.length ?? 0) <= 3 ? new Date(moment).toISOString() : moment
}

/** A day as YYYY-MM-DD; undefined if month and day may be exchanged. */
function readDay(text: string): string | undefined {
  const [, year, , month, day] = numericDate.exec(text) ?? []
  if (year !== undefined) return dayOf(year, Number(month), Number(day))
  const [, first = '', second = '', otherYear] = dayFirst.exec(text) ?? []
  if (otherYear !== undefined) {
    const [a, b] = [Number(first), Number(second)]
    if (a > 12 || a === b) return dayOf(otherYear, b, a)
    return b > 12 ? dayOf(otherYear, a, b) : undefined
  }
  const [, namedDate, afterDay, yearAfterDay] = namedDay.exec(text) ?? []
  if (afterDay !== undefined) return dayOf(yearAfterDay, monthOf(afterDay), Number(namedDate))
  const [, beforeDay, dayAfter, yearAfter] = namedMonth.exec(text) ?? []
  return beforeDay === undefined ? undefined : dayOf(yearAfter, monthOf(beforeDay), Number(dayAfter))
}

const monthOf = (name: string) => months.indexOf(name.slice(0, 3).toLowerCase()) + 1

const dayOf = (year = '', month: number, day: number) => `${year}-${twoDigits(month)}-${twoDigits(day)}`

const twoDigits = (number: number) => String(number).padStart(2, '0')
