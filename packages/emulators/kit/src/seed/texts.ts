import type * as z from 'zod'

/**
 * A time in a seed: a number of days ago (negative numbers are in the future), or an ISO 8601 time, in which `{{date 9}}` means the date
 * nine days ago.
 */
export type SeedTime = number | string

/** Place in a seed: `['issues', 3, 'state']`. */
export type SeedPath = readonly (string | number)[]

/**
 * A seed that cannot be used; `message` is a complete sentence for people. It has the shape of a `StoreError`, because it blocks a call
 * just as a damaged database does.
 */
export class SeedError extends Error {
  override readonly name = 'SeedError'
  readonly code = 'ERR_STORE'
  readonly problem = 'seed'
  readonly path: SeedPath

  constructor(path: SeedPath, message: string) {
    super(path.length === 0 ? message : `${formatPath(path)}: ${message}`)
    this.path = path
  }
}

/** A path as people write it: `issues[3].state`. */
export const formatPath = (path: SeedPath): string =>
  path.map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${part}`)).join('')

const dayMs = 86_400_000

/** A seed's time in the tables' format. `path` is its place in the seed. Throws `SeedError`. */
export function seedTime(time: SeedTime, now: number, path: SeedPath): string {
  const date = new Date(typeof time === 'number' ? Math.round(now - time * dayMs) : seedText(time, now))
  if (Number.isNaN(date.getTime()))
    throw new SeedError(path, `${JSON.stringify(time)} is neither a number of days ago nor a time in ISO 8601.`)
  return date.toISOString()
}

const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December']

/**
 * A seed's text with its dates filled in: `{{day -21}}` becomes `14 December 2026`, and `{{date -21}}` becomes `2026-12-14`. `{{repeat 3
 * ab}}` becomes `ababab`.
 */
export function seedText(text: string, now: number): string {
  if (!text.includes('{{')) return text
  const filled = text.replaceAll(/\{\{repeat (\d{1,6}) ([^{}]{1,100})\}\}/g, (_all, times: string, part: string) =>
    part.repeat(Number(times)),
  )
  return filled.replaceAll(/\{\{(day|date) (-?\d{1,5})\}\}/g, (_all, form: string, days: string) => {
    const date = new Date(now - Number(days) * dayMs)
    if (form === 'date') return date.toISOString().slice(0, 10)
    return `${date.getUTCDate()} ${months[date.getUTCMonth()] ?? ''} ${date.getUTCFullYear()}`
  })
}

/** Ids by name, for one kind of record in a seed. */
export interface SeedNames {
  /** Adds a name, which must be new, and returns its id. */
  readonly add: (name: string, id: string, path: SeedPath) => string
  readonly has: (name: string) => boolean
  /** The id for a name. Throws `SeedError` for a name that is not in the seed. */
  readonly get: (name: string, path: SeedPath) => string
}

/** `kind` is a singular noun: `project`. */
export function createSeedNames(kind: string): SeedNames {
  const ids = new Map<string, string>()
  return {
    add(name, id, path) {
      if (ids.has(name)) throw new SeedError(path, `there is more than one ${kind} called ${JSON.stringify(name)}.`)
      ids.set(name, id)
      return id
    },
    has: (name) => ids.has(name),
    get(name, path) {
      const id = ids.get(name)
      if (id === undefined) throw new SeedError(path, `there is no ${kind} called ${JSON.stringify(name)} in this seed.`)
      return id
    },
  }
}

/** A seed file's contents as an object; the package contains the file's schema. */
export type SeedContents = Readonly<Record<string, unknown>>

/** The seed in options: a name, or contents, which must match the schema. Throws `SeedError`. */
export function checkSeed<Name extends string, Seed>(seed: Name | SeedContents, schema: z.ZodType<Seed>): Name | Seed {
  if (typeof seed === 'string') return seed
  const checked = schema.safeParse(seed)
  if (checked.success) return checked.data
  const [issue] = checked.error.issues
  const place = (issue?.path ?? []).map((part) => (typeof part === 'number' ? part : String(part)))
  throw new SeedError(place, issue?.message ?? 'The seed does not fit its schema.')
}
