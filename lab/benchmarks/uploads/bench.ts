// Uploads a file from a URL to Drive and downloads it in chunks, for 64 MiB and for 1 GiB, while the source and Drive break the connection
// eight times each. Measures time and peak memory. Drive is the emulator in another process. Run after a build; needs Linux and 3 GB of
// disk.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { member } from '../../../packages/core/src/base/json.ts'
import { peakOf } from '../../../packages/testing/src/processes/proc.ts'
import { type BenchOptions, failFor, publish } from '../bench.ts'
import { report, type Upload } from './report.ts'
import { md5Of, openSource, type Kind, type Source } from './source.ts'

const root = path.join(import.meta.dirname, '..', '..', '..')
const main = path.join(root, 'apps', 'file-storage', 'dist', 'main.js')
const small = 64
const large = 1024
/** Number of times that each side breaks the connection. */
const cuts = 8
/** Maximum ratio of memory between the large and the small file. */
const allowed = 1.2

interface Drive {
  readonly environment: Readonly<Record<string, string>>
  /** Drops connections, alternately before and after the request took effect, with some requests between them. */
  readonly breakConnections: (method: string, between: number) => Promise<void>
  /** Throws if a connection was not dropped as planned. */
  readonly expectAllBroken: () => Promise<void>
  readonly close: () => void
}

/** Starts the emulator in another process. */
async function openDrive(directory: string): Promise<Drive> {
  const child = spawn(process.execPath, [main, 'emulator', '--data-dir', directory], { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  for await (const chunk of child.stdout) {
    said += String(chunk)
    if (said.includes('__emulator/faults')) break
  }
  const url = /listens on (\S+)/.exec(said)?.[1] ?? ''
  const token = /access token (\S+);/.exec(said)?.[1] ?? ''
  const headers = { authorization: `Bearer ${/Bearer ([\w-]+)"/.exec(said)?.[1] ?? ''}`, 'content-type': 'application/json' }
  const faults = async (init: RequestInit) => {
    const answer = await fetch(`${url}/__emulator/faults`, { headers, ...init })
    if (!answer.ok) throw new Error(await answer.text())
    return answer.text()
  }
  return {
    environment: { FILE_STORAGE_API_URL: url, FILE_STORAGE_ACCESS_TOKEN: token },
    async breakConnections(method, between) {
      const rules = Array.from({ length: cuts }, (_, index) => [
        { match: { method }, times: between, action: { kind: 'slow', milliseconds: 0 } },
        { match: { method }, action: { kind: index % 2 === 0 ? 'drop_after' : 'drop_before' } },
      ])
      await faults({ method: 'POST', body: JSON.stringify(rules.flat()) })
    },
    async expectAllBroken() {
      const pending = await faults({ method: 'POST', body: '[]' })
      if (pending.includes('drop_')) throw new Error(`Drive has not dropped every connection: ${pending}`)
      await faults({ method: 'DELETE' })
    },
    close: () => child.kill(),
  }
}

interface Setting {
  readonly directory: string
  readonly source: Source
  readonly drive: Drive
}

type Call = (name: string, given: Readonly<Record<string, unknown>>) => ReturnType<Client['callTool']>

async function transfer(count: number, kind: Kind, setting: Setting): Promise<Upload> {
  const { directory, source, drive } = setting
  const client = new Client({ name: 'bench', version: '1' })
  const args = [main, '--data-dir', directory, '--log-level', 'error', '--allow-private-urls', source.host]
  const env = { ...drive.environment, PATH: process.env['PATH'] ?? '' }
  const transport = new StdioClientTransport({ command: process.execPath, args, env })
  await client.connect(transport)
  const call: Call = async (name, given) => {
    const result = await client.callTool({ name, arguments: given }, { timeout: 1_200_000 })
    if (result.isError === true) throw new Error(JSON.stringify(result.content))
    return result
  }
  const between = Math.max(1, Math.floor(count / small))
  const started = performance.now()
  await drive.breakConnections('PUT', between)
  const uploaded = await call('FileStorage.UploadFile', { file_name: `${kind} ${count}`, source_url: source.url(kind, count, cuts) })
  await drive.expectAllBroken()
  const uploadedAt = performance.now()
  const afterUpload = Math.round(peakOf(transport.pid) ?? Number.NaN)
  await drive.breakConnections('GET', between)
  const md5 = await readBack(call, member(member(uploaded.structuredContent, 'file'), 'id'))
  await drive.expectAllBroken()
  const downloadedAt = performance.now()
  if (md5 !== md5Of(count)) throw new Error('The download differs from the upload.')
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

/** Downloads a file in chunks and returns its md5. */
async function readBack(call: Call, id: unknown): Promise<string> {
  const hash = createHash('md5')
  for (let start: unknown = 0; start !== null;) {
    const { structuredContent, content } = await call('FileStorage.DownloadFileChunk', { file_path_or_id: id, start_byte: start })
    const resource = content.find((block) => block.type === 'resource')?.resource
    hash.update(Buffer.from(String(member(resource, 'blob')), 'base64'))
    start = member(structuredContent, 'next_start_byte') ?? null
  }
  return hash.digest('hex')
}

/** The ratio of peak memory between the large and the small file, for the highest of several runs. */
function compared(kind: Kind, figures: readonly Upload[]): number {
  const peak = (count: number) =>
    Math.max(...figures.filter((each) => each.length === kind && each.mebibytes === count).map((each) => each.peak_rss_mb))
  const ratio = peak(large) / peak(small)
  console.log(`Length ${kind}: ${peak(small)} MB for ${small} MiB, ${peak(large)} MB for ${large} MiB: ${ratio.toFixed(2)} times as much.`)
  return ratio
}

export async function run({ isQuick }: BenchOptions): Promise<void> {
  const directory = mkdtempSync(path.join(tmpdir(), 'bench-'))
  const source = await openSource()
  const drive = await openDrive(directory)
  try {
    const kinds = ['known', 'unknown'] as const
    const uploads: Upload[] = []
    for (const kind of kinds) {
      // A short run may end before memory use has settled.
      for (const count of isQuick ? [small] : [small, small, small, large])
        uploads.push(await transfer(count, kind, { directory, source, drive }))
    }
    if (isQuick) return
    publish(import.meta.dirname, uploads, report(uploads))
    failFor(
      kinds
        .filter((kind) => compared(kind, uploads) > allowed)
        .map((kind) => `A file of ${large} MiB (length ${kind}) takes too much memory.`),
    )
  } finally {
    drive.close()
    await source.close()
    rmSync(directory, { recursive: true, force: true })
  }
}
