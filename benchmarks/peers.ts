// Our servers beside what people would otherwise install, in one run on one machine, all against the same emulators. `--quick` makes one
// round, for counts and bytes, and writes nothing. Needs npm, and a build. Linux alone reports memory.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { drawPeers } from './peers/charts.ts'
import { exceptions } from './peers/exceptions.ts'
import { runPeers } from './peers/run.ts'

const isQuick = process.argv.includes('--quick')
const results = await runPeers({ rounds: isQuick ? 1 : 9, eventRounds: isQuick ? 1 : 3, withFaults: !isQuick })
console.table(results.starts.map(({ ms, ...row }) => ({ ...row, ms: ms.median })))
console.table(results.jobs.map(({ ms, ms_at_100: late, ...row }) => ({ ...row, ms: ms?.median, late: late?.median })))
console.table(results.faults)
console.table(results.events.map(({ ms, ms_at_100: late, ...row }) => ({ ...row, ms: ms.median, late: late?.median })))
console.table(results.losses)
if (!isQuick) {
  writeFileSync(path.join(import.meta.dirname, 'peers.json'), `${JSON.stringify(results, null, 2)}\n`)
  await drawPeers(results)
}
const unexplained = exceptions(results).filter(({ reason }) => reason === undefined)
if (unexplained.length > 0) {
  console.table(unexplained)
  process.exitCode = 1
}
