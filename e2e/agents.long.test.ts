import path from 'node:path'
import { expect, test } from 'vitest'
import { serverNames } from '../lab/benchmarks/agents/cases.ts'
import { goodRank, rankWishes } from '../lab/benchmarks/agents/discoverability.ts'
import { mistakenCalls, replayMistakes } from '../lab/benchmarks/agents/mistakes.ts'
import { tryRoundTrips } from '../lab/benchmarks/agents/round-trip.ts'
import { listCeilings, measureLists, measureReplies, replyCeilings } from '../lab/benchmarks/agents/tokens.ts'
import { listAllTools } from '../lab/benchmarks/agents/worlds.ts'
import { isCI } from '../packages/testing/src/runs.ts'
import { inspectorEnvironment, inspectorMain } from './clients.ts'
import { runNode, temporaryDirectory } from './command.ts'

test('file-storage accepts every value that it prints', async () => {
  const { tried, refused, missing } = await tryRoundTrips('file-storage')
  expect({ refused, missing }).toEqual({ refused: [], missing: [] })
  expect(tried).toBeGreaterThan(40)
})

test.runIf(isCI)('issue-tracker accepts every value that it prints', { timeout: 300_000 }, async () => {
  const { tried, refused, missing } = await tryRoundTrips('issue-tracker')
  expect({ refused, missing }).toEqual({ refused: [], missing: [] })
  expect(tried).toBeGreaterThan(470)
})

/** The servers whose mistaken calls are judged, and how many there are at least. */
const judgedServers = [
  ['issue-tracker', 900],
  ['event-pipeline', 400],
  ['file-storage', 450],
] as const

test.runIf(isCI).for(judgedServers)(
  'mistaken calls to %s end well, and none elsewhere than meant',
  { timeout: 600_000 },
  async ([server, least]) => {
    const calls = mistakenCalls[server]
    const judged = await replayMistakes(server, calls)
    const ended = (...outcomes: readonly string[]) =>
      judged.filter(({ outcome }) => outcomes.includes(outcome)).map(({ mistake: { tool, args }, answer }) => ({ tool, args, answer }))
    expect(ended('misled', 'silent', 'crash')).toEqual([])
    expect(calls.length).toBeGreaterThan(least)
    expect(ended('well').length / calls.length).toBeGreaterThanOrEqual(0.97)
  },
)

test('replies stay within their ceilings', async () => {
  const sizes = new Map((await measureReplies()).map(({ name, bytes }) => [name, bytes]))
  for (const [name, ceiling] of Object.entries(replyCeilings)) expect(sizes.get(name), name).toBeLessThanOrEqual(ceiling)
})

test('the lists of tools stay within their ceilings', async () => {
  const sizes = new Map((await measureLists()).map(({ name, bytes }) => [name, bytes]))
  for (const name of serverNames) expect(sizes.get(name), name).toBeLessThanOrEqual(listCeilings[name])
})

test('a search for a wish finds its tool', async () => {
  const ranked = rankWishes(await listAllTools())
  const found = ranked.filter(({ rank }) => rank <= goodRank)
  expect(ranked.length).toBeGreaterThan(200)
  expect(found.length / ranked.length).toBeGreaterThanOrEqual(0.95)
})

test.for(serverNames)('the Inspector has no error and no warning about the tools of %s', async (name) => {
  const main = path.join(import.meta.dirname, '..', 'apps', name, 'dist', 'main.js')
  const args = [inspectorMain, '--cli', process.execPath, main, '--method', 'tools/list', '--strict', '--format', 'json']
  const { code, errors } = await runNode(args, { environment: inspectorEnvironment(await temporaryDirectory()) })
  expect(code, errors).toBe(0)
  expect(errors).not.toMatch(/^(?:Error|Warning): tool/m)
})
