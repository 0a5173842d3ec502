import { isDeepStrictEqual } from 'node:util'
import type { Parameter } from '../parameters.ts'
import { daysIn } from './time-zones.ts'
import { readValue } from '../values.ts'

/** The person's current date, `2026-11-28` in `Europe/Vienna`: the basis for reading "tomorrow". */
export interface Today {
  readonly date: string
  readonly timeZone: string
}

/** The current date in a time zone; in the process's zone if `timeZone` is absent or unknown to Node. */
export function todayIn(timeZone: string | undefined, now: number): Today {
  const format = daysIn(timeZone)
  return { date: format.format(now), timeZone: format.resolvedOptions().timeZone }
}

/** A day far enough from today that every relative date differs. */
const otherDay = '2001-07-04'

/** Sentence on how a relative date was read; undefined for any other value. */
export function dayNote(parameter: Parameter, written: unknown, { date, timeZone }: Today): string | undefined {
  if (parameter.json['format'] !== 'date' || parameter.accepts(written)) return undefined
  const reading = readValue(parameter, written, date)
  if (!reading || !('likely' in reading) || isDeepStrictEqual(reading, readValue(parameter, written, otherDay))) return undefined
  const basis = String(written).trim().startsWith('+') ? `, counted from today (${timeZone})` : ` (${timeZone})`
  return `${JSON.stringify(written)} was read as ${String(reading.likely)}${basis}.`
}
