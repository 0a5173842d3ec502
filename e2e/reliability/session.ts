import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { isObject, member } from '@mcp-toolkits/core/base'
import type { Fetch } from '@mcp-toolkits/core/upstream'
import type { Server } from '@mcp-toolkits/server/library'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { RunningClock } from '../../packages/testing/src/vendors/clock.ts'
import type { Arguments } from '../../packages/testing/src/vendors/vendor.ts'

/** The answer to a call: all of its text, and any error in it. */
export interface Answer {
  /** The whole result, as sent. */
  readonly text: string
  readonly error: CallError | undefined
  readonly result: Readonly<Record<string, unknown>>
}

export interface CallError {
  readonly code: string
  readonly message: string
  readonly retryable: boolean
  readonly retry_after_seconds?: number
}

/** A built server, embedded as a program would embed it, with a client. */
export interface Session extends AsyncDisposable {
  readonly client: Client
  readonly call: (tool: string, args: Arguments, signal?: AbortSignal, key?: string) => Promise<Answer>
  /** The log entries, one line each. */
  readonly log: string[]
}

export interface SessionOptions {
  readonly app: string
  readonly prefix: string
  readonly clock: RunningClock
  readonly fetch: Fetch
  /** The `createServer` options that select the account. */
  readonly options: Readonly<Record<string, unknown>>
  readonly dataDirectory?: string
}

/** Declares apps too, so that the client may call the tools that only apps use. */
const capabilities = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } }

/** The apps whose code this process has loaded. */
const loaded = new Set<string>()

/** Opens the built entry of an app. */
export async function openSession({ app, prefix, clock, fetch, options, dataDirectory }: SessionOptions): Promise<Session> {
  const log: string[] = []
  const createServer = await libraryOf(app)
  const directory = dataDirectory ?? (await mkdtemp(path.join(tmpdir(), 'reliability-')))
  const server = createServer({
    ...options,
    toolsets: ['all'],
    fetch,
    clock,
    dataDirectory: directory,
    log: (entry: object) => log.push(JSON.stringify(entry)),
  })
  const client = new Client({ name: 'reliability', version: '1' }, { capabilities, versionNegotiation: { mode: 'auto' } })
  const url = new URL('http://in-process/mcp')
  await client.connect(new StreamableHTTPClientTransport(url, { fetch: (target, init) => server.fetch(new Request(target, init)) }))
  if (!loaded.has(app)) {
    loaded.add(app)
    // The first call loads code. Loading takes real time, during which the clock must not move.
    const [tool] = (await client.listTools()).tools
    await client.callTool({ name: tool?.name ?? '', arguments: { no_such_argument: 1 } })
    log.length = 0
  }
  return {
    client,
    log,
    async call(tool, args, signal, key) {
      const name = `${prefix}_${tool}`
      // The server must end every call; the client's own timeout, in real time, only ends the test.
      const keyed = key !== undefined && { _meta: { 'mcp-toolkits/idempotency-key': key } }
      const result = await client.callTool({ name, arguments: { ...args }, ...keyed }, { timeout: 300_000, ...(signal && { signal }) })
      const { content, isError, structuredContent } = result
      const [block] = content
      const error = isError === true ? errorIn(block?.type === 'text' ? block.text : '') : undefined
      return { text: JSON.stringify(result), error, result: isObject(structuredContent) ? structuredContent : {} }
    },
    async [Symbol.asyncDispose]() {
      await client.close()
      await clock.until(server.close())
      if (dataDirectory === undefined) await rm(directory, { recursive: true, force: true })
    },
  }
}

/** The built package's `createServer`. */
async function libraryOf(app: string): Promise<(options: object) => Server> {
  const file = path.join(import.meta.dirname, '..', '..', 'apps', app, 'dist', 'index.js')
  const built: unknown = await import(pathToFileURL(file).href)
  if (!hasCreateServer(built)) throw new Error(`${file} exports no createServer. Build it first.`)
  return built.createServer
}

function hasCreateServer(built: unknown): built is { createServer: (options: object) => Server } {
  return typeof built === 'object' && built !== null && 'createServer' in built && typeof built.createServer === 'function'
}

function errorIn(text: string): CallError {
  const parsed: unknown = JSON.parse(text)
  const error = member(parsed, 'error')
  if (!isCallError(error)) throw new Error(`This is not an error as JSON: ${text.slice(0, 500)}`)
  return error
}

function isCallError(value: unknown): value is CallError {
  return (
    typeof member(value, 'code') === 'string' &&
    typeof member(value, 'message') === 'string' &&
    typeof member(value, 'retryable') === 'boolean'
  )
}
