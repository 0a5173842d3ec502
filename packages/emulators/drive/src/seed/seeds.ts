import type { Store } from '@mcp-toolkits/sqlite'
import { migrations } from '../store/migrations.ts'
import { builtInSeed, type DriveSeedName } from './built-in.ts'
import { loadSeed } from './load.ts'
import type { DriveSeedData } from './schema.ts'

export type { DriveSeedName } from './built-in.ts'

/** Seeds a new drive. Throws `SeedError` for a seed that cannot be loaded. */
export function fillDrive(store: Store, seed: DriveSeedName | DriveSeedData, now: number): void {
  loadSeed(store, typeof seed === 'string' ? builtInSeed(seed) : seed, now)
}

/** The seed for an option's value: the name of a built-in one, or the path of a file. Throws `SeedError`. */
export async function readSeed(text: string): Promise<DriveSeedName | DriveSeedData> {
  if (text === 'company' || text === 'edge-cases' || text === 'empty') return text
  const [{ readSeedFile }, { driveSeedSchema }] = await Promise.all([import('@mcp-toolkits/emulator/seed-file'), import('./schema.ts')])
  return readSeedFile(text, { schema: driveSeedSchema, migrations, load: loadSeed })
}
