// Measures what callers see while the vendor is failing.
import { programOf } from './catalog.ts'
import { startServer } from '../client.ts'
import type { Installed } from './install.ts'
import { type Fault, faults } from '../upstream.ts'
import type { OpenWorld } from './world.ts'

export interface FaultRow {
  readonly fault: string
  readonly name: string
  /** `error`, `success` or `no answer`. */
  readonly outcome: string
  readonly seconds: number
  /** Number of requests to the vendor for one call. */
  readonly requests: number
  /** The beginning of the text that the model reads. */
  readonly text: string
}

const timeoutMs = 40_000
const jobs = { Linear: 'get an issue', 'Google Drive': 'find 20 files' } as const

/** Both vendors fail at the same time, because a caller may wait long; the candidates for one vendor call one after the other. */
export async function measureFaults(installed: readonly Installed[], open: OpenWorld): Promise<FaultRow[]> {
  const byVendor = [...Map.groupBy(installed, ({ candidate }) => candidate.vendor).values()]
  const rows = await Promise.all(byVendor.map((each) => measureEach(each, open)))
  return faults.flatMap((fault) => rows.flat().filter((row) => row.fault === fault))
}

async function measureEach(installed: readonly Installed[], open: OpenWorld): Promise<FaultRow[]> {
  const rows: FaultRow[] = []
  for (const fault of faults) {
    for (const each of installed) rows.push(await measure(each, { fault, open }))
  }
  return rows
}

async function measure(
  { candidate, installation: { directory } }: Installed,
  { fault, open }: { readonly fault: Fault; readonly open: OpenWorld },
): Promise<FaultRow> {
  const world = open.world(candidate.vendor)
  const upstream = open.upstream(candidate.vendor)
  await using server = await startServer(programOf(candidate, directory, world))
  upstream.fault = fault
  upstream.reset()
  const begun = performance.now()
  const answer = Promise.withResolvers<Pick<FaultRow, 'outcome' | 'text'>>()
  const call = async (tool: string, args: object) => {
    const reply = await server.call(tool, args, timeoutMs)
    const text = reply?.text.slice(0, 200) ?? ''
    answer.resolve({ outcome: reply === undefined ? 'no answer' : reply.isError ? 'error' : 'success', text })
    return reply ?? { isError: true, text: '', bytes: 0 }
  }
  await candidate.work[jobs[candidate.vendor]]?.(call, world)
  const { outcome, text } = await answer.promise
  const seconds = Math.round((performance.now() - begun) / 100) / 10
  upstream.fault = undefined
  return { fault, name: candidate.name, outcome, seconds, requests: upstream.counts.requests, text }
}
