// Benchmark of the replies that agents get: the outcome of mistaken calls, calls made from printed values, the bytes that agents read, and
// the rank of the right tool. Runs on the sources. Only a full run is written. `--sections` takes names of parts, servers and kinds of
// mistakes: `mistakes`, `round-trips`, `tokens`, `wishes`, `issue-tracker`, `date`. `--cases=FILE` replays other calls to the server that
// the file names.
import { type BenchOptions, failFor, publish } from '../bench.ts'
import { casesOf, serverNames, type ServerName } from './cases.ts'
import { goodRank, rankWishes } from './discoverability.ts'
import { replay, type Judged, type Outcome } from './replay.ts'
import { report } from './report.ts'
import { tryRoundTrips } from './round-trip.ts'
import { measureJobs, measureLists, measureReplies } from './tokens.ts'
import { listAllTools } from './worlds.ts'

/** One failure, described for those who fix it. */
function describe({ outcome, mistake: { kind, tool, args, intent }, answer, reason = '' }: Judged): string {
  const expected = 'call' in intent ? ` ${intent.call.tool} ${JSON.stringify(intent.call.args)}` : ''
  return `- ${outcome} (${kind}): ${tool} ${JSON.stringify(args)}\n    wanted: ${intent.wanted}${expected}\n    got: ${answer}\n    ${reason}`.trimEnd()
}

async function runMistakes(servers: readonly ServerName[], kinds: readonly string[], file?: string) {
  const rows = []
  for (const server of servers) {
    const calls = casesOf(server, file).filter(({ kind }) => kinds.length === 0 || kinds.includes(kind))
    const judged = await replay(server, calls)
    console.log([server, ...judged.filter(({ outcome }) => outcome !== 'well').map(describe)].join('\n'))
    const count = (wanted: Outcome) => judged.filter(({ outcome }) => outcome === wanted).length
    const [well, hint, misled, silent, crash] = [count('well'), count('hint'), count('misled'), count('silent'), count('crash')]
    rows.push({ server, calls: judged.length, well, hint, 'dead end': count('dead end'), misled, silent, crash })
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

async function runWishes() {
  const ranked = rankWishes(await listAllTools())
  const bad = ranked.filter(({ rank }) => rank > goodRank)
  for (const { tool, wish, rank, above } of bad) console.log(`- rank ${rank} of ${tool}: "${wish}", after ${above.slice(0, 3).join(', ')}`)
  console.log(`${ranked.length - bad.length} of ${ranked.length} wishes have their tool among the first ${goodRank}.`)
  return { wishes: ranked.length, first: ranked.filter(({ rank }) => rank === 1).length, good: ranked.length - bad.length }
}

export async function run({ sections, cases }: BenchOptions): Promise<void> {
  const parts: Readonly<Record<string, () => Promise<unknown>>> = {
    ...{ 'round-trips': runRoundTrips, tokens: runTokens, wishes: runWishes },
  }
  const servers = serverNames.filter((name) => sections.includes(name))
  const words = sections.filter((word) => !serverNames.some((server) => server === word) && !Object.hasOwn(parts, word))
  const known = new Set(serverNames.flatMap((server) => casesOf(server, cases).map(({ kind }) => kind)))
  const foreign = words.filter((word) => word !== 'mistakes' && !known.has(word))
  if (foreign.length > 0) {
    failFor([`agents has no part, server or kind of mistakes "${foreign.join(', ')}". Kinds: ${[...known].join(', ')}.`])
  } else if (cases !== undefined && servers.length !== 1) failFor(['--cases needs one server in --sections.'])
  else if (sections.length > 0) {
    const kinds = words.filter((word) => word !== 'mistakes')
    if (servers.length + words.length > 0) await runMistakes(servers.length > 0 ? servers : serverNames, kinds, cases)
    for (const [name, runPart] of Object.entries(parts)) if (sections.includes(name)) await runPart()
  } else {
    const mistakes = await runMistakes(serverNames, [])
    const results = { mistakes, round_trips: await runRoundTrips(), tokens: await runTokens(), discoverability: await runWishes() }
    publish(import.meta.dirname, results, report(results))
  }
}
