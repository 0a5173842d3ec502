import path from 'node:path'
import { readSeedFolder } from '@mcp-toolkits/emulator/seed-file'
import { type PipelinesSeed, pipelinesSeedSchema } from './schema.ts'

/** A few weeks at a company launching a product, calls that are dropped or hard to show, or no calls. */
export type PipelinesSeedName = 'company' | 'edge-cases' | 'empty'

const known = new Map<PipelinesSeedName, PipelinesSeed>()

/** The seed in the folder with this name. A bundle replaces this module with the seeds' contents (`scripts/bundle/seeds.ts`). */
export function builtInSeed(name: PipelinesSeedName): PipelinesSeed {
  const seed = known.get(name) ?? readSeedFolder(path.join(import.meta.dirname, '..', '..', 'seeds', name), pipelinesSeedSchema)
  known.set(name, seed)
  return seed
}
