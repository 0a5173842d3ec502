import type { Store } from '@mcp-toolkits/store'
import { integer } from '@mcp-toolkits/store'
import { idOf } from '../ids.ts'
import { firstTeamId, viewerId } from './empty.ts'
import { planting } from './planting.ts'

/** Adds issues to the first team in one transaction, a minute apart, the last one now. */
export function addIssues(store: Store, { count, now }: { count: number; now: number }): void {
  const { plant } = planting(store, now)
  store.write(() => {
    const sql = 'select coalesce(max(number), 0) as last from issues where teamId = :teamId'
    const last = store.rows({ last: integer }, sql, { teamId: firstTeamId })[0]?.last ?? 0
    for (let added = 1; added <= count; added += 1) {
      const number = last + added
      plant('Issue', `ENG-${number}`, {
        daysAgo: (count - added) / 1440,
        teamId: firstTeamId,
        number,
        identifier: `ENG-${number}`,
        title: `Issue ${number} of many`,
        description: `What there is to say about number ${number}.`,
        priority: number % 5,
        stateId: idOf('WorkflowState ENG Backlog'),
        creatorId: viewerId,
        sortOrder: -number,
      })
    }
  })
}
