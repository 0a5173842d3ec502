import type { Settings } from '@mcp-toolkits/server'
import { connect } from './connect.ts'
import { strandedText } from './outbox/adoption.ts'
import { hasOutbox } from './upstream.ts'

/** The events in the data directory that were stored under another key than the one in use. */
export async function strandedEvents(settings: Settings): Promise<string | undefined> {
  if (!hasOutbox(settings)) return undefined
  const { context, close } = await connect(settings)
  try {
    return await strandedText(context.store, context.destination)
  } finally {
    await close()
  }
}
