// Compares each server's startup with a minimal server's on the same SDK and with Node alone. The three start one after the other, so that
// load on the machine affects all of them. Then measures the installed and loaded files; e2e/packed/package.test.ts has their ceilings.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { traceStart } from '../../../packages/testing/src/processes/loaded-files.ts'
import {
  eras,
  measureNode,
  measureStart,
  type Era,
  type Program,
  type Start,
} from '../../../packages/testing/src/processes/measure-start.ts'
import { issueTracker, servers } from '../../../servers.ts'
import { type BenchOptions, failFor, publish } from '../bench.ts'
import { observeMachine } from '../machine.ts'
import { figuresOf, medianOf, type Figures } from '../statistics.ts'
import { report, type StartRow, type Weight } from './report.ts'

const root = path.join(import.meta.dirname, '..', '..', '..')
const mainOf = (app: string) => path.join(root, 'apps', app, 'dist', 'main.js')
const coldRounds = 5

const most = { times_reference: 1.15, times_node: 4, peak_rss_mb: 80 }

/** The reference program, bundled with the same settings as the apps. */
function bundledReference(directory: string): string {
  const app = path.join(root, 'apps', issueTracker.name)
  const main = path.relative(app, path.join(import.meta.dirname, 'reference', 'main.ts'))
  const args = ['--silent', '--config', '../../scripts/bundle/settings.ts', '--entry.main', main, '--out-dir', directory]
  const isWindows = process.platform === 'win32'
  execFileSync(path.join(root, 'scripts', 'bundle', 'node_modules', '.bin', 'tsup'), args, {
    cwd: app,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: isWindows,
  })
  // Without this file, Node would parse each module to find out its kind.
  writeFileSync(path.join(directory, 'package.json'), '{ "type": "module" }')
  return path.join(directory, 'main.js')
}

/** A program with its own compile cache. */
interface Candidate extends Program {
  readonly name: string
}

/** The start of a server, and its references' starts right after it. */
interface Trial {
  readonly server: Start
  readonly reference: Start
  readonly nodeMs: number
}

/** Only the variables that Node needs, so that no account in this environment is used. */
function environmentOf(directory: string, cache: string): Record<string, string> {
  const { PATH = '', SystemRoot } = process.env
  return {
    PATH,
    ...(SystemRoot !== undefined && { SystemRoot }),
    MCP_TOOLKITS_DATA_DIR: path.join(directory, 'data'),
    NODE_COMPILE_CACHE: path.join(directory, 'cache', cache),
  }
}

/** Measures starts of a program with an empty cache. */
async function coldStarts({ name, main }: Candidate, era: Era, directory: string): Promise<Figures> {
  const times: number[] = []
  for (let round = 0; round < coldRounds; round += 1) {
    const { ms } = await measureStart({ main, environment: environmentOf(directory, `cold ${name} ${era} ${round}`) }, era)
    times.push(ms)
  }
  return figuresOf(times)
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

function rowOf(name: string, era: Era, { trials, cold }: { readonly trials: readonly Trial[]; readonly cold: Figures }): StartRow {
  const median = (quotientOf: (trial: Trial) => number) => Math.round(100 * medianOf(trials.map(quotientOf))) / 100
  const [first] = trials
  return {
    ...{ name, era, tools: first?.server.tools ?? 0, tools_list_bytes: first?.server.listBytes ?? 0 },
    warm_ms: figuresOf(trials.map(({ server }) => server.ms)),
    times_reference: median(({ server, reference }) => server.ms / reference.ms),
    // Processor time is affected less by a busy machine. Only Linux reports it.
    times_reference_processor: median(({ server, reference }) => Number(server.processorMs) / Number(reference.processorMs)),
    times_node: median(({ server, nodeMs }) => server.ms / nodeMs),
    cold_ms: cold,
    peak_rss_mb: Math.max(...trials.map(({ server }) => server.peakMb ?? 0)),
  }
}

/** The limits that a row exceeds. */
function exceeded({ name, era, ...row }: StartRow): string[] {
  const limits = ['times_reference', 'times_node', 'peak_rss_mb'] as const
  return limits
    .filter((limit) => row[limit] > most[limit])
    .map((limit) => `${name} (${era}): ${limit} is ${row[limit]}, more than ${most[limit]}.`)
}

async function measure(directory: string, rounds: number): Promise<{ rows: StartRow[]; nodeMs: Figures }> {
  const candidate = (name: string, main: string): Candidate => ({ name, main, environment: environmentOf(directory, name) })
  const reference = candidate('one tool', bundledReference(path.join(directory, 'reference')))
  const candidates = servers.map(({ name }) => candidate(name, mainOf(name)))
  const pairs = eras.flatMap((era) => candidates.map((server) => ({ era, server, trials: new Array<Trial>() })))
  // The first two rounds fill the caches of Node and the system.
  for (let round = -2; round < rounds; round += 1) {
    for (const { era, server, trials } of pairs) {
      const one = await trial(server, reference, { era, round })
      if (round >= 0) trials.push(one)
    }
  }
  const rows: StartRow[] = []
  for (const era of eras) {
    const ofEra = pairs.filter((pair) => pair.era === era)
    const beside = ofEra.flatMap(({ trials }) => trials.map((each) => ({ ...each, server: each.reference })))
    rows.push(rowOf(reference.name, era, { trials: beside, cold: await coldStarts(reference, era, directory) }))
    for (const { server, trials } of ofEra) rows.push(rowOf(server.name, era, { trials, cold: await coldStarts(server, era, directory) }))
  }
  return { rows, nodeMs: figuresOf(pairs.flatMap(({ trials }) => trials.map(({ nodeMs }) => nodeMs))) }
}

/** The size of tools/list and of the bundle, and how much of it startup loads. */
async function weigh(app: string): Promise<Weight> {
  const dist = path.dirname(mainOf(app))
  const sizeOf = (files: readonly string[]) => files.reduce((sum, file) => sum + statSync(file).size, 0)
  const scripts = readdirSync(dist).filter((name) => name.endsWith('.js'))
  const loaded = await traceStart(mainOf(app))
  return {
    tools_list_bytes: Buffer.byteLength(execFileSync(process.execPath, [mainOf(app), 'tools', '--json'], { encoding: 'utf8' }).trim()),
    bundle_bytes: sizeOf(scripts.map((name) => path.join(dist, name))),
    start_files: loaded.length,
    start_bytes: sizeOf(loaded),
  }
}

export async function run({ isQuick }: BenchOptions): Promise<void> {
  const { node, load_before: load } = observeMachine()()
  const rounds = isQuick ? 1 : 15
  const directory = mkdtempSync(path.join(tmpdir(), 'start-'))
  try {
    const { rows, nodeMs } = await measure(directory, rounds)
    const weights = Object.fromEntries(await Promise.all(servers.map(async ({ name }) => [name, await weigh(name)] as const)))
    const results = { node, load, rounds, cold_rounds: coldRounds, bare_node_ms: nodeMs, rows, weights }
    console.log(report(results))
    if (isQuick) return
    publish(import.meta.dirname, results, report(results))
    failFor(rows.flatMap(exceeded))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
