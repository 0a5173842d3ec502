import path from 'node:path'
import { readSeedFolder } from '@mcp-toolkits/emulator/seed-file'
import { type LinearSeed, linearSeedSchema } from './schema.ts'

/** A company launching a product, names that are hard to tell apart or to write, or one team without issues. */
export type LinearSeedName = 'company' | 'edge-cases' | 'empty'

const known = new Map<LinearSeedName, LinearSeed>()

/** The seed in the folder with this name. A bundle replaces this module with the seeds' contents (`scripts/bundle/seeds.ts`). */
export function builtInSeed(name: LinearSeedName): LinearSeed {
  const seed = known.get(name) ?? readSeedFolder(path.join(import.meta.dirname, '..', '..', 'seeds', name), linearSeedSchema)
  known.set(name, seed)
  return seed
}
