// Events through event-pipeline over stdio to a vendor in another process that answers at once. Each is on disk before it is sent.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { eventPipeline } from '../../../servers.ts'
import { startServer, type RunningServer } from '../peers/client.ts'
import { peakOf } from '../../../packages/testing/src/processes/proc.ts'
import { timeBareInserts } from './bare-inserts.ts'
import type { OpenSeries, Sample, Series, SizeResult } from './series.ts'
import { startUpstream, type Upstream } from './upstream.ts'

const root = path.join(import.meta.dirname, '..', '..', '..')

/** How many calls are under way at a time. */
const inFlight = 16
/** Loads what the first calls load, and is not counted. */
const warmUp = 100
/** Of one call of the batch tool; a batch of this size takes one request. */
const eventsPerBatch = 1_000
/** The least rate of single events, as a multiple of bare inserts. */
const minRate = 0.4

/** The arguments of a call that sends this event, and what it sends. */
const bodyOf = (index: number) =>
  JSON.stringify({ userId: `user ${index % 1_000}`, event: 'Order Completed', properties: { order: index, total: 49.9, currency: 'EUR' } })

/** One body per event. */
function* bodies(count: number) {
  for (let index = 0; index < count; index += 1) yield bodyOf(index)
}

/** One body per batch; the last one may be smaller. */
function* batches(count: number) {
  for (let first = 0; first < count; first += eventsPerBatch) {
    const items = Array.from(
      { length: Math.min(eventsPerBatch, count - first) },
      (_, index) => `{"type":"track",${bodyOf(first + index).slice(1)}`,
    )
    yield `{"batch":[${items.join(',')}]}`
  }
}

/** A server with a new data directory. */
interface RunningPipeline extends AsyncDisposable {
  readonly server: RunningServer
}

/** Starts the event-pipeline of a checkout that is built. */
async function startPipeline(checkout: string, upstream: Upstream): Promise<RunningPipeline> {
  const directory = mkdtempSync(path.join(tmpdir(), 'bench-'))
  const server = await startServer({
    main: path.join(checkout, 'apps', eventPipeline.name, 'dist', 'main.js'),
    environment: {
      PATH: process.env['PATH'] ?? '',
      MCP_TOOLKITS_DATA_DIR: directory,
      EVENT_PIPELINE_API_KEY: 'bench',
      EVENT_PIPELINE_API_URL: `${upstream.url}/v1`,
    },
  })
  return {
    server,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** Sends bodies with a tool, so many at a time, and returns how long that takes in milliseconds. Throws where one is not accepted. */
async function timeCalls(server: RunningServer, tool: string, texts: Iterable<string>, together = inFlight): Promise<number> {
  const started = performance.now()
  const source = texts[Symbol.iterator]()
  const lanes = Array.from({ length: together }, async () => {
    for (let next = source.next(); next.done !== true; next = source.next()) {
      const reply = await server.call(`EventPipelineApi_${tool}`, { mode: 'execute', request_body: next.value })
      if (!reply?.text.includes('delivered')) throw new Error(`Not delivered: ${reply?.text}`)
    }
  })
  await Promise.all(lanes)
  return performance.now() - started
}

async function open(measureOne: (upstream: Upstream, size: number, directory: string) => Promise<Sample>): Promise<OpenSeries> {
  const upstream = await startUpstream()
  const directory = mkdtempSync(path.join(tmpdir(), 'bench-'))
  return {
    measure: (size) => measureOne(upstream, size, directory),
    async [Symbol.asyncDispose]() {
      await upstream[Symbol.asyncDispose]()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

interface Job {
  readonly tool: string
  readonly together: number
  readonly texts: (count: number) => Iterable<string>
  readonly perTransaction: number
}

const single: Job = { tool: 'TrackUserEvent', together: inFlight, texts: bodies, perTransaction: 1 }
const batched: Job = { tool: 'SendBatchRequests', together: 1, texts: batches, perTransaction: eventsPerBatch }

function measure({ tool, together, texts, perTransaction }: Job) {
  return async (upstream: Upstream, size: number, directory: string): Promise<Sample> => {
    await using pipeline = await startPipeline(root, upstream)
    const { server } = pipeline
    await timeCalls(server, 'TrackUserEvent', bodies(warmUp))
    await upstream.takeCounts()
    const ms = await timeCalls(server, tool, texts(size), together)
    const { requests } = await upstream.takeCounts()
    const peakMb = peakOf(server.pid)
    const limitMs = timeBareInserts(directory, bodies(size), perTransaction)
    const details = { events_per_s: Math.round((1_000 * size) / ms), of_limit: Math.round((100 * limitMs) / ms) / 100 }
    return { ms, peakMb, limitMs, counts: { requests }, details }
  }
}

/** How many single events a second the event-pipeline of a built checkout delivers. */
export async function rateOfSingleEvents(checkout: string, upstream: Upstream, count: number): Promise<number> {
  await using pipeline = await startPipeline(checkout, upstream)
  await timeCalls(pipeline.server, single.tool, bodies(warmUp))
  return (1_000 * count) / (await timeCalls(pipeline.server, single.tool, bodies(count)))
}

/** Whether single events are slower than a share of the bare inserts allows, at the largest size. */
function tooSlow(points: readonly SizeResult[]): string[] {
  const { size = 0, details } = points.at(-1) ?? {}
  const rate = details?.['of_limit'] ?? 0
  return rate < minRate ? [`${size} events reach ${rate} × the rate of bare inserts; at least ${minRate} × is required`] : []
}

export const eventSeries: readonly Series[] = [
  {
    name: 'events',
    job: `single events over stdio, ${inFlight} in flight`,
    unit: 'events',
    limit: 'bare `node:sqlite` inserts, one transaction each',
    sizes: [
      { size: 1_000, rounds: 5 },
      { size: 10_000, rounds: 3 },
      { size: 100_000, rounds: 1 },
    ],
    quick: 1,
    memoryExponent: 0.2,
    open: () => open(measure(single)),
    problems: tooSlow,
  },
  {
    name: 'event-batches',
    job: `events in batches of ${eventsPerBatch}`,
    unit: 'events',
    limit: `bare \`node:sqlite\` inserts, ${eventsPerBatch} in a transaction`,
    sizes: [
      { size: 1_000, rounds: 5 },
      { size: 10_000, rounds: 3 },
      { size: 100_000, rounds: 3 },
      { size: 1_000_000, rounds: 1 },
    ],
    quick: 2,
    memoryExponent: 0.2,
    open: () => open(measure(batched)),
  },
]
