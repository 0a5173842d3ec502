import { systemClock } from '@mcp-toolkits/core/clock'
import { count } from '@mcp-toolkits/core/text'
import type { Settings } from '@mcp-toolkits/server'
import type { SharedStore } from '@mcp-toolkits/store/postgres'
import { type Destination, leaseName } from './outbox/outbox-store.ts'
import { openOutbox } from './outbox-handle.ts'
import { hasOutbox } from './upstream.ts'

/** Parks the events that wait for keys which a person has entered. Resolves with what the operator should know of them, if there are any. */
export async function parkEvents(settings: Settings, owner: string, shared?: SharedStore): Promise<string | undefined> {
  if (!shared && !hasOutbox(settings)) return undefined
  const { store, close } = await openOutbox(settings, { shared, log: undefined, clock: systemClock, telemetry: undefined })
  try {
    const entries = (await store.undelivered()).filter(({ destination }) => destination.account?.owner === owner)
    const destinations = new Map<string, Destination>(entries.map(({ destination }) => [leaseName(destination), destination]))
    let parked = 0
    // What a server is sending is parked by that server should it fail.
    for (const destination of destinations.values()) parked += await store.park(destination, 'person_forgotten')
    if (parked === 0) return undefined
    const [verb, them] = parked === 1 ? ['waits', 'it'] : ['wait', 'them']
    return `${count(parked, 'event')} that ${verb} for a key of this person will not be sent: \`outbox list\` shows ${them}, and \`outbox drop\` deletes ${them}.`
  } finally {
    await close()
  }
}
