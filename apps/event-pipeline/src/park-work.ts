import { type Secret, Unauthenticated } from '@mcp-toolkits/core'
import { systemClock } from '@mcp-toolkits/core/clock'
import { count } from '@mcp-toolkits/core/text'
import type { Settings } from '@mcp-toolkits/server'
import type { SharedStore } from '@mcp-toolkits/store/postgres'
import { connect } from './connect.ts'
import { isSameDestination, type OutboxStore } from './outbox/outbox-store.ts'
import { hasOutbox, withKey } from './upstream.ts'

/** How often to look for entries that are open, and the wait before another look, in milliseconds. */
const maxLooks = 20
const lookMs = 500

/** Parks the events that wait to be sent with a key. Resolves with what the operator should know of them, if there are any. */
export async function parkWork(settings: Settings, key: Secret, shared?: SharedStore): Promise<string | undefined> {
  if (!shared && !hasOutbox(settings)) return undefined
  const { context, close } = await connect(withKey(settings, key), { ...(shared && { shared }) })
  const { store, destination } = context
  try {
    const openEntries = async () =>
      (await store.undelivered()).filter((entry) => entry.state === 'open' && isSameDestination(entry.destination, destination))
    let parked = 0
    // One that a server is sending at the moment may come back.
    for (let look = 1; look <= maxLooks; look += 1) {
      const entries = await openEntries()
      for (const { id } of entries) if (await park(store, id)) parked += 1
      if (entries.length === 0) break
      if (look > 1) await systemClock.sleep(lookMs)
    }
    const left = (await openEntries()).length
    if (parked + left === 0) return undefined
    const rest = left === 0 ? '' : ` ${count(left, 'event')} could not be parked, because a server is sending them.`
    return `${count(parked, 'event')} that waited for their key will not be sent: \`outbox list\` shows them, and \`outbox drop\` deletes them.${rest}`
  } finally {
    await close()
  }
}

async function park(store: OutboxStore, id: number): Promise<boolean> {
  await store.retry([id])
  if (!(await store.claim(id, 'operator'))) return false
  const reason = new Unauthenticated('The person whose key it was has been forgotten.')
  return (await store.recordFailure(id, reason, () => ({ state: 'parked', reason: 'unauthenticated' }))) !== undefined
}
