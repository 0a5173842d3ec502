import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Clock, isObject, member } from '@mcp-toolkits/core/base'
import type { ErrorBody } from '@mcp-toolkits/core/errors'
import type { Fetch } from '@mcp-toolkits/core/upstream'
import type { ConnectOptions, ServerDefinition, Settings } from '@mcp-toolkits/server'
import { openInProcess, type Server } from '@mcp-toolkits/server/library'
import { withToolsets } from '@mcp-toolkits/server/mcp'
import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

type Arguments = Record<string, unknown>

/** A running server and a real MCP client in front of it; no port is opened. */
export interface ConnectedServer extends AsyncDisposable {
  readonly client: Client
  /** Makes a call and returns its structured result; a tool error fails the test. */
  readonly call: (name: string, args?: Arguments) => Promise<Record<string, unknown>>
  /** Makes a call that fails, and returns its error; success fails the test. */
  readonly fails: (name: string, args?: Arguments) => Promise<ErrorBody>
  /** Makes a call and returns its whole result, successful or not. */
  readonly result: (name: string, args?: Arguments) => Promise<CallToolResult>
  readonly logLines: readonly string[]
  /** The server itself, for another client. */
  readonly fetch: (request: Request) => Promise<Response>
  /** Resumes the work of earlier processes, as a starting process does. */
  readonly resume: () => Promise<void>
  /** Shuts the server down, leaving its work to the next one. */
  readonly close: () => Promise<void>
}

export type ConnectSettings = Partial<Settings> &
  Pick<ConnectOptions, 'shared'> & {
    /** The vendor: an emulator's `fetch`. */
    readonly fetch?: Fetch
    /** The server's source of time; the system clock by default. */
    readonly clock?: Clock
    /** Opens the pages that a call asks the person to open; if absent, the client cannot open pages. */
    readonly openUrl?: (url: string) => Promise<unknown>
  }

/** Connects a real client to a server whose vendor is an emulator. */
export async function connect<Context>(
  definition: ServerDefinition<Context>,
  { fetch, clock, shared, openUrl, ...overrides }: ConnectSettings,
): Promise<ConnectedServer> {
  const logLines: string[] = []
  const dataDirectory = await mkdtemp(path.join(tmpdir(), 'mcp-toolkits-'))
  // The time zone of the test machine must not matter.
  const environment = { TZ: 'UTC', ...overrides.environment }
  const settings: Settings = { embedded: false, dataDirectory, readOnly: false, toolNames: 'safe', ...overrides, environment }
  const server = openInProcess(await withToolsets(definition, settings), settings, {
    ...(fetch && { fetch }),
    ...(clock && { clock }),
    ...(shared && { shared }),
    write: (line) => logLines.push(line),
  })
  const client = await connectClient(server.fetch, openUrl)
  const result = async (name: string, args: Arguments = {}) => client.callTool({ name, arguments: args })
  return {
    client,
    result,
    logLines,
    fetch: server.fetch,
    resume: server.resume,
    close: server.close,
    async call(name, args) {
      const { isError, structuredContent, content } = await result(name, args)
      if (isError === true || !isObject(structuredContent)) throw new Error(`${name} failed: ${JSON.stringify(content)}`)
      return { ...structuredContent }
    },
    async fails(name, args) {
      const { isError, content } = await result(name, args)
      const [block] = content
      if (isError !== true || block?.type !== 'text') throw new Error(`${name} did not fail: ${JSON.stringify(content)}`)
      const error = parseError(block.text)
      // A tool named in our messages is a mention, and mentions use the advertised spelling.
      if (settings.toolNames === 'safe' && new RegExp(`\\b${definition.prefix}\\.[A-Z]`).test(error.message))
        throw new Error(`${name}'s error contains a tool name that is not a mention: ${error.message}`)
      return error
    },
    async [Symbol.asyncDispose]() {
      await client.close()
      await server.close()
      await rm(dataDirectory, { recursive: true, force: true })
    },
  }
}

