import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Client, StreamableHTTPClientTransport, type CallToolResult } from '@modelcontextprotocol/client'
import type { ErrorBody, Fetch } from '@mcp-toolkits/core'
import type { Clock } from '@mcp-toolkits/core/clock'
import type { ServerDefinition, Settings } from '@mcp-toolkits/server'
import { openInProcess } from '@mcp-toolkits/server/in-process'

/** A running server and a real MCP client in front of it; no port is opened. */
export interface Connected extends AsyncDisposable {
  readonly client: Client
  /** The structured result of a call that succeeds; a tool error fails the test. */
  readonly call: (name: string, args?: Record<string, unknown>) => Promise<Record<string, unknown>>
  /** The error of a call that fails; success fails the test. */
  readonly fails: (name: string, args?: Record<string, unknown>) => Promise<ErrorBody>
  /** The whole result, whatever it is. */
  readonly result: (name: string, args?: Record<string, unknown>) => Promise<CallToolResult>
  /** Lines that the server logged. */
  readonly logged: readonly string[]
}

export type ConnectSettings = Partial<Settings> & {
  /** The vendor: an emulator's `fetch`. */
  readonly fetch?: Fetch
  /** The server's source of time; the system's when absent. */
  readonly clock?: Clock
  /** Opens the pages that a call leads to; without it the client cannot. */
  readonly visit?: (url: string) => Promise<unknown>
}

/** Connects a real client to a server whose vendor is an emulator. */
export async function connect<Context>(
  definition: ServerDefinition<Context>,
  { fetch, clock, visit, ...given }: ConnectSettings,
): Promise<Connected> {
  const logged: string[] = []
  const dataDirectory = await mkdtemp(path.join(tmpdir(), 'mcp-toolkits-'))
  const settings: Settings = { embedded: false, dataDirectory, readOnly: false, toolNames: 'safe', environment: {}, ...given }
  const server = openInProcess(definition, settings, {
    ...(fetch && { fetch }),
    ...(clock && { clock }),
    write: (line) => logged.push(line),
  })
  const capabilities = visit ? { elicitation: { url: {} } } : {}
  const client = new Client({ name: 'tests', version: '1' }, { versionNegotiation: { mode: 'auto' }, capabilities })
  if (visit) {
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      if (!('url' in params)) throw new Error('This client only opens pages.')
      await visit(params.url)
      return { action: 'accept' }
    })
  }
  await client.connect(
    new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch: (url, init) => server.fetch(new Request(url, init)) }),
  )
  const result = async (name: string, args: Record<string, unknown> = {}) => client.callTool({ name, arguments: args })
  return {
    client,
    result,
    logged,
    async call(name, args) {
      const { isError, structuredContent, content } = await result(name, args)
      if (isError === true || structuredContent === undefined) throw new Error(`${name} failed: ${JSON.stringify(content)}`)
      return asObject(structuredContent)
    },
    async fails(name, args) {
      const { isError, content } = await result(name, args)
      const [block] = content
      if (isError !== true || block?.type !== 'text') throw new Error(`${name} did not fail: ${JSON.stringify(content)}`)
      return errorIn(block.text)
    },
    async [Symbol.asyncDispose]() {
      await client.close()
      await server.close()
      await rm(dataDirectory, { recursive: true, force: true })
    },
  }
}

function asObject(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new Error('The structured content is no object.')
  return { ...value }
}

/** The error in the JSON of a text block. */
export function errorIn(text: string): ErrorBody {
  const parsed: unknown = JSON.parse(text)
  if (!holdsError(parsed)) throw new Error(`This is no error of ours: ${text}`)
  return parsed.error
}

function holdsError(value: unknown): value is { error: ErrorBody } {
  return typeof value === 'object' && value !== null && 'error' in value && typeof value.error === 'object'
}
