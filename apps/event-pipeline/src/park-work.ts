import { systemClock } from '@mcp-toolkits/core/clock'
import { count } from '@mcp-toolkits/core/text'
import type { Settings } from '@mcp-toolkits/server'
import type { SharedStore } from '@mcp-toolkits/store/postgres'
import { connect } from './connect.ts'
import { isSameDestination } from './outbox/outbox-store.ts'
import { hasOutbox } from './upstream.ts'

/** How often to look for events that wait, and the wait before another look, in milliseconds. */
const maxLooks = 20
const lookMs = 500

/** Parks the events that wait for the key in the settings. Resolves with what the operator should know of them, if there are any. */
export async function parkWork(settings: Settings, shared?: SharedStore): Promise<string | undefined> {
  if (!shared && !hasOutbox(settings)) return undefined
  const { context, close } = await connect(settings, shared && { shared })
  const { store, destination } = context
  const waiting = async () =>
    (await store.undelivered()).filter((entry) => entry.state === 'open' && isSameDestination(entry.destination, destination))
  try {
    let parked = 0
    let left = await waiting()
    // One that a server is sending at the moment may come back.
    for (let look = 1; left.length > 0 && look <= maxLooks; look += 1) {
      if (look > 1) await systemClock.sleep(lookMs)
      const ids = left.map(({ id }) => id)
      parked += await store.park(ids, 'unauthenticated')
      left = await waiting()
    }
    if (parked + left.length === 0) return undefined
    const rest = left.length === 0 ? '' : ` A server is sending ${count(left.length, 'event')} with it at the moment.`
    return `${count(parked, 'event')} that waited for the key will not be sent: \`outbox list\` shows them, and \`outbox drop\` deletes them.${rest}`
  } finally {
    await close()
  }
}
