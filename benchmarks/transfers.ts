// Sends a file from a URL into Drive and reads it back in chunks, for 64 MiB and for 1 GiB, and writes down how long that takes and how
// much memory the server needs at most. Drive is the emulator in a process of its own. Run after a build; needs Linux and 3 GB of disk.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { member } from './json.ts'
import { peakOf } from './proc.ts'

const root = path.dirname(import.meta.dirname)
const main = path.join(root, 'apps', 'file-storage', 'dist', 'main.js')
const mebibyte = 1024 * 1024
const small = 64
const large = 1024
/** How much more memory the large file may take. */
const allowed = 1.2

/** One mebibyte of a content, of which every one is different. */
function piece(index: number): Buffer {
  const bytes = Buffer.alloc(mebibyte, createHash('sha512').update(String(index)).digest())
  bytes.writeUInt32BE(index)
  return bytes
}

function* pieces(count: number) {
  for (let index = 0; index < count; index += 1) yield piece(index)
}

function md5Of(count: number): string {
  const hash = createHash('md5')
  for (const bytes of pieces(count)) hash.update(bytes)
  return hash.digest('hex')
}

/** Serves as many mebibytes as the path says, with their length at `/known/64` and without it at `/unknown/64`. */
async function source() {
  const server = createServer((request, response) => {
    const [, kind, count = '0'] = (request.url ?? '').split('/')
    response.writeHead(200, {
      'content-type': 'application/octet-stream',
      ...(kind === 'known' && { 'content-length': Number(count) * mebibyte }),
    })
    pipeline(pieces(Number(count)), response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const host = `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  return { host, close: () => server.close() }
}

/** The emulator in a process of its own. */
async function emulator(directory: string) {
  const child = spawn(process.execPath, [main, 'emulator', '--data-dir', directory], { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  for await (const chunk of child.stdout) {
    said += String(chunk)
    if (said.includes('__emulator/faults')) break
  }
  const url = /listens on (\S+)/.exec(said)?.[1] ?? ''
  const token = /access token (\S+);/.exec(said)?.[1] ?? ''
  return { environment: { FILE_STORAGE_API_URL: url, FILE_STORAGE_ACCESS_TOKEN: token }, close: () => child.kill() }
}

interface Figures {
  readonly mebibytes: number
  readonly length: string
  readonly upload_seconds: number
  readonly download_seconds: number
  readonly peak_rss_mb_after_upload: number
  readonly peak_rss_mb: number
}

interface Setting {
  readonly directory: string
  readonly host: string
  readonly environment: Record<string, string>
}

async function transfer(count: number, kind: 'known' | 'unknown', { directory, host, environment }: Setting): Promise<Figures> {
  const client = new Client({ name: 'bench', version: '1' })
  const args = [main, '--data-dir', directory, '--log-level', 'error', '--allow-private-urls', host]
  const transport = new StdioClientTransport({ command: process.execPath, args, env: { ...environment, PATH: process.env['PATH'] ?? '' } })
  await client.connect(transport)
  const call = async (name: string, given: Record<string, unknown>) => {
    const result = await client.callTool({ name, arguments: given }, { timeout: 600_000 })
    if (result.isError === true) throw new Error(JSON.stringify(result.content))
    return result
  }
  const started = performance.now()
  const uploaded = await call('FileStorage.UploadFile', { file_name: `${kind} ${count}`, source_url: `http://${host}/${kind}/${count}` })
  const uploadedAt = performance.now()
  const afterUpload = Math.round(peakOf(transport.pid) ?? Number.NaN)
  const id = member(member(uploaded.structuredContent, 'file'), 'id')
  const hash = createHash('md5')
  for (let start: unknown = 0; start !== null;) {
    const { structuredContent, content } = await call('FileStorage.DownloadFileChunk', { file_path_or_id: id, start_byte: start })
    const resource = content.find((block) => block.type === 'resource')?.resource
    hash.update(Buffer.from(String(member(resource, 'blob')), 'base64'))
    start = member(structuredContent, 'next_start_byte') ?? null
  }
  const downloadedAt = performance.now()
  if (hash.digest('hex') !== md5Of(count)) throw new Error('What came back is something else.')
  const seconds = (from: number, to: number) => Math.round((to - from) / 100) / 10
  const figures = {
    mebibytes: count,
    length: kind,
    upload_seconds: seconds(started, uploadedAt),
    download_seconds: seconds(uploadedAt, downloadedAt),
    peak_rss_mb_after_upload: afterUpload,
    peak_rss_mb: Math.round(peakOf(transport.pid) ?? Number.NaN),
  }
  await client.close()
  console.log(JSON.stringify(figures))
  return figures
}

const directory = mkdtempSync(path.join(tmpdir(), 'bench-'))
const from = await source()
const drive = await emulator(directory)
try {
  const setting = { directory, host: from.host, environment: drive.environment }
  const figures: Figures[] = []
  for (const kind of ['known', 'unknown'] as const) {
    // A short run ends before the collector of garbage has settled, so the highest of several counts.
    for (const count of [small, small, small, large]) figures.push(await transfer(count, kind, setting))
  }
  writeFileSync(path.join(root, 'benchmarks', 'transfers.json'), `${JSON.stringify(figures, null, 2)}\n`)
  const highest = (count: number) => Math.max(...figures.filter((each) => each.mebibytes === count).map((each) => each.peak_rss_mb))
  const ratio = highest(large) / highest(small)
  console.log(`At most ${highest(small)} MB for ${small} MiB and ${highest(large)} MB for ${large} MiB: ${ratio.toFixed(2)} times as much.`)
  if (ratio > allowed) process.exitCode = 1
} finally {
  drive.close()
  from.close()
  rmSync(directory, { recursive: true, force: true })
}
