import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as V1StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as V1StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { baseEnvironment, runNode, temporaryDirectory } from './command.ts'

/** A server: a program to start (Node by default), or a URL. */
export type Target = Started | { readonly url: string }

interface Started {
  readonly args: readonly string[]
  readonly command?: string
  readonly environment?: Readonly<Record<string, string>>
}

/** A client as tests see it, from any library. */
export interface AnyClient extends AsyncDisposable {
  readonly names: () => Promise<string[]>
  /** The structured result of a call. */
  readonly call: (name: string, args: Readonly<Record<string, unknown>>) => Promise<unknown>
}

type Connect = (target: Target) => Promise<AnyClient>
type Mode = 'legacy' | 'auto' | { readonly pin: string }

const identity = { name: 'e2e', version: '1' }

/** Every official client, with each way to negotiate. */
export const clients = {
  'client 2, 2026-07-28': connectV2({ pin: '2026-07-28' }),
  'client 2, auto': connectV2('auto'),
  'client 2, legacy': connectV2('legacy'),
  'client 1': connectV1,
  'Inspector CLI': connectInspector,
} as const satisfies Readonly<Record<string, Connect>>

function command({ args, command: program = process.execPath, environment = {} }: Started) {
  return { command: program, args: [...args], env: { ...baseEnvironment(), ...environment } }
}

function connectV2(mode: Mode): Connect {
  return async (target) => {
    const client = new Client(identity, { versionNegotiation: { mode } })
    await client.connect(
      'url' in target ? new StreamableHTTPClientTransport(new URL(target.url)) : new StdioClientTransport(command(target)),
    )
    return {
      names: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: async (name, args) => (await client.callTool({ name, arguments: { ...args } })).structuredContent,
      [Symbol.asyncDispose]: () => client.close(),
    }
  }
}

async function connectV1(target: Target): Promise<AnyClient> {
  const client = new V1Client(identity)
  await client.connect(
    'url' in target ? new V1StreamableHTTPClientTransport(new URL(target.url)) : new V1StdioClientTransport(command(target)),
  )
  return {
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args) => (await client.callTool({ name, arguments: { ...args } })).structuredContent,
    [Symbol.asyncDispose]: () => client.close(),
  }
}

/** The Inspector's command line. */
export const inspectorMain = path.join(
  path.dirname(fileURLToPath(import.meta.resolve('@modelcontextprotocol/inspector/package.json'))),
  'clients/launcher/build/index.js',
)

/** Keeps the Inspector out of the home directory and the keyring. */
export const inspectorEnvironment = (home: string) => ({ HOME: home, MCP_INSPECTOR_SECRET_STORE: 'memory' })

/** Runs the Inspector's command line once per request, with an empty home directory. */
async function connectInspector(target: Target): Promise<AnyClient> {
  const home = await temporaryDirectory()
  const where = 'url' in target ? [target.url, '--transport', 'http'] : [process.execPath, ...target.args]
  const ask = async (method: string, ...more: string[]) => {
    const args = [inspectorMain, '--cli', ...where, '--method', method, ...more, '--format', 'json']
    const { code, output, errors } = await runNode(args, { environment: inspectorEnvironment(home) })
    if (code !== 0) throw new Error(`The Inspector ended with ${code}: ${errors}`)
    const parsed: unknown = JSON.parse(output)
    return member(parsed, 'result')
  }
  return {
    names: async () => {
      const tools = member(await ask('tools/list'), 'tools')
      return Array.isArray(tools) ? tools.map((tool: unknown) => String(member(tool, 'name'))) : []
    },
    call: async (name, args) => {
      const pairs = Object.entries(args).flatMap(([key, value]) => ['--tool-arg', `${key}=${String(value)}`])
      return member(await ask('tools/call', '--tool-name', name, ...pairs), 'structuredContent')
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? new Map<string, unknown>(Object.entries(value)).get(name) : undefined
}
