import type { SeedCall } from '../schema.ts'
import { dailyUse } from './daily-use.ts'
import { guides } from './people.ts'
import { signUp } from './sign-ups.ts'
import { storyEvents } from './story.ts'

/** Five weeks of 25 guides: sign-ups, tours, the sync outage of nine days ago, tickets, upgrades and two teams' ends. */
export function companyCalls(): SeedCall[] {
  return [...guides.flatMap((guide) => [...signUp(guide), ...dailyUse(guide)]), ...storyEvents()]
}
