import { expect, test } from 'vitest'
import { tryRoundTrips } from '../benchmarks/agents/round-trip.ts'
import { listCeilings, measureLists, measureReplies, replyCeilings } from '../benchmarks/agents/tokens.ts'

test('file-storage accepts every value that it prints', async () => {
  const { tried, refused, missing } = await tryRoundTrips('file-storage')
  expect({ refused, missing }).toEqual({ refused: [], missing: [] })
  expect(tried).toBeGreaterThan(40)
})

test('replies stay within their ceilings', async () => {
  const sizes = new Map((await measureReplies()).map(({ name, bytes }) => [name, bytes]))
  for (const [name, ceiling] of Object.entries(replyCeilings)) expect(sizes.get(name), name).toBeLessThanOrEqual(ceiling)
})

test('the lists of issue-tracker and event-pipeline stay within their ceilings', async () => {
  const sizes = new Map((await measureLists()).map(({ name, bytes }) => [name, bytes]))
  for (const name of ['issue-tracker', 'event-pipeline'] as const) expect(sizes.get(name), name).toBeLessThanOrEqual(listCeilings[name])
})
