import type { Store } from '@mcp-toolkits/store'
import { plantActivity } from './activity.ts'
import { plantBacklog } from './backlog.ts'
import { plantPeople } from './people.ts'
import { plantPlans } from './plans.ts'
import { planting } from './planting.ts'

/** Plants the work of three teams. */
export function seedWorkspace(store: Store, now: number): void {
  const all = planting(store, now)
  plantPeople(all)
  plantPlans(all)
  plantBacklog(all)
  plantActivity(all)
}
