// How long one call blocks the event loop of a server, for large arguments and results of each kind, over stdio and HTTP, beside
// `JSON.parse` of the same bytes. Fails when a call of 1 MiB blocks it for more than 50 ms, or a larger one for more than four times as
// long as `JSON.parse`, in processor time, because other processes take turns. The vendor is an emulator in another process. Run after a
// build.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { member } from '../../packages/core/src/base/json.ts'
import { medianOf } from './statistics.ts'
import { openSource } from './transfer-source.ts'

const root = path.join(import.meta.dirname, '..', '..')
const rounds = 5
const mebibyte = 1024 * 1024
/** A line over stdio has at most 10 MiB, a body over HTTP at most 4 MiB. */
const sizes = { stdio: [mebibyte, 10 * mebibyte - 1024], http: [mebibyte, 4 * mebibyte - 1024] } as const
type Surface = keyof typeof sizes

const maxMsOfSmall = 50
const maxRatioOfLarge = 4

type App = 'file-storage' | 'event-pipeline' | 'issue-tracker'

interface Case {
  readonly name: string
  readonly app: App
  readonly tool: string
  /** The arguments as JSON of about so many bytes. */
  readonly args: (bytes: number) => string
}

const many = (bytes: number, part: (index: number) => string) => {
  const parts: string[] = []
  for (let length = 0; length < bytes - 100; length += (parts.at(-1)?.length ?? 0) + 1) parts.push(part(parts.length))
  return parts.join(',')
}
const repeat = (text: string, bytes: number) => text.repeat(Math.floor((bytes - 200) / Buffer.byteLength(text)))
const issue = { app: 'issue-tracker', tool: 'IssueTracker_CreateIssue' } as const
const batch = { app: 'event-pipeline', tool: 'EventPipelineApi_SendBatchRequests' } as const
const described = (text: string) => `{"team":"Engineering","title":"T","description":"${text}"}`
const events = (bytes: number) =>
  `{"batch":[${many(bytes, (index) => `{"type":"track","event":"Bought","userId":"u${index}","properties":{"price":${index},"name":"shoes"}}`)}]}`
/** A batch of so many calls, which fill so many bytes, and of fewer if they would be very small. */
const equalEvents = (bytes: number, count: number) => {
  const calls = Math.min(count, Math.floor(bytes / 105))
  const name = 's'.repeat(Math.max(0, Math.floor((bytes - 300) / calls) - 95))
  const call = (index: number) => `{"type":"track","event":"Bought","userId":"u${index}","properties":{"price":${index},"name":"${name}"}}`
  return `{"batch":[${Array.from({ length: calls }, (_, index) => call(index)).join(',')}]}`
}

const cases: readonly Case[] = [
  { ...issue, name: 'one text', args: (bytes) => described(repeat('lorem ipsum ', bytes)) },
  { ...issue, name: 'one text of other scripts', args: (bytes) => described(repeat('日本語 😀 ', bytes)) },
  { ...issue, name: 'one text of escapes', args: (bytes) => described(repeat(String.raw`\n\"\u00e4`, bytes)) },
  { ...issue, name: 'one misspelt name', args: (bytes) => `{"${repeat('descripton', bytes)}":1}` },
  { ...issue, name: 'many unknown names', args: (bytes) => `{${many(bytes, (index) => `"name${index}":${index}`)}}` },
  { ...issue, name: 'many items', args: (bytes) => `{"labels_to_add":[${many(bytes, (index) => `"label ${index}"`)}]}` },
  { ...issue, name: 'many wrong items', args: (bytes) => `{"labels_to_add":[${many(bytes, String)}]}` },
  { ...issue, name: 'deep nesting', args: (bytes) => `{"description":${'['.repeat(bytes / 2 - 100)}${']'.repeat(bytes / 2 - 100)}}` },
  {
    app: 'file-storage',
    name: 'the content of a file as the result',
    tool: 'FileStorage_DownloadFileChunk',
    // Base64 takes four bytes for three.
    args: (bytes) => `{"file_path_or_id":"large","start_byte":0,"chunk_size":${Math.min(Math.floor(bytes * 0.74), 5_242_880)}}`,
  },
  { ...batch, name: 'a batch as an object', args: (bytes) => `{"mode":"execute","request_body":${events(bytes)}}` },
  { ...batch, name: 'a batch as text', args: (bytes) => `{"mode":"execute","request_body":${JSON.stringify(events(bytes * 0.81))}}` },
  { ...batch, name: 'a batch of 9,900 calls', args: (bytes) => `{"mode":"execute","request_body":${equalEvents(bytes, 9_900)}}` },
  {
    ...batch,
    name: 'a batch of large calls as text',
    args: (bytes) => `{"mode":"execute","request_body":${JSON.stringify(equalEvents(bytes * 0.99, Math.ceil(bytes / 30_000)))}}`,
  },
  { ...batch, name: 'one misspelt value of an enum', args: (bytes) => `{"mode":"${repeat('excute', bytes)}"}` },
  { ...batch, name: 'a batch that is no JSON', args: (bytes) => `{"mode":"execute","request_body":"${repeat('[1,', bytes)}"}` },
]

