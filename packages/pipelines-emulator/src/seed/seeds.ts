import type { Store } from '@mcp-toolkits/store'
import { migrations } from '../events.ts'
import { companyCalls } from './company/company.ts'
import { edgeCases } from './edge-cases.ts'
import { loadSeed } from './load.ts'
import type { PipelinesSeed } from './schema.ts'

/** A few weeks of a company that launches a product, calls that are dropped or hard to show, or none. */
export type PipelinesSeedName = 'company' | 'edge-cases' | 'empty'

const builtIn: Readonly<Record<PipelinesSeedName, () => PipelinesSeed>> = {
  company: () => ({ calls: companyCalls() }),
  'edge-cases': () => edgeCases,
  empty: () => ({ calls: [] }),
}

/** Fills a new database. Throws `SeedError` for a seed that cannot be loaded. */
export function fillEvents(store: Store, seed: PipelinesSeedName | PipelinesSeed, now: number): void {
  loadSeed(store, typeof seed === 'string' ? builtIn[seed]() : seed, now)
}

/** The seed that a text names, such as the value of an option: one of the built-in ones, or the path of a file. Throws `SeedError`. */
export async function readSeed(text: string): Promise<PipelinesSeedName | PipelinesSeed> {
  if (text === 'company' || text === 'edge-cases' || text === 'empty') return text
  const [{ readSeedFile }, { pipelinesSeedSchema }] = await Promise.all([import('@mcp-toolkits/emulator/seed-file'), import('./schema.ts')])
  return readSeedFile(text, { schema: pipelinesSeedSchema, migrations, load: loadSeed })
}
