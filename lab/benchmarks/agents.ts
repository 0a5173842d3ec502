// What agents get: how their mistaken calls end, whether what is printed is accepted, how much they read, and whether they find the right
// tool. Runs on the sources. A run of everything is written to agents.json. With the names of parts, servers or kinds of mistakes as
// arguments, only those run: `node lab/benchmarks/agents.ts file-storage path` or `node lab/benchmarks/agents.ts discoverability`.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { serverNames, type ServerName } from './agents/cases.ts'
import { goodRank, rankWishes } from './agents/discoverability.ts'
import { mistakenCalls, replayMistakes } from './agents/mistakes.ts'
import { outcomes, type Judged } from './agents/replay.ts'
import { tryRoundTrips } from './agents/round-trip.ts'
import { measureJobs, measureLists, measureReplies } from './agents/tokens.ts'
import { listAllTools } from './agents/worlds.ts'

/** One failure for people who correct it. */
function report({ outcome, mistake: { kind, tool, args, intent }, answer, reason = '' }: Judged): string {
  const expected = 'call' in intent ? ` ${intent.call.tool} ${JSON.stringify(intent.call.args)}` : ''
  return `- ${outcome} (${kind}): ${tool} ${JSON.stringify(args)}\n    wanted: ${intent.wanted}${expected}\n    got: ${answer}\n    ${reason}`.trimEnd()
}

async function runMistakes(servers: readonly ServerName[], kinds: readonly string[]) {
  const rows = []
  for (const server of servers) {
    const judged = await replayMistakes(
      server,
      mistakenCalls[server].filter(({ kind }) => kinds.length === 0 || kinds.includes(kind)),
    )
    console.log([server, ...judged.filter(({ outcome }) => outcome !== 'well').map(report)].join('\n'))
    const counts = outcomes.map((outcome) => [outcome, judged.filter((each) => each.outcome === outcome).length] as const)
    rows.push({ server, calls: judged.length, ...Object.fromEntries(counts) })
  }
  console.table(rows)
  return rows
}

async function runRoundTrips() {
  const rows = []
  for (const server of serverNames) {
    const { tried, refused, missing } = await tryRoundTrips(server)
    for (const { kind, value, call, error } of refused) console.log(`- ${kind} "${value}" is refused by ${call.tool}: ${error}`)
    if (missing.length > 0) console.log(`- nothing is printed of: ${missing.join(', ')}`)
    rows.push({ server, tried, accepted: tried - refused.length })
  }
  console.table(rows)
  return rows
}

async function runTokens() {
  const sizes = { lists: await measureLists(), replies: await measureReplies(), jobs: await measureJobs() }
  for (const rows of Object.values(sizes)) console.table(rows)
  return sizes
}

async function runDiscoverability() {
  const ranked = rankWishes(await listAllTools())
  const bad = ranked.filter(({ rank }) => rank > goodRank)
  for (const { tool, wish, rank, above } of bad) console.log(`- rank ${rank} of ${tool}: "${wish}", after ${above.slice(0, 3).join(', ')}`)
  console.log(`${ranked.length - bad.length} of ${ranked.length} wishes have their tool among the first ${goodRank}.`)
  return { wishes: ranked.length, first: ranked.filter(({ rank }) => rank === 1).length, good: ranked.length - bad.length }
}

const parts = { round_trips: runRoundTrips, tokens: runTokens, discoverability: runDiscoverability }
const wanted = process.argv.slice(2).filter((name) => name !== 'agents')
if (wanted.length === 0) {
  const results = {
    mistakes: await runMistakes(serverNames, []),
    round_trips: await runRoundTrips(),
    tokens: await runTokens(),
    discoverability: await runDiscoverability(),
  }
  writeFileSync(path.join(import.meta.dirname, 'agents.json'), `${JSON.stringify(results, null, 2)}\n`)
} else {
  const servers = serverNames.filter((name) => wanted.includes(name))
  const kinds = wanted.filter((name) => !serverNames.some((server) => server === name) && !Object.hasOwn(parts, name))
  if (servers.length + kinds.length > 0) await runMistakes(servers.length > 0 ? servers : serverNames, kinds)
  for (const [name, run] of Object.entries(parts)) if (wanted.includes(name)) await run()
}
