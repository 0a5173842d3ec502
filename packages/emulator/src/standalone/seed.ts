import type * as z from 'zod'
import { SeedError } from '../seeds/seed.ts'

/** The contents of a seed file as an object; the package has the schema of the file. */
export type SeedContents = Readonly<Record<string, unknown>>

/** The seed in options: the name of one, or contents, which must fit the schema. Throws `SeedError`. */
export function checkSeed<Name extends string, Seed>(seed: Name | SeedContents, schema: z.ZodType<Seed>): Name | Seed {
  if (typeof seed === 'string') return seed
  const checked = schema.safeParse(seed)
  if (checked.success) return checked.data
  const [issue] = checked.error.issues
  const place = (issue?.path ?? []).map((part) => (typeof part === 'number' ? part : String(part)))
  throw new SeedError(place, issue?.message ?? 'The seed does not fit its schema.')
}
