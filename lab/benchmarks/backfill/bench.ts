// Sends event files of several sizes through event-pipeline. Measures the rate and memory of undisturbed runs, the events lost or doubled
// when the process is killed ten times, and the rate at which the outbox alone sends batches. Run after a build.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { openConnection } from '../../../apps/event-pipeline/src/connect.ts'
import { readBody } from '../../../apps/event-pipeline/src/pipelines/body/body-reader.ts'
import { systemClock } from '../../../packages/core/src/base/clock.ts'
import { peakOf } from '../../../packages/testing/src/processes/proc.ts'
import { type CountingVendor, startCountingVendor } from '../../../packages/testing/src/vendors/counting-vendor.ts'
import { type BenchOptions, failFor, publish } from '../bench.ts'
import { report, type Results } from './report.ts'

const kills = 10
const batchCalls = 2_000
/** Maximum memory of a process, in MB, and minimum rate, as a share of the rate of the outbox alone. */
const mostMemory = 150
const leastRate = 0.8

const main = path.join(import.meta.dirname, '..', '..', '..', 'apps', 'event-pipeline', 'dist', 'main.js')

async function writeRows(file: string, rows: number): Promise<void> {
  const output = createWriteStream(file)
  output.write('user,what,when,amount,product\n')
  for (let row = 0; row < rows; row += 1) {
    const line = `user-${row % 50_000},Order Completed,${new Date(1_767_225_600_000 + row * 1_000).toISOString()},${row % 900}.5,Product ${row % 77}\n`
    if (!output.write(line)) await once(output, 'drain')
  }
  output.end()
  await once(output, 'close')
}

const mapping = { userId: 'user', event: 'what', timestamp: 'when', 'properties.total': 'amount:number', 'properties.product': 'product' }
const send = (file: string) => [
  'call',
  'SendEventsFromFile',
  JSON.stringify({ call: 'track', mapping }),
  '--toolsets',
  'backfill',
  '--input',
  file,
]

interface Place {
  readonly vendor: CountingVendor
  readonly directory: string
}

/** Starts a process on the data directory: a call with a file, or a server without calls. */
function start({ vendor, directory }: Place, args: readonly string[]): ChildProcess {
  const env = { PATH: process.env['PATH'], EVENT_PIPELINE_API_KEY: 'bench', EVENT_PIPELINE_API_URL: vendor.url }
  return spawn(process.execPath, [main, '--data-dir', path.join(directory, 'data'), ...args], { env, stdio: ['pipe', 'ignore', 'inherit'] })
}

/** Watches a process until it ends or `isOver`, and resolves with its peak memory in MB. */
async function watch(child: ChildProcess, isOver: () => boolean): Promise<number> {
  let peak = 0
  while (child.exitCode === null && child.signalCode === null && !isOver()) {
    peak = Math.max(peak, peakOf(child.pid) ?? 0)
    await setTimeout(100)
  }
  return peak
}

