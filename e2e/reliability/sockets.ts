import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import path from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { gzipSync } from 'node:zlib'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { baseEnvironment, temporaryDirectory } from '../command.ts'
import { listenOnLoopback } from '../../packages/testing/src/processes/loopback.ts'
import { RunningClock } from '../../packages/testing/src/vendors/clock.ts'
import { environmentOf } from '../../packages/testing/src/vendors/environment.ts'
import type { Arguments, Vendor } from '../../packages/testing/src/vendors/vendor.ts'

const megabyte = 1024 * 1024
const page = '<!doctype html><html><body>Sign in to the network</body></html>'

/** A fault on a real connection; `genuine` gets the vendor's own response. */
type SocketFault = (
  response: ServerResponse,
  genuine: () => Promise<{ readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: Buffer }>,
) => void | Promise<void>

const text = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): SocketFault => {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  }
}

/** One of 64 parts of a gigabyte of blanks, compressed to about a megabyte: gzip members may be concatenated. */
const bombPart = gzipSync(Buffer.alloc(16 * megabyte, ' '))
const bombParts = 64

/** Writes a part `count` times, as fast as it is read, or until the reader disconnects. */
async function pour(response: ServerResponse, part: Buffer, count: number): Promise<void> {
  const parts = function* () {
    for (let index = 0; index < count; index += 1) yield part
  }
  await pipeline(Readable.from(parts()), response).catch(() => undefined)
}

/** A sample of each kind of fault, on real sockets. */
export const socketFaults = {
  'HTTP 500': text(500, '{}'),
  'HTTP 429 with Retry-After': text(429, '{}', { 'retry-after': '1' }),
  'reset before the commit': (response) => {
    response.socket?.resetAndDestroy()
  },
  'reset after the commit': async (response, genuine) => {
    await genuine()
    response.socket?.resetAndDestroy()
  },
  truncated: async (response, genuine) => {
    const { status, body } = await genuine()
    response
      .writeHead(status, { 'content-type': 'application/json', 'content-length': String(body.length + 100) })
      .write(body, () => response.destroy())
  },
  'HTML page': text(200, page, { 'content-type': 'text/html' }),
  empty: text(200, ''),
  'invalid JSON': text(200, '{"data": '),
  'wrong type': text(200, '[17]'),
  '10 MB page': async (response) => {
    response.writeHead(200, { 'content-type': 'text/html' })
    await pour(response, Buffer.alloc(megabyte, 'x'), 10)
  },
  'gzip bomb': async (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
    await pour(response, bombPart, bombParts)
  },
  // Sends the head of the genuine response, which announces the requested part of a file.
  'endless content': async (response, genuine) => {
    const { status, headers } = await genuine()
    const others = Object.entries(headers).filter(([name]) => name !== 'content-length')
    response.writeHead(status, Object.fromEntries(others))
    await pour(response, Buffer.alloc(megabyte, 'x'), Infinity)
  },
  'endless answer': async (response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    await pour(response, Buffer.alloc(megabyte, ' '), Infinity)
  },
  hang: () => undefined,
} as const satisfies Readonly<Record<string, SocketFault>>

export type SocketFaultName = keyof typeof socketFaults

/** A vendor's emulator on a real socket, where requests can be made to fail. */
export interface SocketVendor extends AsyncDisposable {
  readonly url: string
  readonly calls: Readonly<Record<string, Arguments>>
  readonly options: Readonly<Record<string, unknown>>
  /** Makes the next `count` requests fail in this way; with `isMeant`, only those whose URL it accepts. */
  readonly fail: (fault: SocketFaultName, count: number, isMeant?: (url: string) => boolean) => void
  readonly requests: () => number
  readonly changes: () => Promise<number>
}

export async function startSocketVendor(vendor: Vendor): Promise<SocketVendor> {
  const opened = await vendor.open(new RunningClock(Date.now()))
  let next: SocketFault | undefined
  let remaining = 0
  let isNext: (url: string) => boolean = () => true
  let requests = 0
  const genuine = async (request: IncomingMessage) => {
    const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' ? [[name, value]] : [],
    )
    const body = await buffer(request)
    const { method = 'GET', url = '/' } = request
    const answer = await opened.fetch(`http://localhost${url}`, {
      method,
      headers,
      ...(method !== 'GET' && { body: new Uint8Array(body) }),
    })
    return { status: answer.status, headers: Object.fromEntries(answer.headers), body: Buffer.from(await answer.arrayBuffer()) }
  }
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    requests += 1
    if (next && remaining > 0 && isNext(request.url ?? '')) {
      remaining -= 1
      await next(response, () => genuine(request))
      return
    }
    const { status, headers, body } = await genuine(request)
    response.writeHead(status, headers).end(body)
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  const listener = await listenOnLoopback(server)
  return {
    url: listener.url,
    calls: opened.calls,
    options: opened.options,
    fail(fault, count, isMeant = () => true) {
      next = socketFaults[fault]
      remaining = count
      isNext = isMeant
    },
    requests: () => requests,
    changes: async () => opened.changes(),
    async [Symbol.asyncDispose]() {
      await listener[Symbol.asyncDispose]()
      await opened[Symbol.asyncDispose]()
    },
  }
}

/** The built command over stdio, with a client. */
export interface CommandProcess extends AsyncDisposable {
  /** Makes a call; resolves with the result's text, and true if it is an error. */
  readonly call: (tool: string, args: Arguments) => Promise<{ readonly text: string; readonly isError: boolean }>
  /** Begins to measure memory; the returned function returns the maximum growth since then, in bytes. Linux only. */
  readonly watchMemory: () => () => number
}

/** Starts the command. Its files fail beyond `maxFileBlocks` blocks of 1,024 bytes, as if the disk were full. */
export async function startCommand(
  vendor: Vendor,
  upstream: Pick<SocketVendor, 'url' | 'options'>,
  { maxFileBlocks }: { readonly maxFileBlocks?: number } = {},
): Promise<CommandProcess> {
  const { name: app, prefix } = vendor.server
  const main = path.join(import.meta.dirname, '..', '..', 'apps', app, 'dist', 'main.js')
  const words = [process.execPath, main, '--log-level', 'error', '--data-dir', await temporaryDirectory()]
  const limit = maxFileBlocks === undefined ? '' : `ulimit -f ${maxFileBlocks};`
  const transport = new StdioClientTransport({
    command: 'bash',
    args: ['-c', `${limit} exec "$@"`, 'bash', ...words],
    env: { ...baseEnvironment(), ...environmentOf(vendor, upstream) },
  })
  const client = new Client({ name: 'reliability', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(transport)
  return {
    async call(tool, args) {
      const { content, isError } = await client.callTool({ name: `${prefix}_${tool}`, arguments: { ...args } }, { timeout: 120_000 })
      return { text: JSON.stringify(content), isError: isError === true }
    },
    watchMemory() {
      const directory = `/proc/${String(transport.pid)}`
      const bytes = (field: string) =>
        Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`${directory}/status`, 'utf8'))?.[1] ?? NaN) * 1024
      // Writing 5 resets the peak: https://docs.kernel.org/filesystems/proc.html
      writeFileSync(`${directory}/clear_refs`, '5')
      const before = bytes('VmRSS')
      return () => bytes('VmHWM') - before
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}
