import { unquote } from '../spelling.ts'
import type { Reading } from '../vocabulary.ts'

const dayMs = 86_400_000
const months = 'january february march april may june july august september october november december'.split(' ')
const namedDays: Readonly<Record<string, number>> = { today: 0, now: 0, tomorrow: 1, yesterday: -1 }

/** Maximum length of a date. */
const maxLength = 60

/**
 * Reads a date that is not written as YYYY-MM-DD. `today` is the person's current date. A date with a time keeps the written day, whatever
 * its time zone. `03/04/2027` has two meanings, so both are returned.
 */
export function readDate(written: unknown, today: string): Reading | undefined {
  const text = tidy(String(written))
  if (text.length > maxLength || (typeof written !== 'string' && typeof written !== 'number')) return undefined
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? []
  if (year !== undefined && toDate(year, month, day) === text) return { equal: text }
  return fromNumerals(text) ?? fromMonthName(text) ?? fromAmount(text, Date.parse(today))
}

/** The text in lower case, without surrounding quotation marks, ordinal endings and commas. */
function tidy(text: string): string {
  return unquote(text.normalize('NFKC').replace(/[‐-―−]/g, '-'))
    .toLowerCase()
    .replace(/(\d)(?:st|nd|rd|th)\b/g, '$1')
    .replace(/[,\s]+/g, ' ')
    .trim()
}

const timeOfDay = /(?<=-\d{2})[t ]\d{2}:?\d{2}(?::?\d{2}(?:\.\d+)?)?\s*(?:z|utc|gmt|[+-]\d{2}:?\d{2})?$/

/** Numbers with the year first (even with a time or without separators) or last. */
function fromNumerals(text: string): Reading | undefined {
  const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})$/.exec(text) ?? []
  if (year !== undefined) return fromNumbers(year, month, day)
  const [, one, separator, two, three] = /^(\d{1,4})([-/. ])(\d{1,2})\2(\d{1,4})$/.exec(text.replace(timeOfDay, '')) ?? []
  if (separator === undefined) return undefined
  if (one?.length === 4) return fromNumbers(one, two, three)
  return three?.length === 4 ? oneOf([toDate(three, two, one), toDate(three, one, two)]) : undefined
}

/** "1 December 2026", "Dec 1, 2026" */
function fromMonthName(text: string): Reading | undefined {
  const [, before, name = '', after, year] = /^(?:(\d{1,2})[ -])?([a-z]{3,9})\.?(?: (\d{1,2}))?[ -](\d{4})$/.exec(text) ?? []
  const month = months.findIndex((each) => each.startsWith(name)) + 1
  if (name === '' || month === 0 || (before === undefined) === (after === undefined)) return undefined
  return fromNumbers(year, month, before ?? after)
}

/** `tomorrow`, `in 2 weeks`, `+3 days`, `30 days ago`, `last 7 days`, `-P7D` */
function fromAmount(text: string, now: number): Reading | undefined {
  const days = Object.hasOwn(namedDays, text) ? namedDays[text] : undefined
  if (days !== undefined) return { likely: show(now + days * dayMs) }
  const [, sign = '', amount, unit = '', ago = ''] =
    /^([+-]|in |last |past )?p?(\d{1,4}) ?(d|w|days?|weeks?)( ago| from now)?$/.exec(text) ?? []
  if ((sign === '') === (ago === '')) return undefined
  const isPast = ago === ' ago' || /^(?:-|last|past)/.test(sign)
  return oneOf([show(now + (isPast ? -1 : 1) * Number(amount) * (unit.startsWith('w') ? 7 : 1) * dayMs)])
}

/** A nonexistent day may mean the month's last day. */
function fromNumbers(year: unknown, month: unknown, day: unknown): Reading | undefined {
  const date = toDate(year, month, day)
  if (date !== undefined) return { likely: date }
  const last = toDate(year, month, new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate())
  return last !== undefined && Number(day) > 0 && Number(day) <= 31 ? { possible: [last] } : undefined
}

function oneOf(dates: readonly (string | undefined)[]): Reading | undefined {
  const found = [...new Set(dates.filter((date) => date !== undefined))]
  if (found.length === 0) return undefined
  return found.length === 1 ? { likely: found[0] } : { possible: found }
}

/** An existing date in a plausible year. */
function toDate(year: unknown, month: unknown, day: unknown): string | undefined {
  const time = Date.UTC(Number(year), Number(month) - 1, Number(day))
  const isPlausible = Number(year) >= 1900 && Number(year) <= 2999
  return isPlausible && new Date(time).getUTCMonth() === Number(month) - 1 ? show(time) : undefined
}

function show(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}
