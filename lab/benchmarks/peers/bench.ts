// Compares our servers with those that people would otherwise install, in one run on one machine, all against the same emulators. Needs npm
// and a build. `--sections=starts,jobs` leaves the other results unchanged; the other sections are faults, events, losses and repeats.
import { type BenchOptions, failFor, publish } from '../bench.ts'
import { isOurs } from './catalog.ts'
import { drawPeers } from './charts.ts'
import { exceptions } from './exceptions.ts'
import { report } from './report.ts'
import published from './results.json' with { type: 'json' }
import { type PeerResults, runPeers, sections } from './run.ts'

export async function run({ isQuick, sections: wanted }: BenchOptions): Promise<void> {
  const unknown = wanted.filter((name) => !sections.some((section) => section === name))
  if (unknown.length > 0) {
    failFor([`peers has no section "${unknown.join(', ')}". Sections: ${sections.join(', ')}.`])
    return
  }
  const chosen = sections.filter((name) => wanted.length === 0 || wanted.includes(name))
  const results = await runPeers({ chosen, rounds: isQuick ? 1 : 9, eventRounds: isQuick ? 1 : 3, withFaults: !isQuick })
  console.log(report(results))
  if (!isQuick) {
    const measured = Object.fromEntries(chosen.map((name) => [name, results[name]]))
    const { machine, rounds } = chosen.includes('starts') ? results : published
    const merged: PeerResults = { ...published, ...measured, machine, rounds }
    publish(import.meta.dirname, merged, report(merged))
    await drawPeers(merged)
  }
  failFor([
    ...exceptions(results)
      // One round says nothing about times.
      .filter(({ reason, measure }) => reason === undefined && !(isQuick && measure.startsWith('ms')))
      .map(({ job, peer, measure, ours, theirs }) => `${job}: ${peer} needs ${theirs} ${measure} and we ${ours}, for no known reason.`),
    ...results.repeats.rows
      .filter(({ name, created }) => isOurs(name) && created !== 1)
      .map(({ name, job, loss, created }) => `${name} created ${created} things: ${job}, ${loss}.`),
  ])
}
