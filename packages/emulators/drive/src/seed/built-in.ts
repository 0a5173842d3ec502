import path from 'node:path'
import { readSeedFolder } from '@mcp-toolkits/emulator/seed-file'
import { type DriveSeedData, driveSeedSchema } from './schema.ts'

/** The files of a company launching a product, files with names that are hard to tell apart or to write, or no files. */
export type DriveSeedName = 'company' | 'edge-cases' | 'empty'

const known = new Map<DriveSeedName, DriveSeedData>()

/** The seed in the folder with this name. A bundle replaces this module with the seeds' contents (`scripts/bundle/seeds.ts`). */
export function builtInSeed(name: DriveSeedName): DriveSeedData {
  const seed = known.get(name) ?? readSeedFolder(path.join(import.meta.dirname, '..', '..', 'seeds', name), driveSeedSchema)
  known.set(name, seed)
  return seed
}
