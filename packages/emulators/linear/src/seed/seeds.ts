import type { Store } from '@mcp-toolkits/sqlite'
import { migrations } from '../entities.ts'
import { builtInSeed, type LinearSeedName } from './built-in.ts'
import { loadDocuments } from './load/documents.ts'
import { loadIssues, loadNotifications } from './load/issues.ts'
import { createLoader } from './load/loader.ts'
import { loadPeople, indexTeams } from './load/people.ts'
import { loadPlans } from './load/plans.ts'
import { loadRecords } from './load/records.ts'
import type { LinearSeed } from './schema.ts'
import { seedProjectStatuses, seedWith } from './seed-rows.ts'

export type { LinearSeedName } from './built-in.ts'

/** Seeds a new workspace. Throws `SeedError` for a seed that cannot be loaded. */
export function fillWorkspace(store: Store, seed: LinearSeedName | LinearSeed, now: number): void {
  loadSeed(store, typeof seed === 'string' ? builtInSeed(seed) : seed, now)
}

/** The seed for an option's value: the name of a built-in one, or the path of a file. Throws `SeedError`. */
export async function readSeed(text: string): Promise<LinearSeedName | LinearSeed> {
  if (text === 'company' || text === 'edge-cases' || text === 'empty') return text
  const [{ readSeedFile }, { linearSeedSchema }] = await Promise.all([import('@mcp-toolkits/emulator/seed-file'), import('./schema.ts')])
  return readSeedFile(text, { schema: linearSeedSchema, migrations, load: loadSeed })
}

/** Seeds an empty workspace. Ids depend only on names, times on `now`. Throws `SeedError` with the path of a part that cannot be loaded. */
function loadSeed(store: Store, seed: LinearSeed, now: number): void {
  seedWith(store, now, (seeder) => {
    const loader = createLoader(seeder, now)
    const { organization } = seed
    loader.add('Organization', organization, { daysAgo: 400, name: organization, urlKey: 'lodestar' })
    seedProjectStatuses(loader)
    loadPeople(loader, seed)
    loadPlans(loader, seed)
    loadIssues(loader, seed, indexTeams(seed))
    loadDocuments(loader, seed)
    loadNotifications(loader, seed)
    loadRecords(loader, seed)
  })
}
