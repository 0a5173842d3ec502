import type { JsonObject } from '../json.ts'
import { quote, truncate } from '../text.ts'
import { sameName } from './names.ts'
import type { Parameter } from './parameter.ts'
import { readValue } from './values.ts'

/** How much of a value a notice repeats. */
const maxQuoted = 60
/** More notices than an agent reads. */
const maxNotices = 10

/** Arguments in the form that a tool expects. */
export interface ReadArguments {
  readonly args: JsonObject
  /** Says what was read in another way. */
  readonly notices: readonly string[]
  /** The name under which the caller wrote a parameter, where it is another. */
  readonly writtenNames: ReadonlyMap<string, string>
}

/** The arguments with everything read that loses nothing. A name that exists as it is written always comes first. */
export function readArguments(parameters: readonly Parameter[], written: JsonObject, today: string): ReadArguments {
  const byName = new Map(parameters.map((parameter) => [parameter.name, parameter]))
  const others = Object.keys(written).filter((name) => !byName.has(name))
  const targets = new Map(others.slice(0, parameters.length).map((name) => [name, sameName(name, parameters)?.name]))
  const isClaimedOnce = (target: string) =>
    !Object.hasOwn(written, target) && [...targets.values()].filter((each) => each === target).length === 1
  const notices: string[] = []
  const writtenNames = new Map<string, string>()
  const args = Object.entries(written).map(([name, value]): [string, unknown] => {
    const target = targets.get(name)
    const readName = target !== undefined && isClaimedOnce(target) ? target : name
    const parameter = byName.get(readName)
    if (readName !== name) {
      notices.push(`Read the argument ${quote(name, maxQuoted)} as ${readName}.`)
      writtenNames.set(readName, name)
    }
    const reading = parameter && !parameter.accepts(value) ? readValue(parameter, value, today) : undefined
    if (!reading || !('equal' in reading)) return [readName, value]
    notices.push(`Read ${readName} ${shortJson(value)} as ${shortJson(reading.equal)}.`)
    return [readName, reading.equal]
  })
  return { args: Object.fromEntries(args), notices: notices.slice(0, maxNotices), writtenNames }
}

/** A value as JSON, cut. */
export function shortJson(value: unknown): string {
  // Half of a long text would be serialized only to be cut.
  return truncate(JSON.stringify(typeof value === 'string' ? value.slice(0, 2 * maxQuoted) : value), maxQuoted)
}
