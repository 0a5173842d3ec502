import type { Store } from '@mcp-toolkits/sqlite'
import { migrations } from '../entities.ts'
import { company } from './company/company.ts'
import { seedEdgeCases } from './edge-cases/edge-cases.ts'
import { loadIssues, loadNotifications } from './load/issues.ts'
import { createLoader } from './load/loader.ts'
import { loadPeople, indexTeams } from './load/people.ts'
import { loadPlans } from './load/plans.ts'
import type { LinearSeed } from './schema.ts'
import { seedEmpty, seedProjectStatuses } from './seeder.ts'

/** A company that launches a product, names that are hard to tell apart or to write, or one team without issues. */
export type LinearSeedName = 'company' | 'edge-cases' | 'empty'

/** Fills a new workspace. Throws `SeedError` for a seed that cannot be loaded. */
export function fillWorkspace(store: Store, seed: LinearSeedName | LinearSeed, now: number): void {
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
export async function readSeed(text: string): Promise<LinearSeedName | LinearSeed> {
  if (text === 'company' || text === 'edge-cases' || text === 'empty') return text
  const [{ readSeedFile }, { linearSeedSchema }] = await Promise.all([import('@mcp-toolkits/emulator/seed-file'), import('./schema.ts')])
  return readSeedFile(text, { schema: linearSeedSchema, migrations, load: loadSeed })
}

/** Fills an empty workspace. Ids depend only on names, times on `now`. Throws `SeedError` with the path of a part that cannot be loaded. */
function loadSeed(store: Store, seed: LinearSeed, now: number): void {
  const loader = createLoader(store, now)
  const { organization } = seed
  loader.add('Organization', organization, { daysAgo: 400, name: organization, urlKey: 'lodestar' })
  seedProjectStatuses(loader)
  loadPeople(loader, seed)
  loadPlans(loader, seed)
  loadIssues(loader, seed, indexTeams(seed))
  loadNotifications(loader, seed)
}
