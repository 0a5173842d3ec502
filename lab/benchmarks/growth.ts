// How time, memory and requests grow with what there is to do, beside a reference that does only what no server can leave out. `--quick` measures the smallest
// sizes once, for counts, and writes nothing. `--series=NAME` measures one series and leaves the other results as they are.
// `--baseline=DIR` also compares single events with those of another checkout, which has to be built.
// Run after a build. Linux alone reports memory.
import { loadavg } from 'node:os'
import path from 'node:path'
import { allSeries } from './growth/catalog.ts'
import { compareWithBaseline, problemsOfBaseline } from './growth/baseline.ts'
import { drawGrowth } from './growth/charts.ts'
import { readResults, writeResults } from './growth/results.ts'
import { measureSeries, problemsOf, type SeriesResult } from './growth/series.ts'

const isQuick = process.argv.includes('--quick')
const option = (name: string) => process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3)
const wanted = option('series')
const chosen = allSeries.filter(({ name }) => wanted === undefined || name === wanted)
if (chosen.length === 0) throw new Error(`There is no series "${wanted}". Series: ${allSeries.map(({ name }) => name).join(', ')}.`)

const [load = 0] = loadavg()
const measured = new Map<string, SeriesResult>()
const problems: string[] = []
for (const series of chosen) {
  const result = await measureSeries(series, isQuick)
  measured.set(series.name, result)
  if (!isQuick) problems.push(...problemsOf(series, result))
}
for (const { name, job, points, exponents } of measured.values()) {
  console.log(`${name}: ${job}`, exponents)
  console.table(
    points.map(({ ms, limit_ms: limit, counts, details, ...point }) => ({
      ...point,
      ms: ms.median,
      limit: limit?.median,
      ...counts,
      ...details,
    })),
  )
}
const checkout = option('baseline')
const compared = checkout === undefined ? undefined : await compareWithBaseline(path.resolve(checkout))
if (compared) problems.push(...problemsOfBaseline(compared))
if (!isQuick) {
  const published = readResults()
  const baseline = compared ?? published.baseline
  const before = new Map(published.series.map((each) => [each.name, each]))
  const series = allSeries.flatMap(({ name }) => measured.get(name) ?? before.get(name) ?? [])
  writeResults({ node: process.versions.node, load: Math.round(10 * load) / 10, series, ...(baseline && { baseline }) })
  await drawGrowth(series)
}
if (problems.length > 0) {
  console.error(problems.join('\n'))
  process.exitCode = 1
}
