// Compares the start of each server with a minimal server on the same SDK and with Node alone. The three start one after the other,
// so that load on the machine affects all of them. Run after a build.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import path from 'node:path'
import { issueTracker, servers } from '../../servers.ts'
import { measureNode, eras, measureStart, type Era, type Program, type Start } from '../../packages/testing/src/processes/measure-start.ts'
import { figuresOf, medianOf, type Figures } from './statistics.ts'

const root = path.join(import.meta.dirname, '..', '..')
const apps = servers.map(({ name }) => name)
const rounds = 15
const coldRounds = 5

/** The limits for every server. */
const bars = { times_reference: 1.15, times_node: 4, peak_rss_mb: 80 }

/** The reference program, bundled with the settings of the apps. */
function bundledReference(directory: string): string {
  const app = path.join(root, 'apps', issueTracker.name)
  const main = path.relative(app, path.join(root, 'lab', 'benchmarks', 'reference', 'main.ts'))
  execFileSync(
    path.join(root, 'node_modules', '.bin', 'tsup'),
    ['--silent', '--config', '../../scripts/bundle/settings.ts', '--entry.main', main, '--out-dir', directory],
    {
      cwd: app,
      stdio: ['ignore', 'ignore', 'inherit'],
      shell: process.platform === 'win32',
    },
  )
  // Without it Node parses each file to find out what it is.
  writeFileSync(path.join(directory, 'package.json'), '{ "type": "module" }')
  return path.join(directory, 'main.js')
}

/** A program with its own compile cache. */
interface Candidate extends Program {
  readonly name: string
}

/** A start of a server, and of what it is compared with right after it. */
interface Trial {
  readonly server: Start
  readonly reference: Start
  readonly nodeMs: number
}

/** Only what Node needs, so that no account in this environment is used. */
function environmentOf(directory: string, cache: string): Record<string, string> {
  const { PATH = '', SystemRoot } = process.env
  return {
    PATH,
    ...(SystemRoot !== undefined && { SystemRoot }),
    MCP_TOOLKITS_DATA_DIR: path.join(directory, 'data'),
    NODE_COMPILE_CACHE: path.join(directory, 'cache', cache),
  }
}

/** Starts of a program with an empty cache. */
async function coldStarts({ name, main }: Candidate, era: Era, directory: string): Promise<number[]> {
  const times: number[] = []
  for (let round = 0; round < coldRounds; round += 1) {
    const { ms } = await measureStart({ main, environment: environmentOf(directory, `cold ${name} ${era} ${round}`) }, era)
    times.push(ms)
  }
  return times
}

/** Starts all three, in a different order each time. */
async function trial(server: Candidate, against: Candidate, { era, round }: { readonly era: Era; readonly round: number }): Promise<Trial> {
  const starts: Start[] = []
  let nodeMs = Number.NaN
  const steps = [
    async () => void (starts[0] = await measureStart(server, era)),
    async () => void (starts[1] = await measureStart(against, era)),
    async () => void (nodeMs = await measureNode(server.environment)),
  ]
  const first = (round + steps.length) % steps.length
  for (const step of [...steps.slice(first), ...steps.slice(0, first)]) await step()
  const [ours, reference] = starts
  if (!ours || !reference) throw new Error('Nothing started.')
  return { server: ours, reference, nodeMs }
}

interface Row {
  readonly name: string
  readonly era: Era
  readonly tools: number
  readonly tools_list_bytes: number
  readonly warm_ms: Figures
  /** Medians of the quotients of each trial. */
  readonly times_reference: number
  /** The same of the time on a processor, which a busy machine disturbs less. */
  readonly times_reference_processor: number | null
  readonly times_node: number
  readonly cold_ms: Figures
  readonly peak_rss_mb: number | null
}

