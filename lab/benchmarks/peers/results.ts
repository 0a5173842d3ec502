// The published results in peers.json, section by section.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'
import { losses } from './repeats.ts'
import type { PeerResults, Section } from './run.ts'
import { faults } from './upstream.ts'

const file = path.join(import.meta.dirname, '..', 'peers.json')

const Figures = z.object({ median: z.number(), min: z.number(), max: z.number() })
const Outcome = z.enum(['error', 'success', 'no answer'])
const CallOutcome = z.object({ outcome: Outcome, text: z.string() })

const Results = z.object({
  machine: z.object({
    ...{ node: z.string(), processor: z.string(), cores: z.number(), memory_gb: z.number() },
    ...{ load_before: z.number(), load_after: z.number() },
  }),
  rounds: z.number(),
  starts: z.array(
    z.object({
      ...{ name: z.string(), version: z.string(), vendor: z.string(), ms: Figures, peak_mb: z.number().nullable() },
      ...{ tools: z.number(), list_bytes: z.number(), installed_mb: z.number(), packages: z.number() },
    }),
  ),
  jobs: z.array(
    z.object({
      ...{ job: z.string(), name: z.string(), problem: z.string().exactOptional() },
      ...{ calls: z.number().exactOptional(), first_requests: z.number().exactOptional(), requests: z.number().exactOptional() },
      ...{ upstream_bytes: z.number().exactOptional(), result_bytes: z.number().exactOptional() },
      ...{ ms: Figures.exactOptional(), ms_at_100: Figures.exactOptional() },
    }),
  ),
  faults: z.array(
    z.object({
      ...{ fault: z.enum(faults), name: z.string(), outcome: Outcome },
      ...{ seconds: z.number(), requests: z.number(), text: z.string() },
    }),
  ),
  events: z.array(z.object({ job: z.string(), name: z.string(), requests: z.number(), ms: Figures, ms_at_100: Figures.exactOptional() })),
  losses: z.array(z.object({ name: z.string(), accepted: z.number(), lost: z.number(), doubled: z.number() })),
  repeats: z.object({
    measured_on: z.string(),
    rows: z.array(
      z.object({
        ...{ loss: z.enum(losses), job: z.string(), name: z.string(), first: CallOutcome, second: CallOutcome.nullable() },
        ...{ requests: z.number(), created: z.number() },
      }),
    ),
  }),
})

/** The results that are published. */
export const readResults = (): PeerResults => Results.parse(JSON.parse(readFileSync(file, 'utf8')))

export function writeResults(results: PeerResults): void {
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`)
}

/** A run of some sections, with the others as they were. The machine belongs to the times of the starts. */
export function merge(before: PeerResults, run: PeerResults, measured: readonly Section[]): PeerResults {
  const of = <Name extends Section>(name: Name): PeerResults[Name] => (measured.includes(name) ? run : before)[name]
  const { machine, rounds } = measured.includes('starts') ? run : before
  return {
    ...{ rounds, starts: of('starts'), jobs: of('jobs'), faults: of('faults') },
    ...{ events: of('events'), losses: of('losses'), repeats: of('repeats'), machine },
  }
}
