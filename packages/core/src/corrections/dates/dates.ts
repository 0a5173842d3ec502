import { unquote } from '../spelling.ts'
import type { Reading } from '../vocabulary.ts'

const dayMs = 86_400_000
const months = 'january february march april may june july august september october november december'.split(' ')
/** Number of the month whose name begins with this text; 0 if none. */
const monthOf = (name: string) => months.findIndex((each) => name !== '' && each.startsWith(name)) + 1
const weekdays = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ')
const numbers = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ')
const counts = new Map([...numbers.entries(), [1, 'a'] as const, [1, 'an'] as const].map(([count, word]) => [word, String(count)]))
const namedDays = new Map(Object.entries({ today: 0, now: 0, tomorrow: 1, yesterday: -1 }))

/** Maximum length of a date. */
const maxLength = 60

/** Reads a date not written as YYYY-MM-DD; the written day counts, whatever its time. `03/04/2027` has two meanings: both are returned. */
export function readDate(written: unknown, today: string): Reading | undefined {
  const text = tidy(String(written))
  if (text.length > maxLength || (typeof written !== 'string' && typeof written !== 'number')) return undefined
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? []
  if (year !== undefined && toDate(year, month, day) === text) return { equal: text }
  const now = Date.parse(today)
  return fromNumerals(text) ?? fromMonthName(text, today) ?? fromAmount(text, now) ?? fromWeekday(text, now) ?? fromPeriod(text, today)
}

/** The text in lower case, without surrounding quotation marks, ordinal endings or commas. */
function tidy(text: string): string {
  return unquote(text.normalize('NFKC').replace(/[‐-―−]/g, '-'))
    .toLowerCase()
    .replace(/(\d)(?:st|nd|rd|th)\b/g, '$1')
    .replace(/[,\s]+/g, ' ')
    .replace(/\b[a-z]+(?= (?:day|week|month)s?\b)/, (word) => counts.get(word) ?? word)
    .trim()
}

const timeOfDay = /(?<=-\d{2})[t ]\d{2}:?\d{2}(?::?\d{2}(?:\.\d+)?)?\s*(?:z|utc|gmt|[+-]\d{2}:?\d{2})?$/

/** A date in digits, with the year first or last. If the year is first, a time may follow, and separators may be missing. */
function fromNumerals(text: string): Reading | undefined {
  const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})$/.exec(text) ?? []
  if (year !== undefined) return fromNumbers(year, month, day)
  // Seconds or milliseconds since 1970.
  if (/^[12]\d{9}(?:\d{3})?$/.test(text)) return { likely: show(Number(text.slice(0, 10)) * 1_000) }
  const [, one, separator, two, three] = /^(\d{1,4})([-/. ])(\d{1,2})\2(\d{1,4})$/.exec(text.replace(timeOfDay, '')) ?? []
  if (separator === undefined) return undefined
  if (one?.length === 4) return fromNumbers(one, two, three)
  if (three?.length === 4) return oneOf([toDate(three, two, one), toDate(three, one, two)])
  if (three?.length !== 2) return undefined
  return oneOf([toDate(`20${three}`, two, one), toDate(`20${three}`, one, two), toDate(`20${one}`, two, three)], false)
}

/** "1 December 2026", "Dec 1, 2026"; for "December 1", the next and the last one are suggested. */
function fromMonthName(text: string, today: string): Reading | undefined {
  const [, before, name = '', after, year] = /^(?:(\d{1,2})[ -])?([a-z]{3,9})\.?(?: (\d{1,2}))?(?:[ -](\d{4}))?$/.exec(text) ?? []
  const month = monthOf(name)
  if (month === 0 || (before === undefined) === (after === undefined)) return undefined
  if (year !== undefined) return fromNumbers(year, month, before ?? after)
  const dates = [-1, 0, 1].map((years) => toDate(Number(today.slice(0, 4)) + years, month, before ?? after))
  return oneOf([dates.find((date = '') => date >= today), dates.findLast((date = '9') => date < today)], false)
}

