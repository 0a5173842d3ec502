import { systemClock } from '@mcp-toolkits/core/clock'
import { storageFailure } from '@mcp-toolkits/core/system-error'
import { count } from '@mcp-toolkits/core/text'
import type { Settings } from '@mcp-toolkits/server'
import { openOutboxStore } from './outbox/open-outbox-store.ts'
import { hasOutbox, outboxFile } from './upstream.ts'

/** The events in the data directory that a server with another outbox does not send. */
export async function unsentEvents(settings: Settings): Promise<readonly string[]> {
  if (!hasOutbox(settings)) return []
  const file = outboxFile(settings)
  const setAside: string[] = []
  try {
    const store = await openOutboxStore({ file, clock: systemClock, onSetAside: (moved) => setAside.push(moved) })
    const entries = await store.undelivered()
    await store.close()
    const unsent = `${count(entries.length, 'body', 'bodies')} in ${file}. A server with --store does not send them: send them first with a server without it, or drop them.`
    return [
      ...(entries.length > 0 ? [`Unsent: ${unsent}`] : []),
      ...setAside.map((moved) => `The outbox was damaged; what was in it is in ${moved}.`),
    ]
  } catch (error) {
    const failure = storageFailure(error)
    if (!failure) throw error
    return [`Whether ${file} holds unsent events is not known: ${failure.message}`]
  }
}
