import type { Store } from '@mcp-toolkits/store'
import { seedProjectStatuses } from '../empty.ts'
import type { LinearSeed } from '../schema.ts'
import { loadIssues } from './issues.ts'
import { createLoader } from './loader.ts'
import { loadNotifications } from './notifications.ts'
import { loadPeople } from './people.ts'
import { loadPlans } from './plans.ts'
import { rostersOf } from './rosters.ts'

/** Fills an empty workspace. Ids depend only on names, times on `now`. Throws `SeedError` with the path of what cannot be loaded. */
export function loadSeed(store: Store, seed: LinearSeed, now: number): void {
  const loader = createLoader(store, now)
  const { organization } = seed
  loader.add('Organization', organization, { daysAgo: 400, name: organization, urlKey: 'lodestar' })
  seedProjectStatuses(loader)
  loadPeople(loader, seed)
  loadPlans(loader, seed)
  loadIssues(loader, seed, rostersOf(seed))
  loadNotifications(loader, seed)
}
