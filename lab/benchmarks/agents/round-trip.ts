// Passes every value that a list or a record prints to every parameter that takes such values, over all seeded data. Each line of
// round-trips.jsonl is a kind of value: its place in the output, such as `issues.*.team`, and the parameters that take it, as `$value`.
import path from 'node:path'
import * as z from 'zod'
import { isObject, member } from '../../../packages/core/src/base/json.ts'
import { Args, type Call, parseLines, type ServerName, serverNames } from './cases.ts'
import { openWorld, type World } from './worlds.ts'

const PrintedKind = z.object({
  server: z.enum(serverNames),
  kind: z.string(),
  printed: z.array(z.tuple([z.string(), Args], z.string())),
  accepted: z.array(z.tuple([z.string(), Args])),
})

/** A printed value that a tool refused. */
interface Refused {
  readonly kind: string
  readonly value: string
  readonly call: Call
  readonly error: string
}

interface RoundTrip {
  /** Number of values tried, summed over all parameters. */
  readonly tried: number
  readonly refused: readonly Refused[]
  /** Kinds that were never printed, so `round-trips.jsonl` does not match the results. */
  readonly missing: readonly string[]
}

/** Passes printed values, at most `most` of each kind, to every parameter that takes such values. */
export async function tryRoundTrips(server: ServerName, most = Infinity): Promise<RoundTrip> {
  await using world = await openWorld(server)
  const refused: Refused[] = []
  const missing: string[] = []
  let tried = 0
  const kinds = parseLines(path.join(import.meta.dirname, 'round-trips.jsonl')).map((line) => PrintedKind.parse(line))
  for (const { kind, printed, accepted } of kinds.filter((each) => each.server === server)) {
    const values = await valuesOf(world, printed)
    if (values.size === 0) missing.push(kind)
    for (const value of [...values].slice(0, most)) {
      for (const [tool, args] of accepted) {
        const made = { tool, args: Args.parse(JSON.parse(JSON.stringify(args), (_, part: unknown) => withValue(part, value))) }
        const reply = await world.call(made)
        tried += 1
        // A call refused as forbidden was understood.
        if (reply.kind !== 'result' && reply.error['code'] !== 'forbidden')
          refused.push({ kind, value, call: made, error: JSON.stringify(reply.error) })
        if (world.isChanged()) await world.reset()
      }
    }
  }
  return { tried, refused, missing }
}

/** Fills in a value; `$team` stands for the team in an issue's identifier. */
const withValue = (part: unknown, value: string) => (part === '$value' ? value : part === '$team' ? value.replace(/-.*/, '') : part)

async function valuesOf(world: World, printed: z.infer<typeof PrintedKind>['printed']): Promise<ReadonlySet<string>> {
  const values = new Set<string>()
  for (const [tool, args, ...places] of printed) {
    const reply = await world.call({ tool, args })
    if (reply.kind !== 'result') throw new Error(`${tool} failed: ${JSON.stringify(reply.error)}`)
    for (const place of places) for (const value of valuesAt(reply.data, place.split('.'))) values.add(value)
  }
  return values
}

function valuesAt(value: unknown, [first, ...rest]: readonly string[]): string[] {
  if (value === undefined || value === null) return []
  if (first === undefined) return nameOf(value)
  if (first !== '*') return valuesAt(member(value, first), rest)
  return Array.isArray(value) ? value.flatMap((item: unknown) => valuesAt(item, rest)) : []
}

/** The value itself, or an object's name, except for label groups, which no issue has. */
function nameOf(value: unknown): string[] {
  if (!isObject(value)) return typeof value === 'string' || typeof value === 'number' ? [String(value)] : []
  if (value['is_group'] === true) return []
  return [value['identifier'] ?? value['name'] ?? value['number'] ?? value['key']].filter((name) => name !== undefined).map(String)
}