/** `tomorrow`, `in 2 weeks`, `+3 days`, `30 days ago`, `last 6 months`, `-P7D` */
function fromAmount(text: string, now: number): Reading | undefined {
  if (namedDays.has(text)) return { likely: show(now + Number(namedDays.get(text)) * dayMs) }
  const [, sign = '', amount, unit = '', ago = ''] =
    /^([+-]|in |last |past )?p?(\d{1,4}) ?(d|w|(?<=p\d+)m|days?|weeks?|months?)( ago| from now)?$/.exec(text) ?? []
  if ((sign === '') === (ago === '')) return undefined
  const units = (ago === ' ago' || /^(?:-|last|past)/.test(sign) ? -1 : 1) * Number(amount)
  if (!unit.startsWith('m')) return oneOf([show(now + units * (unit.startsWith('w') ? 7 : 1) * dayMs)])
  const [year = 0, month = 0, day = 0] = show(now).split('-').map(Number)
  return oneOf([show(Math.min(Date.UTC(year, month - 1 + units, day), Date.UTC(year, month + units, 0)))])
}

/** "Friday", "next Friday", "last Friday": people disagree on which week each means. */
function fromWeekday(text: string, now: number): Reading | undefined {
  const [, which, name = ''] = /^(?:(next|this|last) )?([a-z]+)$/.exec(text) ?? []
  const coming = now + (((weekdays.indexOf(name) - new Date(now).getUTCDay() + 6) % 7) + 1) * dayMs
  const weeks = which === 'last' ? [-1, -2] : which === 'next' ? [0, 1].slice(0, coming - now === 7 * dayMs ? 1 : 2) : [0, -1]
  return weekdays.includes(name) ? oneOf(weeks.map((each) => show(coming + each * 7 * dayMs))) : undefined
}

/** "end of January", "Q1 2027", "January 2027", "2027-01": the period's last or first day. Without a year, that of the next to end is a guess. */
function fromPeriod(text: string, today: string): Reading | undefined {
  const named = text.replace(/^(\d{4})-(\d{2})$/, (_, year, month) => `${months[Number(month) - 1]} ${year}`)
  const [, edge, quarter, name = '', written] =
    /^(?:(end|start|beginning) of )?(?:the )?(?:q([1-4])|([a-z]{3,9}))(?: (\d{4}))?$/.exec(named) ?? []
  const [thisYear = 0, current = 0] = today.split('-').map(Number)
  const first = quarter !== undefined ? Number(quarter) * 3 - 2 : name === 'month' ? current : monthOf(name)
  if (first === 0 || (edge ?? written) === undefined) return undefined
  const last = quarter === undefined ? first : first + 2
  const year = Number(written ?? thisYear + (last < current ? 1 : 0))
  const [start, end] = [toDate(year, first, 1), show(Date.UTC(year, last, 0))]
  return start === undefined ? undefined : oneOf(edge === undefined ? [end, start] : [edge === 'end' ? end : start], written !== undefined)
}

/** A nonexistent day (June 31) may mean the month's last day. */
function fromNumbers(year: unknown, month: unknown, day: unknown): Reading | undefined {
  const date = toDate(year, month, day)
  if (date !== undefined) return { likely: date }
  const last = toDate(year, month, new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate())
  return last !== undefined && Number(day) > 0 && Number(day) <= 31 ? { possible: [last] } : undefined
}

/** `isCertain` is false for dates that are only suggested, even if there is just one. */
function oneOf(dates: readonly (string | undefined)[], isCertain = true): Reading | undefined {
  const found = [...new Set(dates.filter((date) => date !== undefined))]
  if (found.length === 0) return undefined
  return found.length === 1 && isCertain ? { likely: found[0] } : { possible: found }
}

/** The date, if it exists and its year is plausible. */
function toDate(year: unknown, month: unknown, day: unknown): string | undefined {
  const time = Date.UTC(Number(year), Number(month) - 1, Number(day))
  return Number(year) >= 1900 && Number(year) <= 2999 && new Date(time).getUTCMonth() === Number(month) - 1 ? show(time) : undefined
}

function show(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}
