// Many calls at a time over stdio: a search in file-storage that costs one request to Drive, beside the echo of a minimal server on the
// same SDK, which asks no one. The time is what one call takes.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileStorage } from '../../../servers.ts'
import { startServer, type RunningServer } from '../peers/client.ts'
import { peakOf, processorTimeOf } from '../../../packages/testing/src/processes/proc.ts'
import { medianOf } from '../statistics.ts'
import type { OpenSeries, Sample, Series } from './series.ts'
import { startUpstream, type Upstream } from './upstream.ts'

const root = path.join(import.meta.dirname, '..', '..', '..')
const ours = path.join(root, 'apps', fileStorage.name, 'dist', 'main.js')
const reference = path.join(root, 'lab', 'benchmarks', 'reference', 'main.ts')

/** Calls of one measurement; more where even more are under way at a time. */
const calls = 1_024
/** Loads what the first calls load, and is not counted. */
const warmUp = 50

type Call = (index: number) => Promise<void>

interface Run {
  /** Milliseconds of each call, in ascending order. */
  readonly times: readonly number[]
  readonly totalMs: number
  /** Processor time of the main thread of the server, for one call. */
  readonly processorMs: number
}

const search = (server: RunningServer) => (index: number) => check(server, 'FileStorage_SearchFiles', { query: `report ${index}` })
const echo = (server: RunningServer) => (index: number) => check(server, 'echo', { text: `report ${index}` })

async function check(server: RunningServer, tool: string, given: object): Promise<void> {
  const reply = await server.call(tool, given)
  if (!reply || reply.isError) throw new Error(reply?.text)
}

/** Keeps so many calls under way until all are answered. */
async function run(server: RunningServer, call: Call, together: number): Promise<Run> {
  for (let index = 0; index < warmUp; index += 1) await call(-1 - index)
  const total = Math.max(calls, 2 * together)
  const before = processorTimeOf(server.pid) ?? Number.NaN
  const started = performance.now()
  const times: number[] = []
  let next = 0
  const lanes = Array.from({ length: together }, async () => {
    while (next < total) {
      const sent = performance.now()
      await call(next++)
      times.push(performance.now() - sent)
    }
  })
  await Promise.all(lanes)
  const totalMs = performance.now() - started
  const processorMs = ((processorTimeOf(server.pid) ?? Number.NaN) - before) / total
  return { times: times.toSorted((a, b) => a - b), totalMs, processorMs }
}

const rounded = (value: number, decimals = 2) => Math.round(10 ** decimals * value) / 10 ** decimals

async function measure(upstream: Upstream, size: number): Promise<Sample> {
  const { PATH = '' } = process.env
  const directory = mkdtempSync(path.join(tmpdir(), 'bench-'))
  const environment = {
    ...{ PATH, MCP_TOOLKITS_DATA_DIR: directory },
    ...{ FILE_STORAGE_API_URL: upstream.url, FILE_STORAGE_ACCESS_TOKEN: 'bench' },
  }
  await using server = await startServer({ main: ours, environment })
  await using bare = await startServer({ main: reference, environment: { PATH } })
  try {
    await upstream.takeCounts()
    const { times, totalMs, processorMs } = await run(server, search(server), size)
    const { requests } = await upstream.takeCounts()
    const peakMb = peakOf(server.pid)
    const limit = await run(bare, echo(bare), size)
    const perSecond = (each: Run) => Math.round((1_000 * each.times.length) / each.totalMs)
    return {
      ...{ ms: medianOf(times), peakMb, limitMs: medianOf(limit.times), counts: { requests } },
      details: {
        p99_ms: rounded(times[Math.floor(0.99 * times.length)] ?? Number.NaN),
        calls_per_s: perSecond({ times, totalMs, processorMs }),
        echoes_per_s: perSecond(limit),
        processor_ms_per_call: rounded(processorMs),
        processor_ms_per_echo: rounded(limit.processorMs),
      },
    }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

async function open(): Promise<OpenSeries> {
  const upstream = await startUpstream()
  return {
    measure: (size) => measure(upstream, size),
    [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose](),
  }
}

export const concurrencySeries: readonly Series[] = [
  {
    name: 'concurrency',
    job: 'one search among many at a time, over stdio',
    unit: 'calls at a time',
    limit: 'echo of a minimal server on the same SDK',
    sizes: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512].map((size) => ({ size, rounds: 3 })),
    quick: 3,
    memoryExponent: 0.2,
    open,
  },
]
