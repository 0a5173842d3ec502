import { InvalidInput } from '../errors/errors.ts'
import { isObject, type JsonObject, member } from '../base/json.ts'
import type { JsonSchema } from './json-schema.ts'
import { placeOf } from '../errors/place.ts'

/** Maximum nesting depth of arguments: later code recurses once per level. */
const maxDepth = 128

/** Maximum number of oversized arguments named in one error. */
const maxNamed = 5

/**
 * Checks a call's arguments against the published schema's `maxLength` and `maxItems`, before anything reads them more than once. Takes
 * time proportional to their size, and stops early. Throws `InvalidInput` with the limits, and never repeats a value.
 */
export function checkArgumentLimits(schema: JsonSchema, args: unknown): void {
  const problems: string[] = []
  collectProblems({ schema, value: args, path: [] }, problems)
  if (problems.length > 0) throw new InvalidInput(problems.join(' '))
  if (isDeeperThan(maxDepth, args))
    throw new InvalidInput(`The arguments nest lists and objects more than ${maxDepth} levels deep. Pass flatter ones.`)
}

interface Location {
  readonly schema: unknown
  readonly value: unknown
  readonly path: readonly PropertyKey[]
}

function collectProblems({ schema, value, path }: Location, problems: string[]): void {
  if (!isObject(schema) || problems.length >= maxNamed) return
  const alternative = schema['anyOf']
  if (Array.isArray(alternative)) {
    const schemas: readonly unknown[] = alternative
    collectProblems({ schema: schemas.find((each) => member(each, 'type') === typeOf(value)), value, path }, problems)
  } else if (typeof value === 'string') {
    checkSize(schema['maxLength'], { path, size: value.length, unit: 'character' }, problems)
  } else if (Array.isArray(value)) {
    if (!checkSize(schema['maxItems'], { path, size: value.length, unit: 'item' }, problems)) return
    const items: readonly unknown[] = value
    for (const [index, item] of items.entries()) collectProblems({ schema: schema['items'], value: item, path: [...path, index] }, problems)
  } else if (isObject(value) && isObject(schema['properties'])) {
    collectMemberProblems(schema['properties'], { value, path }, problems)
  }
}

function collectMemberProblems(properties: JsonObject, { value, path }: Omit<Location, 'schema'>, problems: string[]): void {
  for (const [name, schema] of Object.entries(properties))
    collectProblems({ schema, value: member(value, name), path: [...path, name] }, problems)
}

interface Size {
  readonly path: readonly PropertyKey[]
  readonly size: number
  readonly unit: 'character' | 'item'
}

/** True if a size is within its limit; a limit that is not a number allows everything. */
function checkSize(limit: unknown, { path, size, unit }: Size, problems: string[]): boolean {
  if (typeof limit !== 'number' || size <= limit) return true
  problems.push(`${placeOf(path)} must have at most ${limit} ${unit}${limit === 1 ? '' : 's'}, not ${size}.`)
  return false
}

function typeOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value
}

function isDeeperThan(depth: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (depth === 0) return true
  const parts: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
  return parts.some((part) => isDeeperThan(depth - 1, part))
}
