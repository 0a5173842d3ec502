import type { Backlog } from '@mcp-toolkits/core/upstream'
import { integer, type RowOf, type SharedSql, text } from '@mcp-toolkits/sqlite'
import { isState } from './outbox-rows.ts'
import { destinationOf, type Tally } from './outbox-store.ts'

/** Counts each destination's undelivered entries, by owner and state. */
export async function tallyEntries(sql: SharedSql): Promise<Tally[]> {
  const grouped = 'origin, key_hash, owner, state'
  const rows = await sql.rows(
    { origin: text, key_hash: text, owner: text, state: isState, entries: integer },
    `select ${grouped}, count(*) as entries from schema.entries where state <> 'delivered' group by ${grouped}`,
  )
  return rows.map(({ owner, state, entries, ...row }) => ({ destination: destinationOf(row), owner, state, entries }))
}

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
