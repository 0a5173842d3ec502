import * as z from 'zod'
import type { JsonObject } from '@mcp-toolkits/core/base'
import type { InvalidInput } from '@mcp-toolkits/core/errors'

const dayMs = 86_400_000

/** The refusal of a call with these arguments, or of arguments for another schema; undefined if they are accepted. */
export type Refuse = (args: JsonObject, input?: z.ZodObject) => Promise<InvalidInput | undefined>

interface WrittenDay {
  readonly name: string
  readonly value: unknown
  readonly refuse: Refuse
}

/** The days that a date beside a direction means; without a direction, "this month" begins on a day. The last day is itself meant. */
export async function daysOf({ name, value, refuse }: WrittenDay): Promise<readonly string[]> {
  const [, side, later, last] = /(after|since|before)|(from|min|newer)|(until|to$|max|older)/i.exec(name.replace(/date|time/gi, '')) ?? []
  const isOpen = later !== undefined || /\b(?:today|this|last|past|ago)\b/i.test(String(value))
  const word = side?.toLowerCase() ?? (last !== undefined ? 'before' : isOpen ? 'after' : undefined)
  if (word === undefined) return []
  const read = async (text: string) => {
    const refusal = await refuse({ day: text }, z.object({ day: z.iso.date() }))
    const day = refusal?.details.next?.change?.['day']
    if (!refusal) return [text]
    return typeof day === 'string' ? [day] : (refusal.details.suggestions ?? []).map((each) => each.value)
  }
  const [today = ''] = await read('today')
  const days = datesOf(String(value), today) ?? (await read(String(value)))
  return days.map((day) => `${word}:${last === undefined ? day : new Date(Date.parse(day) + dayMs).toISOString().slice(0, 10)}`)
}

/** The first days that "last week", "this month" and the like may mean, counted back from today and in the calendar. */
function datesOf(written: string, today: string): readonly string[] | undefined {
  const [, which, unit = ''] = /^(last|past|previous|this) (week|month|year)$/.exec(written.trim().toLowerCase()) ?? []
  if (which === undefined) return undefined
  const now = new Date(today)
  const back = which === 'this' ? 0 : 1
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  const monday = day - ((now.getUTCDay() + 6) % 7)
  const [days, first] = {
    week: [7, Date.UTC(year, month, monday - 7 * back)] as const,
    month: [30, Date.UTC(year, month - back, 1)] as const,
    year: [365, Date.UTC(year - back, 0, 1)] as const,
  }[unit === 'week' || unit === 'month' ? unit : 'year']
  const counted = Date.UTC(year, month, day - days)
  return [...(back === 1 ? [counted] : []), first].map((time) => new Date(time).toISOString().slice(0, 10))
}
