import { unquote } from '../../../references/matching/spelling.ts'
import type { Reading } from '../vocabulary.ts'

/** On which side of today the dates of a parameter lie; decides what an amount of time without a sign means. */
export type Side = 'past' | 'future' | undefined

const dayMs = 86_400_000
const months = 'january february march april may june july august september october november december'.split(' ')
const weekdays = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ')
const units: Readonly<Record<string, { readonly days?: number; readonly months?: number }>> = {
  d: { days: 1 },
  w: { days: 7 },
  m: { months: 1 },
  y: { months: 12 },
}

/** Longer texts are not dates. */
const maxLength = 60

/**
 * Reads a date that is not written as YYYY-MM-DD. `today` is the day of the person. A date with its time keeps the day that is written, whatever
 * its time zone. `03/04/2027` has two meanings, so both are possible; so is what people count differently, such as "next Friday".
 */
export function readDate(written: unknown, today: string, side?: Side): Reading | undefined {
  if (typeof written === 'number') return fromNumerals(String(written)) ?? fromSeconds(String(written))
  if (typeof written !== 'string' || written.length > maxLength) return undefined
  const whole = tidy(written)
  const text = withoutPreposition(whole, side)
  const now = Date.parse(today)
  return (
    fromIso(whole) ??
    fromNumerals(text) ??
    fromMonthName(text, now, side) ??
    fromNamedDay(text, now, side) ??
    fromDuration(text, now, side) ??
    fromSeconds(text)
  )
}

/** The date as it is expected: only blanks, quotation marks or dashes were others. */
function fromIso(text: string): Reading | undefined {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? []
  const date = toDate(Number(year), Number(month), Number(day))
  return date === undefined ? undefined : { equal: date }
}