async function withPlace<Result>(work: (place: Place) => Promise<Result>): Promise<Result> {
  await using vendor = await startCountingVendor()
  const directory = mkdtempSync(path.join(tmpdir(), 'bench-'))
  try {
    return await work({ vendor, directory })
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Measures one undisturbed call. */
function undisturbed(file: string): Promise<{ readonly seconds: number; readonly peak: number; readonly accepted: number }> {
  return withPlace(async (place) => {
    const started = performance.now()
    const peak = await watch(start(place, send(file)), () => false)
    return { seconds: (performance.now() - started) / 1_000, peak, accepted: place.vendor.ids.size }
  })
}

/** Starts a call and then servers, each of which is killed while working; the last one finishes the work. */
function killed(file: string, rows: number, seconds: number) {
  return withPlace(async (place) => {
    const { ids, calls } = place.vendor
    let peak = 0
    let child = start(place, send(file))
    for (let kill = 0; kill < kills; kill += 1) {
      const until = performance.now() + (seconds * 1_000 * (0.5 + Math.random())) / kills + 2_000
      peak = Math.max(peak, await watch(child, () => performance.now() > until))
      child.kill('SIGKILL')
      if (child.signalCode === null && child.exitCode === null) await once(child, 'exit')
      child = start(place, [])
    }
    peak = Math.max(peak, await watch(child, () => ids.size >= rows))
    await setTimeout(1_000)
    child.stdin?.end()
    if (child.exitCode === null) await once(child, 'exit')
    return { peak, accepted: ids.size, repeated: calls() - ids.size }
  })
}

/** Rows per second when the outbox alone sends them in batches, with a vendor that costs nothing. */
async function outboxRate(batches: number): Promise<number> {
  const dataDirectory = mkdtempSync(path.join(tmpdir(), 'bench-'))
  const settings = {
    embedded: false,
    dataDirectory,
    readOnly: false,
    toolNames: 'safe',
    environment: { EVENT_PIPELINE_API_KEY: 'bench' },
  } as const
  const { context, close } = await openConnection(settings, { fetch: () => Promise.resolve(Response.json({})), clock: systemClock })
  const unkeyed = () => Promise.reject(new Error('The call has no key.'))
  const operation = {
    isKeyed: false,
    begin: unkeyed,
    claim: unkeyed,
    renew: unkeyed,
    reserveKey: () => Promise.resolve(),
    leaveOpen: () => undefined,
    onEnd: () => undefined,
  }
  const started = performance.now()
  for (let batch = 0; batch < batches; batch += 1) {
    const calls = Array.from({ length: batchCalls }, (_, index) => ({
      ...{
        type: 'track',
        userId: `user-${(batch * batchCalls + index) % 50_000}`,
        event: 'Order Completed',
        timestamp: '2026-01-01T00:00:00Z',
      },
      properties: { total: (index % 900) + 0.5, product: `Product ${index % 77}` },
    }))
    const body = await readBody(JSON.stringify({ batch: calls }))
    const options = { operation, signal: new AbortController().signal, progress: () => undefined }
    await context.outbox.submit({ name: 'batch', body, isStrict: false, findings: [] }, options)
  }
  const seconds = (performance.now() - started) / 1_000
  await close()
  rmSync(dataDirectory, { recursive: true, force: true })
  return (batches * batchCalls) / seconds
}

/** Number of rows in each file, the longest last. */
const usualSizes = [250_000, 1_000_000]

export async function run({ isQuick, sections }: BenchOptions): Promise<void> {
  const sizes = isQuick ? [20_000] : sections.length > 0 ? sections.map(Number) : usualSizes
  const rows = Math.max(...sizes)
  const directory = mkdtempSync(path.join(tmpdir(), 'bench-'))
  const fileOf = (size: number) => path.join(directory, `${size}.csv`)
  try {
    for (const size of sizes) await writeRows(fileOf(size), size)
    const outbox = await outboxRate(isQuick ? 5 : 20)
    const wholes = []
    for (const size of sizes) wholes.push({ size, ...(await undisturbed(fileOf(size))) })
    const broken = await killed(fileOf(rows), rows, Math.max(...wholes.map(({ seconds }) => seconds)))
    const results: Results = {
      outbox_rows_per_s: Math.round(outbox),
      undisturbed: wholes.map(({ size, seconds, peak, accepted }) => ({
        ...{ rows: size, seconds: Math.round(seconds), rows_per_s: Math.round(size / seconds), lost: size - accepted, peak_mb: peak },
      })),
      killed: { rows, kills, lost: rows - broken.accepted, sent_again: broken.repeated, peak_mb: broken.peak },
    }
    console.log(report(results))
    if (!isQuick) publish(import.meta.dirname, results, report(results))
    const peak = Math.max(broken.peak, ...wholes.map((whole) => whole.peak))
    const rate = results.undisturbed.at(-1)?.rows_per_s ?? 0
    failFor([
      ...([...results.undisturbed, results.killed].every(({ lost }) => lost === 0) ? [] : ['Rows were lost or doubled.']),
      ...(peak > mostMemory ? [`A process took more than ${mostMemory} MB.`] : []),
      ...(rate < leastRate * outbox ? [`The rate is below ${leastRate} of that of the outbox alone.`] : []),
    ])
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