interface Block {
  readonly elapsed: number
  readonly processor: number
}

interface Server {
  /** Sends one message and resolves with the answer. */
  readonly send: (message: string) => Promise<string>
  /** The longest time in milliseconds for which the event loop was blocked since the last call of this function. */
  readonly longestBlock: () => Promise<Block>
}

const started: ChildProcess[] = []

function start(app: App, args: readonly string[], environment: Readonly<Record<string, string>>): ChildProcess {
  const preload = path.join(root, 'lab', 'benchmarks', 'heartbeat.mjs')
  const main = path.join(root, 'apps', app, 'dist', 'main.js')
  const env = { PATH: process.env['PATH'] ?? '', ...environment }
  const child = spawn(process.execPath, ['--import', preload, main, ...args], { stdio: ['pipe', 'pipe', 'pipe', 'ipc'], env })
  started.push(child)
  return child
}

/** What a process prints until it matches. */
async function readUntil(stream: NodeJS.ReadableStream | null, wanted: RegExp): Promise<string> {
  let said = ''
  for await (const chunk of stream ?? []) {
    said += String(chunk)
    if (wanted.test(said)) break
  }
  return said
}

/** Starts the emulator of a vendor, and returns the variables with which a server uses it. */
async function startVendor(app: App, data: string): Promise<Record<string, string>> {
  const emulator = start(app, ['emulator', '--data-dir', data], {})
  const said = await readUntil(emulator.stdout, /__emulator\/faults/)
  const find = (pattern: RegExp) => pattern.exec(said)?.[1] ?? ''
  const url = find(/listens on (\S+)/)
  const key = find(/(?:API key|access token) ([^\s,;]+)/)
  if (app === 'file-storage') return { FILE_STORAGE_API_URL: url, FILE_STORAGE_ACCESS_TOKEN: key }
  if (app === 'issue-tracker') return { ISSUE_TRACKER_API_URL: `${url}/graphql`, ISSUE_TRACKER_API_KEY: key }
  return { EVENT_PIPELINE_API_URL: `${url}/v1`, EVENT_PIPELINE_API_KEY: key }
}

async function longestBlock(child: ChildProcess): Promise<Block> {
  const { promise, resolve } = Promise.withResolvers<Block>()
  child.once('message', (message) => {
    resolve({ elapsed: Number(member(message, 'elapsed')), processor: Number(member(message, 'processor')) })
  })
  child.send('report')
  return promise
}

/** A server over stdio; answers come in the order of the messages. */
async function overStdio(app: App, args: readonly string[], environment: Readonly<Record<string, string>>): Promise<Server> {
  const child = start(app, args, environment)
  let received: string[] = []
  let onLine: ((line: string) => void) | undefined
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    received.push(text)
    if (!text.endsWith('\n')) return
    onLine?.(received.join(''))
    received = []
  })
  const send = async (message: string) => {
    const { promise, resolve } = Promise.withResolvers<string>()
    onLine = resolve
    child.stdin?.write(`${message}\n`)
    return promise
  }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } }
  await send(JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }))
  return { send, longestBlock: () => longestBlock(child) }
}

