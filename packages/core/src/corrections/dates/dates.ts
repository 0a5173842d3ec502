import { unquote } from '../spelling.ts'
import type { Reading } from '../vocabulary.ts'

/** The side of today on which the dates of a parameter lie; decides what an amount of time without a sign means. */
export type Side = 'past' | 'future' | undefined

const dayMs = 86_400_000
const months = 'january february march april may june july august september october november december'.split(' ')
const namedDays: Readonly<Record<string, number>> = { today: 0, now: 0, tomorrow: 1, yesterday: -1 }

/** Longer texts are not dates. */
const maxLength = 60

/**
 * Reads a date that is not written as YYYY-MM-DD. `today` is the day of the person. A date with its time keeps the day that is written,
 * whatever its time zone. `03/04/2027` has two meanings, so both are possible.
 */
export function readDate(written: unknown, today: string, side?: Side): Reading | undefined {
  const text = tidy(String(written))
  if (text.length > maxLength || (typeof written !== 'string' && typeof written !== 'number')) return undefined
  const now = Date.parse(today)
  const days = Object.hasOwn(namedDays, text) ? namedDays[text] : undefined
  if (days !== undefined) return { likely: show(now + days * dayMs) }
  return fromIso(text) ?? fromNumerals(text) ?? fromMonthName(text, now, side) ?? fromAmount(text, now, side)
}

/** The text in lower case without quotation marks around it, ordinal endings and commas. */
function tidy(text: string): string {
  return unquote(text.normalize('NFKC').replace(/[‐-―−]/g, '-'))
    .toLowerCase()
    .replace(/(\d)(?:st|nd|rd|th)\b/g, '$1')
    .replace(/[,\s]+/g, ' ')
    .trim()
}

/** The date as it is expected, where only blanks, quotation marks or dashes were others; also with a time, or without separators. */
function fromIso(text: string): Reading | undefined {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? []
  if (year !== undefined) return toDate(year, month, day) === text ? { equal: text } : fromNumbers(year, month, day)
  const match =
    /^(\d{4})-(\d{2})-(\d{2})[t ]\d{2}:?\d{2}(?::?\d{2}(?:\.\d+)?)?\s*(?:z|utc|gmt|[+-]\d{2}:?\d{2})?$/.exec(text) ??
    /^(\d{4})(\d{2})(\d{2})$/.exec(text)
  return match ? fromNumbers(match[1], match[2], match[3]) : undefined
}

function fromNumerals(text: string): Reading | undefined {
  const [, one, separator, two, three] = /^(\d{1,4})([-/. ])(\d{1,2})\2(\d{1,4})$/.exec(text) ?? []
  if (one === undefined || separator === undefined) return undefined
  if (one.length === 4) return fromNumbers(one, two, three)
  return three?.length === 4 ? oneOf([toDate(three, two, one), toDate(three, one, two)]) : undefined
}

/** "1 December 2026", "Dec 1" */
function fromMonthName(text: string, now: number, side: Side): Reading | undefined {
  const [, before, name = '', after, year] = /^(?:(\d{1,2})[ -])?([a-z]{3,9})\.?[ -]?(?:(\d{1,2}))?(?:(?:^|[ -])(\d{4}))?$/.exec(text) ?? []
  const month = months.findIndex((each) => name !== '' && each.startsWith(name)) + 1
  const day = before ?? after
  if (month === 0 || day === undefined || (before !== undefined && after !== undefined)) return undefined
  if (year !== undefined) return fromNumbers(year, month, day)
  const current = new Date(now).getUTCFullYear()
  const dates = [current - 1, current, current + 1].map((each) => toDate(each, month, day)).filter((date) => date !== undefined)
  const [last, next] = [dates.findLast((date) => Date.parse(date) <= now), dates.find((date) => Date.parse(date) >= now)]
  return oneOf(side === 'past' ? [last] : side === 'future' ? [next] : [last, next])
}

/** `+2w`, `in 2 weeks`, `30 days ago`, `last 7 days`, `-P30D` */
function fromAmount(text: string, now: number, side: Side): Reading | undefined {
  const [, sign = '', amount, unit, ago] =
    /^([+-]|in |last |past )?p?(\d{1,4}) ?(d|w|m|days?|weeks?|months?)( ago| from now)?$/.exec(text) ?? []
  if (unit === undefined || (sign !== '' && ago !== undefined)) return undefined
  const date = (direction: number) => moved(now, direction * Number(amount), unit)
  if (ago === ' ago' || /^(?:-|last|past)/.test(sign)) return oneOf([date(-1)])
  if (ago !== undefined || sign !== '') return oneOf([date(1)])
  return oneOf(side === 'past' ? [date(-1)] : side === 'future' ? [date(1)] : [date(1), date(-1)])
}

/** Months keep the day, or take the last one of a shorter month. */
function moved(now: number, count: number, unit: string): string | undefined {
  if (!unit.startsWith('m')) return show(now + count * (unit.startsWith('w') ? 7 : 1) * dayMs)
  const date = new Date(now)
  const first = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + count, 1))
  const [year, month] = [first.getUTCFullYear(), first.getUTCMonth() + 1]
  return toDate(year, month, date.getUTCDate()) ?? lastOfMonth(year, month)
}

/** A day that does not exist may be the last one of its month. */
function fromNumbers(year: unknown, month: unknown, day: unknown): Reading | undefined {
  const date = toDate(year, month, day)
  if (date !== undefined) return { likely: date }
  const last = lastOfMonth(year, month)
  return last !== undefined && Number(day) > 0 && Number(day) <= 31 ? { possible: [last] } : undefined
}

function oneOf(dates: readonly (string | undefined)[]): Reading | undefined {
  const found = [...new Set(dates.filter((date) => date !== undefined))]
  const [only] = found
  if (only === undefined) return undefined
  return found.length === 1 ? { likely: only } : { possible: found }
}

/** A date that exists, of the years that people mean. */
function toDate(year: unknown, month: unknown, day: unknown): string | undefined {
  const time = Date.UTC(Number(year), Number(month) - 1, Number(day))
  const isPlausible = Number(year) >= 1900 && Number(year) <= 2999
  return isPlausible && new Date(time).getUTCMonth() === Number(month) - 1 ? show(time) : undefined
}

function lastOfMonth(year: unknown, month: unknown): string | undefined {
  return toDate(year, month, new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate())
}

function show(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}
