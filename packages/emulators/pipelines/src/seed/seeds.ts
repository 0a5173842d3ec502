import { SeedError, type SeedPath, seedText, seedTime, type Store } from '@mcp-toolkits/emulator'
import { migrations, storeFirstEvents } from '../events.ts'
import { parseItems, processItems, publishedLimits } from '../items.ts'
import { builtInSeed, type PipelinesSeedName } from './built-in.ts'
import type { PipelinesSeed, SeedCall } from './schema.ts'

export type { PipelinesSeedName } from './built-in.ts'

/** Seeds a new database. Throws `SeedError` for a seed that cannot be loaded. */
export function fillEvents(store: Store, seed: PipelinesSeedName | PipelinesSeed, now: number): void {
  loadSeed(store, typeof seed === 'string' ? builtInSeed(seed) : seed, now)
}

/** The seed for an option's value: the name of a built-in one, or the path of a file. Throws `SeedError`. */
export async function readSeed(text: string): Promise<PipelinesSeedName | PipelinesSeed> {
  if (text === 'company' || text === 'edge-cases' || text === 'empty') return text
  const [{ readSeedFile }, { pipelinesSeedSchema }] = await Promise.all([import('@mcp-toolkits/emulator/seed-file'), import('./schema.ts')])
  return readSeedFile(text, { schema: pipelinesSeedSchema, migrations, load: loadSeed })
}

/** Request id for a seed's calls, which are not in any log. */
const noRequest = 0

/**
 * Stores calls as though they had been received one by one at their times, in the `default` source. Calls that the vendor would drop are
 * stored with the reason. Throws `SeedError`.
 */
export function loadSeed(store: Store, seed: PipelinesSeed, now: number): void {
  const received = callsOf(seed).map(({ call: { at, ...call }, path }, index) => {
    const receivedAt = seedTime(at, now, [...path, 'at'])
    if (Date.parse(receivedAt) > now) throw new SeedError([...path, 'at'], 'a call cannot have been received in the future.')
    return { call, receivedAt, index }
  })
  received.sort((one, other) => one.receivedAt.localeCompare(other.receivedAt) || one.index - other.index)
  const events = received.flatMap(({ call: { type, ...call }, receivedAt, index }) => {
    const text = seedText(JSON.stringify({ messageId: `seed-${index + 1}`, timestamp: receivedAt, ...call }), now)
    const { items } = processItems(parseItems(type, { text, bytes: Buffer.byteLength(text) }, publishedLimits), 'ok', false)
    return items.map((item) => [item, { source: 'default', requestId: noRequest, receivedAt, call: null }] as const)
  })
  storeFirstEvents(store, events)
}

/** All calls, each with its place in the seed. */
function callsOf({ sessions = [], calls = [] }: PipelinesSeed): { readonly call: SeedCall; readonly path: SeedPath }[] {
  const inSessions = sessions.flatMap((session, index) =>
    session.calls.map((call, position) => ({ call: { ...session.with, ...call }, path: ['sessions', index, 'calls', position] })),
  )
  return [...inSessions, ...calls.map((call, index) => ({ call, path: ['calls', index] }))]
}
