import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as V1StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { beforeAll, expect, test } from 'vitest'
import { baseEnvironment, exitOf, runNode, startNode, temporaryDirectory } from './command.ts'
import { collectOutput } from './http-process.ts'
import { listenOnLoopback } from '../packages/testing/src/processes/loopback.ts'
import { isFull, shareOf } from '../packages/testing/src/runs.ts'

const main = path.join(import.meta.dirname, '..', 'apps', 'file-storage', 'dist', 'main.js')
const threshold = 5_242_880
const identity = { name: 'e2e', version: '1' }
const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex')

/** Bytes that differ at every offset. */
function bytesOf(size: number): Buffer {
  const bytes = Buffer.alloc(size, 'e2e ')
  for (let at = 0; at + 4 <= size; at += 4_096) bytes.writeUInt32BE(at, at)
  return bytes
}

/** Serves as many bytes as the path names: `/5000.bin`. */
const source = createServer((request, response) => {
  response.writeHead(200, { 'content-type': 'application/octet-stream', etag: `"${request.url ?? ''}"` })
  response.end(bytesOf(Number(/\d+/.exec(request.url ?? '')?.[0])))
})
let host = ''
beforeAll(async () => {
  const listener = await listenOnLoopback(source)
  ;({ host } = new URL(listener.url))
  return () => listener[Symbol.asyncDispose]()
})

interface Called {
  readonly structured: Record<string, unknown>
  readonly content: readonly unknown[]
}

type Call = (name: string, args: Record<string, unknown>) => Promise<Called>
interface Connected extends AsyncDisposable {
  readonly call: Call
}

const given = async () => {
  const args = [
    main,
    '--embedded',
    '--seed',
    'edge-cases',
    '--data-dir',
    await temporaryDirectory(),
    '--log-level',
    'error',
    '--allow-private-urls',
    host,
  ]
  return { command: process.execPath, args, env: baseEnvironment() }
}

const v2 = (mode: 'legacy' | 'auto' | { readonly pin: string }) => async (): Promise<Connected> => {
  const client = new Client(identity, { versionNegotiation: { mode } })
  await client.connect(new StdioClientTransport(await given()))
  return {
    call: async (name, args) => calledFrom(await client.callTool({ name, arguments: args })),
    [Symbol.asyncDispose]: () => client.close(),
  }
}

async function v1(): Promise<Connected> {
  const client = new V1Client(identity)
  await client.connect(new V1StdioClientTransport(await given()))
  return {
    call: async (name, args) => calledFrom(await client.callTool({ name, arguments: args })),
    [Symbol.asyncDispose]: () => client.close(),
  }
}

function calledFrom(result: Record<string, unknown>): Called {
  const { isError, structuredContent, content } = result
  if (isError === true || !Array.isArray(content)) throw new Error(JSON.stringify(content))
  return { structured: Object.assign({}, structuredContent), content }
}

/** The bytes in the only content of a result. */
function bytesIn({ content }: Called): Buffer {
  const blobs = content.flatMap((block) => /"blob":"([^"]*)"/.exec(JSON.stringify(block))?.[1] ?? [])
  expect(blobs.length).toBe(1)
  return Buffer.from(blobs[0] ?? '', 'base64')
}

const clients = {
  'client 2, 2026-07-28': v2({ pin: '2026-07-28' }),
  'client 2, auto': v2('auto'),
  'client 2, legacy': v2('legacy'),
  'client 1': v1,
}

const chosen = shareOf(Object.entries(clients), 4, 1)

test.for(chosen)('%s takes 5,242,879 bytes over stdio, and chunks of a file that has one more', async ([, connect]) => {
  await using client = await connect()
  for (const size of [threshold - 1, threshold]) {
    const name = `${size}.bin`
    await client.call('FileStorage_UploadFile', { file_name: name, source_url: `http://${host}/${name}` })
    const whole = await client.call('FileStorage_DownloadFile', { file_path_or_id: name })
    if (size < threshold) {
      expect(whole.structured).toMatchObject({ requires_chunked_download: false, total_size: size })
      expect(bytesIn(whole).equals(bytesOf(size))).toBe(true)
      continue
    }
    expect(whole.structured).toMatchObject({ requires_chunked_download: true, total_size: size })
    expect(whole.content.length).toBe(1)
    const chunk = await client.call('FileStorage_DownloadFileChunk', { file_path_or_id: name, start_byte: 0 })
    expect(chunk.structured).toMatchObject({ is_final_chunk: true, end_byte: size - 1 })
    expect(bytesIn(chunk).equals(bytesOf(size))).toBe(true)
  }
})

interface Drive {
  readonly environment: Readonly<Record<string, string>>
  readonly fault: (rule: object) => Promise<void>
}