/** The text in lower case without quotation marks around it, ordinal endings and commas. */
function tidy(text: string): string {
  return unquote(text.normalize('NFKC').replace(/[‐-―−]/g, '-'))
    .toLowerCase()
    .replace(/(\d)(?:st|nd|rd|th)\b/g, '$1')
    .replaceAll(',', ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

/** "by 1 December" of something due, "since 1 November" of the past. Any other word in front may change the meaning. */
function withoutPreposition(text: string, side: Side): string {
  if (side === 'future') return text.replace(/^(?:due |by |on |due by |due on )(?=\S)/, '')
  return side === 'past' ? text.replace(/^(?:since |from |on )(?=\S)/, '') : text
}

function fromNumerals(text: string): Reading | undefined {
  const time = /^(\d{4})-(\d{2})-(\d{2})(?:t| )\d{2}:?\d{2}(?::?\d{2}(?:\.\d+)?)?\s*(?:z|utc|gmt|[+-]\d{2}:?\d{2})?$/.exec(text)
  if (time) return fromNumbers(time[1], time[2], time[3])
  const yearFirst = /^(\d{4})([-/. ])(\d{1,2})\2(\d{1,2})$/.exec(text) ?? /^(\d{4})()(\d{2})(\d{2})$/.exec(text)
  if (yearFirst) return fromNumbers(yearFirst[1], yearFirst[3], yearFirst[4])
  const month = /^(\d{4})[-/](\d{1,2})$/.exec(text)
  if (month) return oneOf([toDate(Number(month[1]), Number(month[2]), 1), lastOfMonth(Number(month[1]), Number(month[2]))])
  const week = /^(\d{4})-?w(\d{2})(?:-?([1-7]))?$/.exec(text)
  if (week) return fromWeek(Number(week[1]), Number(week[2]), week[3])
  const yearLast = /^(\d{1,2})([-/. ])(\d{1,2})\2(\d{4}|\d{2})$/.exec(text)
  if (!yearLast) return undefined
  const [, one, , other, written = ''] = yearLast
  const year = written.length === 2 ? `20${written}` : written
  const dates = [toDate(Number(year), Number(other), Number(one)), toDate(Number(year), Number(one), Number(other))]
  return oneOf(dates)
}

/** A day that does not exist may be the last one of its month. */
function fromNumbers(year: unknown, month: unknown, day: unknown): Reading | undefined {
  const date = toDate(Number(year), Number(month), Number(day))
  if (date !== undefined) return { likely: date }
  const last = lastOfMonth(Number(year), Number(month))
  return last !== undefined && Number(day) > 0 && Number(day) <= 31 ? { possible: [last] } : undefined
}

/** A week is no single day: its first and its last day are both possible. */
function fromWeek(year: number, week: number, day: string | undefined): Reading | undefined {
  const fourth = Date.UTC(year, 0, 4)
  const monday = fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * dayMs + (week - 1) * 7 * dayMs
  // The week belongs to the year of its Thursday.
  if (new Date(monday + 3 * dayMs).getUTCFullYear() !== year) return undefined
  return day === undefined ? oneOf([show(monday), show(monday + 6 * dayMs)]) : { likely: show(monday + (Number(day) - 1) * dayMs) }
}

function fromMonthName(text: string, now: number, side: Side): Reading | undefined {
  const words = text
    .replace(/\./g, ' ')
    .split(/[\s/-]/)
    .filter((word) => word !== '' && word !== 'of' && word !== 'the')
  const weekday = weekdays.findIndex((name) => isName(words[0], name))
  if (weekday >= 0) words.shift()
  const place = words.findIndex((word) => months.some((name) => isName(word, name)))
  const month = months.findIndex((name) => isName(words[place], name)) + 1
  const numbers = words.filter((_, index) => index !== place)
  if (numbers.some((number) => /\D/.test(number))) return undefined
  const year = numbers.find((number) => number.length === 4)
  const day = numbers.find((number) => number.length < 3)
  if (numbers.length !== (year === undefined ? 0 : 1) + (day === undefined ? 0 : 1)) return undefined
  if (day === undefined) return oneOf([toDate(Number(year), month, 1), lastOfMonth(Number(year), month)])
  if (year === undefined) return weekday < 0 ? withoutYear(month, Number(day), { now, side }) : undefined
  const date = toDate(Number(year), month, Number(day))
  if (date !== undefined && weekday >= 0 && new Date(date).getUTCDay() !== weekday) return { possible: [date] }
  return fromNumbers(year, month, day)
}

/** `dec`, `sept` and `december`. */
function isName(word: string | undefined, name: string): boolean {
  return word !== undefined && word.length >= 3 && name.startsWith(word)
}

/** The next such day, or the last one where only the past makes sense. */
function withoutYear(month: number, day: number, { now, side }: { now: number; side: Side }): Reading | undefined {
  const year = new Date(now).getUTCFullYear()
  const dates = [year - 1, year, year + 1].map((each) => toDate(each, month, day)).filter((date) => date !== undefined)
  const [last, next] = [dates.findLast((date) => Date.parse(date) <= now), dates.find((date) => Date.parse(date) >= now)]
  return oneOf(side === 'past' ? [last] : side === 'future' ? [next] : [last, next])
}

const namedDays: Readonly<Record<string, number>> = {
  today: 0,
  now: 0,
  tonight: 0,
  eod: 0,
  'end of day': 0,
  'end of today': 0,
  tomorrow: 1,
  yesterday: -1,
  'day after tomorrow': 2,
  'the day after tomorrow': 2,
  'day before yesterday': -2,
  'the day before yesterday': -2,
}

function fromNamedDay(text: string, now: number, side: Side): Reading | undefined {
  if (Object.hasOwn(namedDays, text)) return { likely: show(now + (namedDays[text] ?? 0) * dayMs) }
  const date = new Date(now)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + 1]
  const quarterEnd = Math.ceil(month / 3) * 3
  const edge = /^(?:(?:the |by )?(end|start|beginning) of (?:the |this )?(month|quarter|year)|eo([mqy]))$/.exec(text)
  if (edge) {
    const period = edge[2]?.charAt(0) ?? edge[3]
    const isEnd = edge[1] === undefined || edge[1] === 'end'
    if (isEnd) return oneOf([lastOfMonth(year, period === 'm' ? month : period === 'q' ? quarterEnd : 12)])
    return oneOf([toDate(year, period === 'm' ? month : period === 'q' ? quarterEnd - 2 : 1, 1)])
  }
  const period = /^(this|next|last|past|previous) (week|month|year)$/.exec(text)
  if (period) return fromPeriod(period[1] ?? '', period[2] ?? '', now)
  const [, which = '', weekday] = /^(?:(on|by|next|this|coming|last|past|previous) )?([a-z]+)$/.exec(text) ?? []
  const day = weekdays.findIndex((name) => isName(weekday, name))
  if (day < 0) return undefined
  const isPast = ['last', 'past', 'previous'].includes(which) || (side === 'past' && which === '')
  const last = now - (((date.getUTCDay() - day + 6) % 7) + 1) * dayMs
  if (isPast) return { possible: [show(last), show(last - 7 * dayMs)] }
  const first = now + ((day - date.getUTCDay() + 7) % 7) * dayMs
  return { possible: [show(first), show(first + 7 * dayMs)] }
}

/** The first day of a week, month or year, and today in that one: people mean either. */
function fromPeriod(which: string, unit: string, now: number): Reading | undefined {
  const count = which === 'this' ? 0 : which === 'next' ? 1 : -1
  const date = new Date(now)
  const months = unit === 'year' ? 12 * count : count
  const monday = now - ((date.getUTCDay() + 6) % 7) * dayMs + count * 7 * dayMs
  const month = date.getUTCFullYear() * 12 + date.getUTCMonth() + months
  const first = unit === 'week' ? show(monday) : toDate(Math.floor(month / 12), unit === 'year' ? 1 : (((month % 12) + 12) % 12) + 1, 1)
  const same = unit === 'week' ? show(now + count * 7 * dayMs) : moved(now, count, { months: unit === 'year' ? 12 : 1 })
  const reading = oneOf(count === 0 ? [first] : [first, same])
  return reading && 'likely' in reading ? { possible: [reading.likely] } : reading
}

const amounts = 'one two three four five six seven eight nine ten eleven twelve'.split(' ')

/** Words before or after an amount of time that say in which direction it counts. */
const backward = ['last ', 'past ', ' ago', ' back']
const forward = ['in ', ' from now', ' from today', ' ahead', ' later']

/** `+2w`, `in 2 weeks`, `30 days ago`, `last 7 days`, `-P30D`. */
function fromDuration(text: string, now: number, side: Side): Reading | undefined {
  const [, before = '', bare = '', after = ''] =
    /^(in |last |past )?(.+?)( (?:ago|back|from now|from today|ahead|later))?$/.exec(text) ?? []
  const ago = backward.includes(before) || backward.includes(after)
  const ahead = forward.includes(before) || forward.includes(after)
  const match =
    /^([+-]?) ?(\d{1,4}|an?|[a-z]{3,6}) ?(d|w|m|mo|y|days?|weeks?|months?|years?)$/.exec(bare) ??
    /^([+-]?)p(\d{1,4})([dwmy])(?:t0+[hms])?$/.exec(bare)
  if (!match || (ago && ahead)) return undefined
  const [, sign, amount = '', unit = ''] = match
  const isSigned = sign !== ''
  // "-3 days ago" says two things.
  if (isSigned && (ago || ahead)) return undefined
  const count = ['a', 'an'].includes(amount) ? 1 : amounts.includes(amount) ? amounts.indexOf(amount) + 1 : Number(amount)
  if (!Number.isInteger(count)) return undefined
  const at = (direction: number) => moved(now, direction * count, units[unit.charAt(0)] ?? {})
  if (ago || sign === '-' || (!isSigned && !ahead && side === 'past')) return oneOf([at(-1)])
  if (ahead || sign === '+' || side === 'future') return oneOf([at(1)])
  return oneOf([at(1), at(-1)])
}

/** Months keep the day, or take the last one of a shorter month. */
function moved(now: number, count: number, { days = 0, months: each = 0 }: { days?: number; months?: number }): string | undefined {
  if (each === 0) return show(now + count * days * dayMs)
  const date = new Date(now)
  const month = date.getUTCFullYear() * 12 + date.getUTCMonth() + count * each
  const [year, ofYear] = [Math.floor(month / 12), (((month % 12) + 12) % 12) + 1]
  return toDate(year, ofYear, date.getUTCDate()) ?? lastOfMonth(year, ofYear)
}

/** Seconds or milliseconds since 1970, as machines write moments: 10 or 13 digits. */
function fromSeconds(text: string): Reading | undefined {
  if (!/^[1-9]\d{9}(?:\d{3})?$/.test(text)) return undefined
  return { likely: show(text.length === 10 ? Number(text) * 1000 : Number(text)) }
}

function oneOf(dates: readonly (string | undefined)[]): Reading | undefined {
  const found = [...new Set(dates.filter((date) => date !== undefined))]
  const [only] = found
  if (only === undefined) return undefined
  return found.length === 1 ? { likely: only } : { possible: found }
}

/** A date that exists, of the years that people mean. */
function toDate(year: number, month: number, day: number): string | undefined {
  if (!(year >= 1900 && year <= 2999)) return undefined
  const time = Date.UTC(year, month - 1, day)
  const date = new Date(time)
  return date.getUTCMonth() === month - 1 ? show(time) : undefined
}

function lastOfMonth(year: number, month: number): string | undefined {
  return toDate(year, month, new Date(Date.UTC(year, month, 0)).getUTCDate())
}

function show(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}
