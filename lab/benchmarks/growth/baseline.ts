// Single events beside those of another checkout, such as one before a change: in pairs, so that load on the machine affects both.
import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { figuresOf, type Figures } from '../statistics.ts'
import { rateOfSingleEvents } from './events.ts'
import { startUpstream } from './upstream.ts'

const root = path.join(import.meta.dirname, '..', '..', '..')
const pairs = 7
const events = 5_000
/** The least rate, as a multiple of that of the other checkout. */
const minTimes = 0.9

export interface BaselineResult {
  /** The commit of the other checkout. */
  readonly commit: string
  readonly events: number
  readonly events_per_s: Figures
  readonly baseline_events_per_s: Figures
  /** Of each pair, our rate by that of the baseline. */
  readonly times: Figures
}

/** Measures both, each in a server that was started for it. The other checkout has to be built. */
export async function compareWithBaseline(checkout: string): Promise<BaselineResult> {
  await using upstream = await startUpstream()
  const rates: { readonly ours: number; readonly theirs: number }[] = []
  for (let pair = 0; pair < pairs; pair += 1) {
    const order = pair % 2 === 0 ? [root, checkout] : [checkout, root]
    const measured = new Map<string, number>()
    for (const each of order) measured.set(each, await rateOfSingleEvents(each, upstream, events))
    rates.push({ ours: measured.get(root) ?? Number.NaN, theirs: measured.get(checkout) ?? Number.NaN })
    console.error('baseline', rates.at(-1))
  }
  const commit = execFileSync('git', ['-C', checkout, 'rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  return {
    ...{ commit, events, events_per_s: figuresOf(rates.map(({ ours }) => ours)) },
    baseline_events_per_s: figuresOf(rates.map(({ theirs }) => theirs)),
    times: figuresOf(
      rates.map(({ ours, theirs }) => ours / theirs),
      2,
    ),
  }
}

/** Whether events are slower than the baseline allows, in a sentence. */
export function problemsOfBaseline({ commit, times }: BaselineResult): string[] {
  return times.median < minTimes ? [`events: the rate is ${times.median} × that of ${commit}; at least ${minTimes} × is required.`] : []
}
