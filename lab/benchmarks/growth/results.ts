import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'
import type { BaselineResult } from './baseline.ts'
import type { SeriesResult } from './series.ts'

const file = path.join(import.meta.dirname, '..', 'growth.json')

const Figures = z.object({ median: z.number(), min: z.number(), max: z.number() })
const Numbers = z.record(z.string(), z.number())

const Results = z.object({
  node: z.string(),
  /** Of the machine, before the run. */
  load: z.number(),
  series: z.array(
    z.object({
      name: z.string(),
      job: z.string(),
      unit: z.string(),
      limit: z.string().nullable(),
      points: z.array(
        z.object({
          size: z.number(),
          rounds: z.number(),
          ms: Figures,
          limit_ms: Figures.exactOptional(),
          peak_mb: z.number().nullable(),
          counts: Numbers,
          details: Numbers,
        }),
      ),
      exponents: z.object({ ms: z.number().nullable(), peak_mb: z.number().nullable(), limit_ms: z.number().nullable() }),
    }),
  ),
  baseline: z
    .object({ commit: z.string(), events: z.number(), events_per_s: Figures, baseline_events_per_s: Figures, times: Figures })
    .exactOptional(),
})

export interface GrowthResults {
  readonly node: string
  readonly load: number
  readonly series: readonly SeriesResult[]
  /** Of the last run that compared single events with another checkout. */
  readonly baseline?: BaselineResult
}

/** The results that are published. */
export const readResults = (): GrowthResults => Results.parse(JSON.parse(readFileSync(file, 'utf8')))

export function writeResults(results: GrowthResults): void {
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`)
}
