import type { Store } from '@mcp-toolkits/sqlite'
import { migrations } from '../store/migrations.ts'
import { company } from './company/company.ts'
import { seedEdgeCases } from './edge-cases.ts'
import { seedEmpty } from './empty.ts'
import { loadSeed } from './load.ts'
import type { DriveSeedData } from './schema.ts'

/** The files of a company that launches a product, names that are hard to tell apart or to write, or none. */
export type DriveSeedName = 'company' | 'edge-cases' | 'empty'

/** Fills a new drive. Throws `SeedError` for a seed that cannot be loaded. */
export function fillDrive(store: Store, seed: DriveSeedName | DriveSeedData, now: number): void {
  if (typeof seed === 'object') {
    loadSeed(store, seed, now)
    return
  }
  if (seed === 'company') {
    loadSeed(store, company, now)
    return
  }
  seedEmpty(store, now)
  if (seed === 'edge-cases') seedEdgeCases(store, now)
}

/** The seed that a text names, such as the value of an option: one of the built-in ones, or the path of a file. Throws `SeedError`. */
export async function readSeed(text: string): Promise<DriveSeedName | DriveSeedData> {
  if (text === 'company' || text === 'edge-cases' || text === 'empty') return text
  const [{ readSeedFile }, { driveSeedSchema }] = await Promise.all([import('@mcp-toolkits/emulator/seed-file'), import('./schema.ts')])
  return readSeedFile(text, { schema: driveSeedSchema, migrations, load: loadSeed })
}
