// `npm run tasks`: plays the tasks with our servers as built from this checkout, and can write the page of results.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { playPeers } from './peers/play.ts'
import { page, type ReferenceFigures } from './report.ts'
import { mainOf, places } from './places.ts'
import { runTasks } from './command.ts'
import { tasks } from './tasks/index.ts'
import published from './results.json' with { type: 'json' }

const withPeers = process.argv.includes('--peers')

/** Writes the effort that the solutions of all tasks take; with `--peers`, also the peers' effort, which takes ten minutes. */
async function publish(ours: readonly ReferenceFigures[]): Promise<void> {
  const peers = withPeers ? await playPeers(tasks, places) : published.reference.peers
  const results = { measured_on: new Date().toISOString().slice(0, 10), reference: { ours, peers } }
  writeFileSync(path.join(import.meta.dirname, 'results.json'), `${JSON.stringify(results, null, 2)}\n`)
  writeFileSync(path.join(import.meta.dirname, 'results.md'), page(results))
}

await runTasks(
  { command: 'npm run tasks --', places, mainOf, publish },
  process.argv.slice(2).filter((word) => word !== '--peers'),
)