async function overHttp(app: App, args: readonly string[], environment: Readonly<Record<string, string>>): Promise<Server> {
  const child = start(app, ['http', '--port', '0', ...args], environment)
  const said = await readUntil(child.stderr, /\/mcp/)
  const url = /http:\/\/\S+\/mcp/.exec(said)?.[0] ?? ''
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const send = async (message: string) => {
    const response = await fetch(url, { method: 'POST', headers, body: message })
    const text = await response.text()
    return /^data: (.*)$/m.exec(text)?.[1] ?? text
  }
  return { send, longestBlock: () => longestBlock(child) }
}

const call = (tool: string, args: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool}","arguments":${args}}}`

interface Row {
  readonly surface: Surface
  readonly arguments: string
  readonly bytes: number
  readonly blocked_ms: number
  readonly processor_ms: number
  readonly json_parse_ms: number
}

async function measure({ name, tool, args }: Case, surface: Surface, server: Server): Promise<Row[]> {
  const rows: Row[] = []
  for (const size of sizes[surface]) {
    const message = call(tool, args(size))
    const blocks: Block[] = []
    const parses: number[] = []
    let bytes = 0
    for (let round = 0; round < rounds; round += 1) {
      await server.longestBlock()
      const answer = await server.send(message)
      blocks.push(await server.longestBlock())
      const larger = answer.length > message.length ? answer : message
      bytes = Buffer.byteLength(larger)
      const before = process.threadCpuUsage()
      JSON.parse(larger)
      const { user, system } = process.threadCpuUsage(before)
      parses.push((user + system) / 1000)
    }
    const processor = medianOf(blocks.map((block) => block.processor))
    const parse = medianOf(parses)
    // What lies between the two sizes may take as long as a small call, or as the ratio allows.
    const allowed = bytes >= 8 * mebibyte ? maxRatioOfLarge * parse : Math.max(maxMsOfSmall, maxRatioOfLarge * parse)
    const isTooLong = processor > (size === mebibyte ? maxMsOfSmall : allowed)
    if (isTooLong) process.exitCode = 1
    const blocked = medianOf(blocks.map(({ elapsed }) => elapsed))
    const row = {
      surface,
      arguments: name,
      bytes,
      blocked_ms: round1(blocked),
      processor_ms: round1(processor),
      json_parse_ms: round1(parse),
    }
    rows.push(row)
    console.log(`${isTooLong ? 'TOO LONG ' : ''}${JSON.stringify(row)}`)
  }
  return rows
}

const round1 = (value: number) => Math.round(value * 10) / 10

const directory = mkdtempSync(path.join(tmpdir(), 'bench-'))
const source = await openSource()
try {
  const rows: Row[] = []
  for (const [surface, open] of [
    ['stdio', overStdio],
    ['http', overHttp],
  ] as const) {
    for (const each of cases) {
      const data = path.join(directory, `${surface} ${each.name}`)
      const environment = await startVendor(each.app, `${data} vendor`)
      const hosts = each.app === 'file-storage' ? ['--allow-private-urls', source.host] : []
      const server = await open(each.app, ['--data-dir', data, '--log-level', 'error', ...hosts], environment)
      if (each.app === 'file-storage')
        await server.send(call('FileStorage_UploadFile', `{"file_name":"large","source_url":"${source.url('known', 8, 0)}"}`))
      // Loads what only the first call loads.
      await server.send(call(each.tool, each.args(1_000)))
      rows.push(...(await measure(each, surface, server)))
      for (const child of started.splice(0)) child.kill()
    }
  }
  writeFileSync(path.join(root, 'lab', 'benchmarks', 'blocking.json'), `${JSON.stringify(rows, null, 2)}\n`)
} finally {
  for (const child of started) child.kill()
  await source.close()
  rmSync(directory, { recursive: true, force: true })
}
