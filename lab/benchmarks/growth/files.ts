// Files through file-storage over stdio, from a URL to Drive and from Drive in chunks. Drive is a process that answers at once and stores
// nothing; the source is this process.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { fileStorage } from '../../../servers.ts'
import { startServer, type RunningServer } from '../peers/client.ts'
import { peakOf } from '../../../packages/testing/src/processes/proc.ts'
import { openSource, type Source } from '../transfer-source.ts'
import type { OpenSeries, Sample, Series, SizeResult } from './series.ts'
import { startUpstream, type Upstream } from './upstream.ts'

const main = path.join(import.meta.dirname, '..', '..', '..', 'apps', fileStorage.name, 'dist', 'main.js')
const mebibyte = 1024 * 1024

/** The allowed ratio of memory between the largest file and one of this many mebibytes. */
const memory = { from: 64, times: 1.2 }
/** The least speed of an upload of this many mebibytes, as a multiple of that of a bare stream. */
const speed = { size: 1_024, times: 0.6 }

interface World {
  readonly upstream: Upstream
  readonly source: Source
}

/** Starts a server with a new data directory and gives it to `work`. */
async function withServer(world: World, work: (server: RunningServer) => Promise<Sample>): Promise<Sample> {
  const { upstream, source } = world
  const directory = mkdtempSync(path.join(tmpdir(), 'bench-'))
  await using server = await startServer({
    main,
    environment: {
      PATH: process.env['PATH'] ?? '',
      MCP_TOOLKITS_DATA_DIR: directory,
      FILE_STORAGE_API_URL: upstream.url,
      FILE_STORAGE_ACCESS_TOKEN: 'bench',
      FILE_STORAGE_ALLOW_PRIVATE_URLS: source.host,
    },
  })
  try {
    return await work(server)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** How long a bare stream takes, in milliseconds. */
async function timeBareStream(from: string, to?: string): Promise<number> {
  const program = path.join(import.meta.dirname, 'bare-stream-process.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [program, from, ...(to === undefined ? [] : [to])])
  return Number(stdout)
}

async function call(server: RunningServer, tool: string, given: object): Promise<string> {
  const reply = await server.call(`FileStorage_${tool}`, given)
  if (!reply || reply.isError) throw new Error(reply?.text)
  return reply.text
}

const perSecond = (size: number, ms: number) => Math.round((1_000 * size) / ms)

function upload(world: World, size: number): Promise<Sample> {
  const { upstream, source } = world
  return withServer(world, async (server) => {
    await upstream.takeCounts()
    const started = performance.now()
    await call(server, 'UploadFile', { file_name: `${size} MiB.bin`, source_url: source.url('known', size, 0) })
    const ms = performance.now() - started
    const { requests, bytes } = await upstream.takeCounts()
    const peakMb = peakOf(server.pid)
    const content = source.url('known', size, 0)
    const limitMs = await timeBareStream(content, `${upstream.url}/upload`)
    const loopbackMs = await timeBareStream(content)
    return {
      ...{ ms, peakMb, limitMs, counts: { requests, mebibytes: Math.floor(bytes / mebibyte) } },
      details: { MiB_per_s: perSecond(size, ms), of_limit: Math.round((100 * limitMs) / ms) / 100, loopback_ms: Math.round(loopbackMs) },
    }
  })
}

function download(world: World, size: number): Promise<Sample> {
  const { upstream } = world
  const id = `growth-${size}-mib-${'x'.repeat(24)}`
  return withServer(world, async (server) => {
    await upstream.takeCounts()
    const started = performance.now()
    let chunks = 0
    for (let next: number | undefined = 0; next !== undefined && next < size * mebibyte; chunks += 1) {
      const reply = await call(server, 'DownloadFileChunk', { file_path_or_id: id, start_byte: next })
      next = Number(/"next_start_byte":(\d+)/.exec(reply.slice(0, 2_000))?.[1] ?? Number.NaN)
      if (Number.isNaN(next)) next = undefined
    }
    const ms = performance.now() - started
    const { requests } = await upstream.takeCounts()
    const peakMb = peakOf(server.pid)
    const limitMs = await timeBareStream(`${upstream.url}/drive/v3/files/${id}?alt=media`)
    const details = { MiB_per_s: perSecond(size, ms), of_limit: Math.round((100 * limitMs) / ms) / 100 }
    return { ms, peakMb, limitMs, counts: { requests, chunks }, details }
  })
}

async function open(measure: (world: World, size: number) => Promise<Sample>): Promise<OpenSeries> {
  const [upstream, source] = [await startUpstream(), await openSource()]
  return {
    async measure(size) {
      await upstream.prepareChecksum(size)
      return measure({ upstream, source }, size)
    },
    async [Symbol.asyncDispose]() {
      await upstream[Symbol.asyncDispose]()
      await source.close()
    },
  }
}

/** Whether memory grows from a file of 64 MiB on. */
function growing(points: readonly SizeResult[]): string[] {
  const from = points.find(({ size }) => size === memory.from)?.peak_mb
  const to = points.at(-1)
  if (typeof from !== 'number' || typeof to?.peak_mb !== 'number' || to.peak_mb <= memory.times * from) return []
  return [`${to.size} MiB need ${to.peak_mb} MB of memory and ${memory.from} MiB ${from} MB; at most ${memory.times} × is allowed`]
}

/** Whether an upload is slower than a share of the bare stream allows. */
function slow(points: readonly SizeResult[]): string[] {
  const rate = points.find(({ size }) => size === speed.size)?.details['of_limit']
  if (rate === undefined || rate >= speed.times) return []
  return [`an upload of ${speed.size} MiB reaches ${rate} × the speed of a bare stream; at least ${speed.times} × is required`]
}

const sizes = [
  { size: 1, rounds: 5 },
  { size: 16, rounds: 5 },
  { size: 64, rounds: 3 },
  { size: 256, rounds: 3 },
  { size: 1_024, rounds: 3 },
  { size: 4_096, rounds: 1 },
] as const

export const fileSeries: readonly Series[] = [
  {
    name: 'uploads',
    job: 'upload of a file from a URL',
    unit: 'MiB',
    limit: 'bare `fetch` stream from the same source to the same upstream',
    sizes,
    quick: 3,
    memoryExponent: 0.2,
    open: () => open(upload),
    problems: (points) => [...growing(points), ...slow(points)],
  },
  {
    name: 'downloads',
    job: 'download of a file in chunks',
    unit: 'MiB',
    limit: 'bare `fetch` of the whole file',
    sizes,
    quick: 3,
    memoryExponent: 0.2,
    open: () => open(download),
    problems: growing,
  },
]
