import { SeedError, seedText, seedTime, type Store } from '@mcp-toolkits/emulator'
import { storeEvent } from '../events.ts'
import { parseItems, processItems, publishedLimits } from '../items.ts'
import type { PipelinesSeed } from './schema.ts'

/** Requests of a seed are in no log. */
const noRequest = 0

/**
 * Stores calls as though they had been received one by one at their times, in the source `default`. What the vendor would drop is stored
 * with its reason. Throws `SeedError`.
 */
export function loadSeed(store: Store, { calls }: PipelinesSeed, now: number): void {
  const received = calls.map(({ at, ...call }, index) => {
    const receivedAt = seedTime(at, now, ['calls', index, 'at'])
    if (Date.parse(receivedAt) > now) throw new SeedError(['calls', index, 'at'], 'a call cannot have been received in the future.')
    return { call, receivedAt, index }
  })
  received.sort((one, other) => one.receivedAt.localeCompare(other.receivedAt) || one.index - other.index)
  for (const { call: fields, receivedAt, index } of received) {
    const { type, ...call } = fields
    const text = seedText(JSON.stringify({ messageId: `seed-${index + 1}`, timestamp: receivedAt, ...call }), now)
    const { items } = processItems(parseItems(type, { text, bytes: Buffer.byteLength(text) }, publishedLimits), 'ok', false)
    for (const item of items) storeEvent(store, item, { source: 'default', requestId: noRequest, receivedAt, call: null })
  }
}
