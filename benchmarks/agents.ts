// What agents get: how their mistaken calls end, what they read, and whether they find the right tool. Runs on the sources. With the names
// of parts, servers or kinds of mistakes as arguments, only those run, and failures are printed:
// `node benchmarks/agents.ts file-storage path` or `node benchmarks/agents.ts discoverability`.
import { serverNames } from './agents/cases.ts'
import { goodRank, rankWishes } from './agents/discoverability.ts'
import { mistakenCalls, replayMistakes } from './agents/mistakes.ts'
import { outcomes, type Judged } from './agents/replay.ts'
import { listAllTools } from './agents/worlds.ts'

const wanted = process.argv.slice(2).filter((name) => name !== 'agents')

/** One failure for people who correct it. */
function report({ outcome, mistake: { kind, tool, args, intent }, answer, reason = '' }: Judged): string {
  const expected = 'call' in intent ? ` ${intent.call.tool} ${JSON.stringify(intent.call.args)}` : ''
  return `- ${outcome} (${kind}): ${tool} ${JSON.stringify(args)}\n    wanted: ${intent.wanted}${expected}\n    got: ${answer}\n    ${reason}`.trimEnd()
}

async function runMistakes(names: readonly string[]) {
  const servers = serverNames.filter((name) => names.includes(name))
  const kinds = names.filter((name) => !servers.some((server) => server === name))
  const all: Judged[] = []
  for (const server of servers.length > 0 ? servers : serverNames) {
    const isWanted = ({ kind }: { readonly kind: string }) => kinds.length === 0 || kinds.includes(kind)
    const judged = await replayMistakes(server, mistakenCalls[server].filter(isWanted))
    console.log([server, ...judged.filter(({ outcome }) => outcome !== 'well').map(report)].join('\n'))
    all.push(...judged)
  }
  const count = (server: string, outcome: string) => all.filter((each) => each.server === server && each.outcome === outcome).length
  const rows = serverNames.map((server) => [server, Object.fromEntries(outcomes.map((each) => [each, count(server, each)]))] as const)
  console.table(Object.fromEntries(rows))
}

async function runDiscoverability() {
  const ranked = rankWishes(await listAllTools())
  const bad = ranked.filter(({ rank }) => rank === 0 || rank > goodRank)
  for (const { tool, wish, rank, above } of bad) console.log(`- rank ${rank} of ${tool}: "${wish}", after ${above.slice(0, 3).join(', ')}`)
  console.log(`${ranked.length - bad.length} of ${ranked.length} wishes have their tool among the first ${goodRank}.`)
}

const parts: Readonly<Record<string, () => Promise<void>>> = {
  mistakes: () => runMistakes([]),
  discoverability: runDiscoverability,
}
const named = wanted.filter((name) => Object.hasOwn(parts, name))
if (named.length < wanted.length) await runMistakes(wanted.filter((name) => !named.includes(name)))
for (const name of wanted.length > 0 ? named : Object.keys(parts)) await parts[name]?.()
