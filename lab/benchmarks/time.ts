// Where the time of a call goes: our share beside the vendor's, and the first call of a session. Draws a flame graph of
// the tool of each server that takes us longest. `--quick` calls every tool three times and writes nothing. `--baseline=DIR` also measures first calls in turns with another checkout, which has to be built. Run after a build.
import { writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import path from 'node:path'
import { rowOf, timeCalls } from './time/calls.ts'
import { timedServers } from './time/catalog.ts'
import { commitOf, timeFirstCalls } from './time/first-call.ts'
import { drawFlame } from './time/flame.ts'
import { profileTool } from './time/profile.ts'
import { type TimeResults } from './time/report.ts'

const isQuick = process.argv.includes('--quick')
const given = process.argv.find((word) => word.startsWith('--baseline='))?.slice('--baseline='.length)
const baseline = given === undefined ? undefined : path.resolve(given)
const rounds = isQuick ? 3 : 200
const firstRounds = isQuick ? 1 : 9

const [load = 0] = loadavg()
const calls = (await timeCalls(rounds)).map(rowOf)
const firstCalls = await timeFirstCalls(firstRounds, baseline)
console.table(
  calls.map(({ server, tool, requests, total_ms: total, vendor_ms: vendor, our_ms: ours }) => ({
    ...{ server, tool, requests, total: total.p50, vendor: vendor.p50, ours: ours.p50, 'ours p99': ours.p99 },
  })),
)
console.table(
  firstCalls.map(({ ms, baseline_ms: before, ...row }) => ({ ...row, ms: ms.median, ...(before && { before: before.median }) })),
)
if (!isQuick) {
  const results: TimeResults = {
    ...{ node: process.versions.node, load: Math.round(10 * load) / 10, rounds, first_rounds: firstRounds },
    ...(baseline !== undefined && { baseline: commitOf(baseline) }),
    calls,
    first_calls: firstCalls,
  }
  writeFileSync(path.join(import.meta.dirname, 'time.json'), `${JSON.stringify(results, null, 2)}\n`)
  for (const each of timedServers) {
    const slowest = calls.filter(({ server }) => server === each.server.name).toSorted((a, b) => b.our_ms.p50 - a.our_ms.p50)[0]
    if (slowest) await drawFlame(each.server.name, await profileTool(each, slowest.tool))
  }
}