function rowOf({ name }: Candidate, era: Era, measured: { readonly trials: readonly Trial[]; readonly cold: readonly number[] }): Row {
  const { trials, cold } = measured
  const median = (quotients: readonly number[]) => Math.round(100 * medianOf(quotients)) / 100
  const peaks = trials.flatMap(({ server }) => server.peakMb ?? [])
  return {
    name,
    era,
    tools: trials[0]?.server.tools ?? 0,
    tools_list_bytes: trials[0]?.server.listBytes ?? 0,
    warm_ms: figuresOf(trials.map(({ server }) => server.ms)),
    times_reference: median(trials.map(({ server, reference }) => server.ms / reference.ms)),
    times_reference_processor: trials.every(hasProcessorTimes)
      ? median(trials.map(({ server, reference }) => Number(server.processorMs) / Number(reference.processorMs)))
      : null,
    times_node: median(trials.map(({ server, nodeMs }) => server.ms / nodeMs)),
    cold_ms: figuresOf(cold),
    peak_rss_mb: peaks.length > 0 ? Math.max(...peaks) : null,
  }
}

const hasProcessorTimes = ({ server, reference }: Trial) => server.processorMs !== null && reference.processorMs !== null

/** The limits that a row exceeds. */
function exceeded({ name, era, times_reference, times_node, peak_rss_mb }: Row): string[] {
  return [
    times_reference > bars.times_reference && `${times_reference} times the reference`,
    times_node > bars.times_node && `${times_node} times Node alone`,
    peak_rss_mb !== null && peak_rss_mb > bars.peak_rss_mb && `${peak_rss_mb} MB`,
  ].flatMap((what) => (what === false ? [] : [`${name} (${era}): ${what}`]))
}

async function measured(directory: string): Promise<{ rows: Row[]; nodeMs: Figures }> {
  const candidate = (name: string, main: string): Candidate => ({ name, main, environment: environmentOf(directory, name) })
  const reference = candidate('one tool', bundledReference(path.join(directory, 'reference')))
  const servers = apps.map((app) => candidate(app, path.join(root, 'apps', app, 'dist', 'main.js')))
  const pairs = eras.flatMap((era) => servers.map((server) => ({ era, server, trials: new Array<Trial>() })))
  // The first two rounds fill the caches, of Node and of the system.
  for (let round = -2; round < rounds; round += 1) {
    for (const { era, server, trials } of pairs) {
      const one = await trial(server, reference, { era, round })
      if (round >= 0) trials.push(one)
    }
  }
  const rows: Row[] = []
  for (const era of eras) {
    const ofEra = pairs.filter((pair) => pair.era === era)
    const beside = ofEra.flatMap(({ trials }) => trials.map((each) => ({ ...each, server: each.reference })))
    rows.push(rowOf(reference, era, { trials: beside, cold: await coldStarts(reference, era, directory) }))
    for (const { server, trials } of ofEra) rows.push(rowOf(server, era, { trials, cold: await coldStarts(server, era, directory) }))
  }
  return { rows, nodeMs: figuresOf(pairs.flatMap(({ trials }) => trials.map(({ nodeMs }) => nodeMs))) }
}

const directory = mkdtempSync(path.join(tmpdir(), 'start-'))
try {
  const [load = 0] = loadavg()
  const { rows, nodeMs } = await measured(directory)
  const results = {
    node: process.versions.node,
    rounds,
    cold_rounds: coldRounds,
    load: Math.round(10 * load) / 10,
    bars,
    bare_node_ms: nodeMs,
    rows,
  }
  writeFileSync(path.join(root, 'lab', 'benchmarks', 'start.json'), `${JSON.stringify(results, null, 2)}\n`)
  console.log(`Node alone: ${nodeMs.median} ms`)
  console.table(rows.map(({ warm_ms: warm, cold_ms: cold, ...row }) => ({ ...row, warm: warm.median, least: warm.min, cold: cold.median })))
  const problems = rows.flatMap(exceeded)
  console.log(problems.length === 0 ? 'All limits hold.' : `Over a limit: ${problems.join('; ')}.`)
  if (problems.length > 0) process.exitCode = 1
} finally {
  rmSync(directory, { recursive: true, force: true })
}
