// The tables of docs/benchmarks.md about where time goes, from the results.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'
import { range, table } from '../tables.ts'

const Percentiles = z.object({ p50: z.number(), p95: z.number(), p99: z.number() })
const Figures = z.object({ median: z.number(), min: z.number(), max: z.number() })

const Results = z.object({
  node: z.string(),
  /** Of the machine, before the run. */
  load: z.number(),
  /** Calls of each tool. */
  rounds: z.number(),
  /** First calls of each server, for each pause. */
  first_rounds: z.number(),
  /** The commit of the other checkout. */
  baseline: z.string().exactOptional(),
  calls: z.array(
    z.object({
      ...{ server: z.string(), tool: z.string(), requests: z.number() },
      ...{ total_ms: Percentiles, vendor_ms: Percentiles, our_ms: Percentiles },
    }),
  ),
  first_calls: z.array(
    z.object({ server: z.string(), tool: z.string(), pause: z.string(), ms: Figures, baseline_ms: Figures.exactOptional() }),
  ),
})

export type TimeResults = z.infer<typeof Results>

export const readTimeResults = (): TimeResults =>
  Results.parse(JSON.parse(readFileSync(path.join(import.meta.dirname, '..', 'time.json'), 'utf8')))

/** Our share of each call beside the vendor's. */
export function timeTable(): string {
  const { node, load, rounds, calls } = readTimeResults()
  const cell = ({ p50, p95, p99 }: z.infer<typeof Percentiles>) => `${p50} / ${p95} / ${p99}`
  const rows = calls.map((each) => [
    ...[`\`${each.server}\``, each.tool, each.requests, cell(each.total_ms), cell(each.vendor_ms), cell(each.our_ms)],
    `${Math.round((100 * each.our_ms.p50) / each.total_ms.p50)} %`,
  ])
  const head = ['', 'tool', 'requests', 'total, ms', 'vendor, ms', 'ours, ms', 'ours']
  return `Node ${node}, ${rounds} calls of each tool. Load of the machine before: ${load}.\n\n${table(head, rows)}`
}

/** The first calls of a session, before and after. */
export function firstCallTable(): string {
  const { baseline, first_rounds: rounds, first_calls: firstCalls } = readTimeResults()
  const rows = firstCalls.map(({ server, tool, pause, ms, baseline_ms: before }) => [
    ...[`\`${server}\``, tool, pause, before ? range(before) : null, range(ms)],
    before ? `${Math.round((100 * ms.median) / before.median)} %` : null,
  ])
  const about = baseline === undefined ? '' : ` "Before" is commit ${baseline}, measured in turns.`
  const head = ['', 'first call', 'after the list', 'before, ms', 'now, ms', 'of before']
  return `${rounds} sessions each, medians (least to most).${about}\n\n${table(head, rows)}`
}
