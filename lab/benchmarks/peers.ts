// Our servers beside what people would otherwise install, in one run on one machine, all against the same emulators. `--quick` makes one
// round, for counts and bytes, and writes nothing. `--sections=NAME,NAME` measures some sections and leaves the other results as they are.
// Needs npm, and a build. Linux alone reports memory.
import { isOurs } from './peers/catalog.ts'
import { drawPeers } from './peers/charts.ts'
import { exceptions } from './peers/exceptions.ts'
import { merge, readResults, writeResults } from './peers/results.ts'
import { runPeers, sections } from './peers/run.ts'

const isQuick = process.argv.includes('--quick')
const wanted = process.argv
  .find((word) => word.startsWith('--sections='))
  ?.split('=')[1]
  ?.split(',')
const unknown = wanted?.find((name) => !sections.some((section) => section === name))
if (unknown !== undefined) throw new Error(`There is no section "${unknown}". Sections: ${sections.join(', ')}.`)
const chosen = sections.filter((name) => wanted?.includes(name) ?? true)

const results = await runPeers({ chosen, rounds: isQuick ? 1 : 9, eventRounds: isQuick ? 1 : 3, withFaults: !isQuick })
const tables: readonly (readonly object[])[] = [
  results.starts.map(({ ms, ...row }) => ({ ...row, ms: ms.median })),
  results.jobs.map(({ ms, ms_at_100: late, ...row }) => ({ ...row, ms: ms?.median, late: late?.median })),
  results.faults,
  results.events.map(({ ms, ms_at_100: late, ...row }) => ({ ...row, ms: ms.median, late: late?.median })),
  results.losses,
  results.repeats.rows.map(({ first, second, ...row }) => ({ ...row, first: first.outcome, second: second?.outcome })),
]
for (const rows of tables) if (rows.length > 0) console.table(rows)
if (!isQuick) {
  const published = merge(readResults(), results, chosen)
  writeResults(published)
  await drawPeers(published)
}
const unexplained = exceptions(results).filter(({ reason }) => reason === undefined)
const notOnce = results.repeats.rows.filter(({ name, created }) => isOurs(name) && created !== 1)
for (const rows of [unexplained, notOnce]) {
  if (rows.length === 0) continue
  console.table(rows)
  process.exitCode = 1
}
