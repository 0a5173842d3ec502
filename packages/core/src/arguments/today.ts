import { isDeepStrictEqual } from 'node:util'
import type { Parameter } from './parameters.ts'
import { readValue } from './values.ts'

/** The day of the person, by which "tomorrow" is read. */
export interface Today {
  /** `2026-11-28` */
  readonly date: string
  /** `Europe/Vienna` */
  readonly timeZone: string
}

/** The day in a time zone; in that of the process where it is not known, or not known to Node. */
export function todayIn(timeZone: string | undefined, now: number): Today {
  const format = formatIn(timeZone?.replace(/^:/, '')) ?? new Intl.DateTimeFormat('sv-SE')
  return { date: format.format(now), timeZone: format.resolvedOptions().timeZone }
}

function formatIn(timeZone: string | undefined): Intl.DateTimeFormat | undefined {
  try {
    return timeZone === undefined || timeZone === '' ? undefined : new Intl.DateTimeFormat('sv-SE', { timeZone })
  } catch {
    return undefined
  }
}

/** Far enough from today that every relative date is another one. */
const otherDay = '2001-07-04'

/** Says whose day a relative date counts from; undefined for any other value. */
export function dayNote(parameter: Parameter, written: unknown, { date, timeZone }: Today): string | undefined {
  if (parameter.json['format'] !== 'date' || parameter.accepts(written)) return undefined
  const reading = readValue(parameter, written, date)
  if (!reading || isDeepStrictEqual(reading, readValue(parameter, written, otherDay))) return undefined
  return 'likely' in reading
    ? `${JSON.stringify(written)} was read as ${String(reading.likely)} (${timeZone}).`
    : `Today is ${date} (${timeZone}).`
}
