import { expect, test } from 'vitest'
import { serverNames } from '../benchmarks/agents/cases.ts'
import { tryRoundTrips } from '../benchmarks/agents/round-trip.ts'
import { listCeilings, measureLists, measureReplies, replyCeilings } from '../benchmarks/agents/tokens.ts'

test.for(serverNames)('%s accepts every value that it prints', async (server) => {
  const { tried, refused, missing } = await tryRoundTrips(server)
  expect({ refused, missing }).toEqual({ refused: [], missing: [] })
  if (server !== 'event-pipeline') expect(tried).toBeGreaterThan(40)
})

test('keeps replies within their ceilings', async () => {
  const sizes = new Map((await measureReplies()).map(({ name, bytes }) => [name, bytes]))
  for (const [name, ceiling] of Object.entries(replyCeilings)) expect(sizes.get(name), name).toBeLessThanOrEqual(ceiling)
})

test('keeps the lists of tools within their ceilings', async () => {
  const sizes = await measureLists()
  for (const { name, bytes } of sizes) expect(bytes, name).toBeLessThanOrEqual(new Map(Object.entries(listCeilings)).get(name) ?? 0)
})
