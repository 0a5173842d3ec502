import type { Backlog } from '@mcp-toolkits/core/upstream'
import { integer, type RowOf } from '@mcp-toolkits/sqlite'
import { isState } from './outbox-rows.ts'

/** Number of entries in a state, and the oldest one's age in milliseconds. */
export const backlogColumns = { state: isState, entries: integer, age_ms: integer }

const states = { waiting: 'open', refused: 'refused', parked: 'parked' } as const

/** Every state except delivered, including states without entries. */
export function toBacklog(rows: readonly RowOf<typeof backlogColumns>[]): Backlog[] {
  return (['waiting', 'refused', 'parked'] as const).map((state) => {
    const row = rows.find((each) => each.state === states[state])
    return { state, entries: row?.entries ?? 0, oldestSeconds: Math.max(0, row?.age_ms ?? 0) / 1_000 }
  })
}