/** Runs the emulator in a separate process, over the network. */
async function drive(): Promise<Drive> {
  const child = startNode([main, 'emulator', '--data-dir', await temporaryDirectory()])
  const output = collectOutput(child.stdout)
  const url = await output.match(/listens on (http:\/\/127\.0\.0\.1:\d+)/)
  const access = await output.match(/access token (\S+);/)
  const token = await output.match(/Bearer ([\w-]+)"/)
  return {
    environment: { FILE_STORAGE_API_URL: url, FILE_STORAGE_ACCESS_TOKEN: access, FILE_STORAGE_ALLOW_PRIVATE_URLS: host },
    async fault(rule) {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const answer = await fetch(`${url}/__emulator/faults`, { method: 'POST', headers, body: JSON.stringify(rule) })
      if (!answer.ok) throw new Error(await answer.text())
    },
  }
}

const mebibytes = isFull ? 64 : 24

test(`uploads ${mebibytes} MiB and downloads them with --output, over connections that break`, async () => {
  const size = mebibytes * 1024 * 1024
  const { environment, fault } = await drive()
  const directory = await temporaryDirectory()
  await fault({ action: { kind: 'chaos', seed: 3, rate: 0.4, max_in_a_row: 2, kinds: ['drop_before', 'drop_after'] } })
  const upload = JSON.stringify({ file_name: 'large.bin', source_url: `http://${host}/${size}.bin` })
  const uploaded = await runNode([main, 'call', 'UploadFile', upload, '--data-dir', directory], { environment })
  expect(uploaded).toMatchObject({ code: 0, errors: '' })
  expect(JSON.parse(uploaded.output)).toMatchObject({ md5_checksum: md5(bytesOf(size)) })
  const file = path.join(directory, 'back.bin')
  const args = [main, 'call', 'DownloadFile', '{"file_path_or_id":"large.bin"}', '--output', file, '--data-dir', directory]
  const saved = await runNode(args, { environment })
  expect(saved).toMatchObject({ code: 0, errors: '' })
  expect(JSON.parse(saved.output)).toMatchObject({ total_size: size, saved_to: file })
  expect(md5(readFileSync(file))).toBe(md5(bytesOf(size)))
  expect(await requestsWith('"fault":"drop_', environment)).toBeGreaterThanOrEqual(isFull ? 8 : 1)
  expect(readdirSync(directory).filter((name) => name.includes('.part'))).toEqual([])
})

test('--output overwrites nothing, and leaves nothing when it fails', async () => {
  const directory = await temporaryDirectory()
  const file = path.join(directory, 'mine.txt')
  writeFileSync(file, 'mine')
  const download = (name: string, output: string) =>
    runNode([
      main,
      'call',
      'DownloadFile',
      JSON.stringify({ file_path_or_id: name }),
      '--output',
      output,
      '--embedded',
      '--seed',
      'edge-cases',
      '--data-dir',
      directory,
    ])
  expect(await download('Colours.txt', file)).toMatchObject({ code: 2, output: '' })
  expect(readFileSync(file, 'utf8')).toBe('mine')
  const missing = path.join(directory, 'missing.txt')
  expect(await download('no such file', missing)).toMatchObject({ code: 1, output: '' })
  expect(existsSync(missing)).toBe(false)
  expect(await download('Colours.txt', path.join(directory, 'no such folder', 'x'))).toMatchObject({ code: 2 })
  expect(readdirSync(directory).filter((name) => name.includes('.part'))).toEqual([])
  const whole = path.join(directory, 'whole.mp4')
  expect(await download('Projects/Apollo/Launch rehearsal.mp4', whole)).toMatchObject({ code: 0, errors: '' })
  expect(readFileSync(whole).length).toBe(12_000_000)
})

const video = '{"file_path_or_id":"Projects/Apollo/Launch rehearsal.mp4"}'

test.for([
  [['call', 'WhoAmI', '{}', '--output', 'x'], '--output'],
  [['call', 'DownloadFile', video, '--output', 'x', '--tools', 'DownloadFile'], 'which --tools hides'],
  [['tools', '--output', 'x'], '--output'],
] as const)('%j is a usage error', async ([args, reason]) => {
  const directory = await temporaryDirectory()
  const options = ['--embedded', '--seed', 'edge-cases', '--data-dir', path.join(directory, 'data')]
  const { code, output, errors } = await runNode([main, ...args, ...options], { directory })
  expect([code, output, errors.trim().split('\n').length]).toEqual([2, '', 1])
  expect(errors).toContain(reason)
  expect(existsSync(path.join(directory, 'x'))).toBe(false)
})

test('an upload that Ctrl-C interrupts is resumed by the next command', async () => {
  const size = 20_000_001
  const { environment, fault } = await drive()
  const directory = await temporaryDirectory()
  await fault([
    { match: { method: 'PUT' }, action: { kind: 'slow', milliseconds: 0 } },
    { match: { method: 'PUT' }, action: { kind: 'hang' } },
  ])
  const args = [
    main,
    'call',
    'UploadFile',
    JSON.stringify({ file_name: 'a.bin', source_url: `http://${host}/${size}.bin` }),
    '--data-dir',
    directory,
  ]
  const child = startNode(args, environment)
  child.stdin.end()
  await expect.poll(() => requestsWith('"method":"PUT"', environment)).toBe(2)
  child.kill('SIGINT')
  expect(await exitOf(child)).toBe(130)
  const again = await runNode(args, { environment })
  expect(again).toMatchObject({ code: 0, errors: '' })
  expect(JSON.parse(again.output)).toMatchObject({ md5_checksum: md5(bytesOf(size)), notices: [expect.stringContaining('continued')] })
})

/** Counts the logged requests that contain a text. */
async function requestsWith(text: string, { FILE_STORAGE_API_URL: url = '' }: Drive['environment']): Promise<number> {
  const answer: unknown = await (await fetch(`${url}/__emulator/requests`)).json()
  return JSON.stringify(answer).split(text).length - 1
}
