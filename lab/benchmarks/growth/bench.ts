// Measures how the cost of a call grows: time, requests and memory in a small and a large workspace, drive or batch; the time for which a 1
// MiB call blocks the event loop; and the price of four processes sharing a data directory. The vendors are emulators in this process, so
// their share grows with its load. Run after a build; only Linux reports memory.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import * as z from 'zod'
import { peakOf } from '../../../packages/testing/src/processes/proc.ts'
import { eventPipeline, fileStorage, issueTracker } from '../../../servers.ts'
import { type BenchOptions, failFor, publish } from '../bench.ts'
import { type RunningServer, startServer } from '../client.ts'
import { observeMachine } from '../machine.ts'
import { figuresOf } from '../statistics.ts'
import { type Job, jobs, largeCalls, vendors } from './jobs.ts'
import { type BlockRow, type JobRow, type Point, type ProcessRow, report } from './report.ts'

const warmUp = 4
const calls = 16
const mebibyte = 1024 * 1024
/** Limits on the growth in time, the blocked milliseconds, and the time of four processes relative to one. */
const most = { times: 3, blockedMs: 50, timesOne: 1.5 }

const mainOf = (app: string) => path.join(import.meta.dirname, '..', '..', '..', 'apps', app, 'dist', 'main.js')

async function withDirectory<T>(use: (directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(path.join(tmpdir(), 'bench-'))
  try {
    return await use(directory)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

const environmentOf = (directory: string) => ({ PATH: process.env['PATH'] ?? '', MCP_TOOLKITS_DATA_DIR: directory })

async function call(server: RunningServer, tool: string, args: object): Promise<number> {
  const started = performance.now()
  const reply = await server.call(tool, args)
  if (reply?.isError !== false) throw new Error(`${tool}: ${reply?.text ?? 'no answer'}`)
  return performance.now() - started
}

const measure = ({ vendor, tool, args }: Job, size: number): Promise<Point> =>
  withDirectory(async (directory) => {
    const { server: app, open, environment } = vendors[vendor]
    await using upstream = await open(size)
    await using server = await startServer({
      main: mainOf(app),
      environment: { ...environmentOf(directory), ...environment(upstream.url) },
    })
    for (let number = 0; number < warmUp; number += 1) await call(server, tool, args(number, size))
    upstream.reset()
    const times: number[] = []
    for (let number = warmUp; number < warmUp + calls; number += 1) times.push(await call(server, tool, args(number, size)))
    const { median: ms } = figuresOf(times)
    return { size, ms, requests: upstream.counts.requests / calls, peak_mb: peakOf(server.pid) }
  })

/** Measures every job with a small and a large amount of data, at `share` of the published sizes. */
export async function measureJobs(share: number): Promise<JobRow[]> {
  const rows: JobRow[] = []
  for (const job of jobs) {
    const few = await measure(job, job.few)
    rows.push({ job: job.job, unit: job.unit, few, many: await measure(job, Math.max(job.few, job.many * share)) })
  }
  return rows
}

const Turns = z.array(z.object({ at: z.number(), ms: z.number() }))

const measureBlock = ({ call: name, vendor, tool, args }: (typeof largeCalls)[number]): Promise<BlockRow> =>
  withDirectory(async (directory) => {
    const { server: app, open, environment } = vendors[vendor]
    await using upstream = await open(0)
    const file = path.join(directory, 'turns.json')
    const options = ['--import', path.join(import.meta.dirname, 'heartbeat.mjs')]
    const variables = { ...environmentOf(directory), ...environment(upstream.url), HEARTBEAT: file }
    await using server = await startServer({ main: mainOf(app), options, environment: variables })
    // The first call loads and compiles. The answers do not matter: some calls are refused.
    await server.call(tool, args(mebibyte))
    const begun = Date.now()
    for (let round = 0; round < 3; round += 1) await server.call(tool, args(mebibyte))
    await server.end()
    const turns = Turns.parse(JSON.parse(readFileSync(file, 'utf8'))).filter(({ at }) => at >= begun)
    const blocked = Math.round(10 * Math.max(0, ...turns.map(({ ms }) => ms))) / 10
    return { call: name, bytes: Buffer.byteLength(JSON.stringify(args(mebibyte))), blocked_ms: blocked }
  })

/** A server and one of its write calls. */
interface Writer {
  readonly name: string
  readonly prefix: string
  readonly tool: string
  readonly args: (distinct: string) => object
}

/** Milliseconds that `count` processes sharing a data directory take for all calls, on the embedded default. */
const timeProcesses = ({ name, prefix, tool, args }: Writer, count: number, each: number): Promise<number> =>
  withDirectory(async (directory) => {
    await using stack = new AsyncDisposableStack()
    const running: RunningServer[] = []
    while (running.length < count) {
      running.push(stack.use(await startServer({ main: mainOf(name), environment: environmentOf(directory) })))
    }
    const write = (server: RunningServer, distinct: string) => call(server, `${prefix}_${tool}`, args(distinct))
    // The first call loads the tools and opens the database.
    for (const [index, server] of running.entries()) await write(server, `first ${index}`)
    const started = performance.now()
    const all = running.flatMap((server, index) => Array.from({ length: each }, (_, number) => write(server, `${index}.${number}`)))
    await Promise.all(all)
    return performance.now() - started
  })

const event = (userId: string) => ({ mode: 'execute', request_body: JSON.stringify({ userId, event: 'Bench' }) })
const writers: readonly Writer[] = [
  { ...issueTracker, tool: 'CreateIssue', args: (title) => ({ team: 'Engineering', title }) },
  { ...eventPipeline, tool: 'TrackUserEvent', args: (userId) => event(userId) },
  { ...fileStorage, tool: 'CreateFolder', args: (name) => ({ folder_name: name }) },
]

async function measureProcesses(writer: Writer, rounds: number, each: number): Promise<ProcessRow> {
  const pairs: { readonly one: number; readonly four: number }[] = []
  while (pairs.length < rounds) pairs.push({ one: await timeProcesses(writer, 1, 4 * each), four: await timeProcesses(writer, 4, each) })
  const [one, four] = [pairs.map((pair) => pair.one), pairs.map((pair) => pair.four)]
  return {
    ...{ server: writer.name, one_ms: figuresOf(one), four_ms: figuresOf(four) },
    times_one: figuresOf(pairs.map((pair) => pair.four / pair.one)),
  }
}

const brokenBy = (job: JobRow): string[] => [
  ...(job.many.requests > job.few.requests ? [`${job.job} needs more requests with ${job.many.size} ${job.unit}.`] : []),
  ...(job.unit !== 'events' && job.many.ms > most.times * job.few.ms ? [`${job.job} takes longer with ${job.many.size} ${job.unit}.`] : []),
]

export async function run({ isQuick }: BenchOptions): Promise<void> {
  const { node, load_before: load } = observeMachine()()
  const rows = await measureJobs(isQuick ? 0.05 : 1)
  const blocked: BlockRow[] = []
  for (const large of largeCalls) blocked.push(await measureBlock(large))
  const processes: ProcessRow[] = []
  for (const writer of writers) processes.push(await measureProcesses(writer, isQuick ? 1 : 3, isQuick ? 20 : 200))
  const results = { node, load, jobs: rows, blocked, processes }
  console.log(report(results))
  if (isQuick) return
  publish(import.meta.dirname, results, report(results))
  failFor([
    ...rows.flatMap(brokenBy),
    ...blocked
      .filter(({ blocked_ms: ms }) => ms > most.blockedMs)
      .map(({ call: name }) => `${name} blocks for more than ${most.blockedMs} ms.`),
    ...processes
      .filter(({ times_one: times }) => times.median > most.timesOne)
      .map(({ server }) => `Four processes of ${server} take more than ${most.timesOne} times as long as one.`),
  ])
}