/** A server opened by a program, a real MCP client in front of it, and the requests that reach its vendor. */
export interface ConnectedLibrary extends AsyncDisposable {
  /** Makes a call and returns the text of its result, successful or not. */
  readonly call: (name: string, args?: Arguments) => Promise<string>
  /** Requests to the vendor with their credentials: `GET https://… Bearer …`. */
  readonly requests: readonly string[]
}

/** Opens a server as a program does. `open` gets a fetch for the server, which records requests and passes them on. */
export async function connectLibrary(open: (fetch: Fetch) => Server, vendor: Fetch): Promise<ConnectedLibrary> {
  const requests: string[] = []
  const server = open((input, init) => {
    const { method, url, headers: own } = input instanceof Request ? input : new Request(input, init)
    const headers = new Headers(init?.headers ?? own)
    requests.push(`${method} ${url} ${headers.get('authorization') ?? ''}`)
    return vendor(input, init)
  })
  const client = await connectClient(server.fetch)
  return {
    requests,
    async call(name, args = {}) {
      const { content } = await client.callTool({ name, arguments: args })
      return content.map((block) => (block.type === 'text' ? block.text : '')).join('')
    },
    async [Symbol.asyncDispose]() {
      await client.close()
      await server.close()
    },
  }
}

/**
 * Folder in which Node keeps compiled TypeScript: a program with all of a server's sources starts several times as fast the second time.
 */
export const compileCache = path.join(import.meta.dirname, '..', '..', '..', 'node_modules', '.cache', 'compiled')

/** A server in a separate process, with a real MCP client talking to it over stdio. */
export interface ConnectedProgram extends AsyncDisposable {
  /** Makes a call and returns its structured result; `key` is its idempotency key. Rejects if the process dies. */
  readonly call: (name: string, args: Arguments, key?: string) => Promise<Record<string, unknown>>
  /** Kills the process without giving it a chance to react. */
  readonly kill: () => void
}

/** Starts a Node program that serves MCP over stdio, and connects to it. */
export async function connectProgram(program: readonly string[], environment: Record<string, string>): Promise<ConnectedProgram> {
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio')
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...program],
    env: { NODE_COMPILE_CACHE: compileCache, ...environment },
    stderr: 'ignore',
  })
  const client = new Client({ name: 'tests', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(transport)
  return {
    async call(name, args, key) {
      const meta = key === undefined ? {} : { _meta: { 'mcp-toolkits/idempotency-key': key } }
      const { isError, structuredContent, content } = await client.callTool({ name, arguments: args, ...meta })
      if (isError === true || !isObject(structuredContent)) throw new Error(`${name} failed: ${JSON.stringify(content)}`)
      return { ...structuredContent }
    },
    kill() {
      if (transport.pid !== null) process.kill(transport.pid, 'SIGKILL')
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}

async function connectClient(fetch: (request: Request) => Promise<Response>, openUrl?: ConnectSettings['openUrl']): Promise<Client> {
  const capabilities = openUrl ? { elicitation: { url: {} } } : {}
  const client = new Client({ name: 'tests', version: '1' }, { versionNegotiation: { mode: 'auto' }, capabilities })
  if (openUrl) {
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      if (!('url' in params)) throw new Error('This client only opens pages.')
      await openUrl(params.url)
      return { action: 'accept' }
    })
  }
  const url = new URL('http://localhost/mcp')
  await client.connect(new StreamableHTTPClientTransport(url, { fetch: (target, init) => fetch(new Request(target, init)) }))
  return client
}

/** The error in a text block's JSON. */
export function parseError(text: string): ErrorBody {
  const parsed: unknown = JSON.parse(text)
  if (!hasError(parsed)) throw new Error(`This is not an error as JSON: ${text}`)
  return parsed.error
}

function hasError(value: unknown): value is { error: ErrorBody } {
  return isObject(member(value, 'error'))
}
