// The tables of docs/benchmarks.md about growth, from the results.
import { range, table } from '../tables.ts'
import { readResults } from './results.ts'
import type { SeriesResult, SizeResult } from './series.ts'

const thousands = (value: number) => value.toLocaleString('en')

/** How fast time and memory grow in each series. */
export function growthTable(): string {
  const { node, load, series, baseline } = readResults()
  const rows = series.map(({ job, unit, limit, points, exponents }) => [
    job,
    `${thousands(points.at(0)?.size ?? 0)} to ${thousands(points.at(-1)?.size ?? 0)} ${unit}`,
    exponents.ms,
    exponents.peak_mb,
    limit,
    exponents.limit_ms,
  ])
  const head = ['', 'sizes', 'exponent of time', 'exponent of memory', 'limit', 'exponent of its time']
  const compared = baseline
    ? `\n\nSingle events beside those of commit ${baseline.commit}: ${range(baseline.events_per_s)} and ${range(baseline.baseline_events_per_s)} per second, ${range(baseline.times)} ×.`
    : ''
  return `Node ${node}. Load of the machine before: ${load}.\n\n${table(head, rows)}${compared}`
}

/** Every size of every series. */
export function growthSizesTable(): string {
  return readResults()
    .series.map((series) => `**${series.job}**\n\n${sizesOf(series)}`)
    .join('\n\n')
}

function sizesOf({ unit, limit, points }: SeriesResult): string {
  const names = (valuesOf: (point: SizeResult) => object) => [...new Set(points.flatMap((point) => Object.keys(valuesOf(point))))]
  const [counts, details] = [names((point) => point.counts), names((point) => point.details)]
  const rows = points.map((point) => [
    thousands(point.size),
    range(point.ms),
    ...(limit === null ? [] : [point.limit_ms ? range(point.limit_ms) : null]),
    point.peak_mb,
    ...counts.map((name) => point.counts[name] ?? null),
    ...details.map((name) => point.details[name] ?? null),
  ])
  const titles = [...counts, ...details].map((name) => name.replaceAll('_', ' '))
  return table([unit, 'ms', ...(limit === null ? [] : [`${limit}, ms`]), 'peak, MB', ...titles], rows)
}
