import { expect, test } from 'vitest'
import { casesOf } from './cases.ts'
import { goodRank, rankWishes } from './discoverability.ts'
import { replay } from './replay.ts'
import { tryRoundTrips } from './round-trip.ts'
import { measureReplies, replyCeilings } from './tokens.ts'
import { listAllTools } from './worlds.ts'
import { isCI, isFull, shareOf } from '../../../packages/testing/src/runs.ts'

test('file-storage accepts every value that it prints', async () => {
  const { tried, refused, missing } = await tryRoundTrips('file-storage')
  expect({ refused, missing }).toEqual({ refused: [], missing: [] })
  expect(tried).toBeGreaterThan(40)
})

test.runIf(isCI)('issue-tracker accepts every value that it prints', { timeout: 300_000 }, async () => {
  const { tried, refused, missing } = await tryRoundTrips('issue-tracker', isFull ? Infinity : 1)
  expect({ refused, missing }).toEqual({ refused: [], missing: [] })
  expect(tried).toBeGreaterThan(isFull ? 470 : 40)
})

/** The servers whose mistaken calls are judged, and the minimum number of such calls. */
const judgedServers = [
  ['issue-tracker', 900],
  ['event-pipeline', 400],
  ['file-storage', 450],
] as const

test.runIf(isCI).for(judgedServers)(
  'mistaken calls to %s end well, and none elsewhere than meant',
  { timeout: 600_000 },
  async ([server, least]) => {
    const all = casesOf(server)
    const calls = shareOf(all, 12, 0)
    const judged = await replay(server, calls)
    const ended = (...outcomes: readonly string[]) =>
      judged.filter(({ outcome }) => outcomes.includes(outcome)).map(({ mistake: { tool, args }, answer }) => ({ tool, args, answer }))
    expect(ended('misled', 'silent', 'crash')).toEqual([])
    expect(all.length).toBeGreaterThan(least)
    expect(ended('well').length / calls.length).toBeGreaterThanOrEqual(isFull ? 0.97 : 0.9)
  },
)

test('replies stay within their ceilings', async () => {
  const sizes = new Map((await measureReplies()).map(({ name, bytes }) => [name, bytes]))
  for (const [name, ceiling] of Object.entries(replyCeilings)) expect(sizes.get(name), name).toBeLessThanOrEqual(ceiling)
})

test('a search for a wish finds its tool', async () => {
  const ranked = rankWishes(await listAllTools())
  const found = ranked.filter(({ rank }) => rank <= goodRank)
  expect(ranked.length).toBeGreaterThan(200)
  expect(found.length / ranked.length).toBeGreaterThanOrEqual(0.95)
})
