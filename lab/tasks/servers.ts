// An agent's servers, as processes in front of a task's worlds.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { type Vendor, vendors } from './task.ts'
import type { World } from './worlds/index.ts'

/** An agent's servers, by vendor. */
export type Servers = Readonly<Partial<Record<Vendor, ServerCommand>>>

/** The command that starts a server for a vendor. */
export interface ServerCommand {
  readonly command: string
  readonly args: readonly string[]
  /** Variables, in which `{url}` and `{key}` stand for the vendor's URL and the account's key. */
  readonly environment: Readonly<Record<string, string>>
}

/** Our servers' names and variables, by vendor. */
const environments: Readonly<Record<Vendor, readonly [name: string, environment: ServerCommand['environment']]>> = {
  linear: ['issue-tracker', { ISSUE_TRACKER_API_KEY: '{key}', ISSUE_TRACKER_API_URL: '{url}/graphql' }],
  drive: ['file-storage', { FILE_STORAGE_ACCESS_TOKEN: '{key}', FILE_STORAGE_API_URL: '{url}' }],
  events: ['event-pipeline', { EVENT_PIPELINE_API_KEY: '{key}', EVENT_PIPELINE_API_URL: '{url}/v1' }],
}

/** Our servers for some vendors. `mainOf` finds the file that starts a server. */
export function ourServers(mainOf: (name: string) => string, wanted: readonly Vendor[] = vendors): Servers {
  return Object.fromEntries(
    wanted.map((vendor): [Vendor, ServerCommand] => {
      const [name, own] = environments[vendor]
      const environment = { ...own, MCP_TOOLKITS_TOOLSETS: 'all', MCP_TOOLKITS_DATA_DIR: '{directory}' }
      return [vendor, { command: process.execPath, args: [mainOf(name)], environment }]
    }),
  )
}

/** Options for other people's servers. */
export interface GivenServers {
  readonly env: readonly string[]
  /** The file that redirects all requests of a Node server to the vendor on this machine; undefined to leave them alone. */
  readonly preload: string | undefined
}

/** Variables for a server whose requests all go to the vendor on this machine. */
export const redirection = (preload: string): ServerCommand['environment'] => ({
  BENCH_UPSTREAM: '{url}',
  NODE_OPTIONS: `--import=${pathToFileURL(preload).href}`,
})

/** Programs that download a server before they start it. */
const installers = new Set(['npx', 'npm', 'pnpm', 'pnpx', 'yarn', 'bunx'])

/** The server in `--server VENDOR=COMMAND`. Throws for any other text. */
export function givenServer(line: string, { env, preload }: GivenServers): Servers {
  const given = Object.fromEntries(env.map((each) => [each.slice(0, each.indexOf('=')), each.slice(each.indexOf('=') + 1)]))
  const vendor = vendors.find((each) => line.startsWith(`${each}=`))
  if (!vendor) throw new Error(`"${line}" is neither ours, nor a peer, nor VENDOR=COMMAND; vendors are ${vendors.join(', ')}.`)
  const words = line.slice(vendor.length + 1).match(/"[^"]*"|\S+/g) ?? []
  const [command = '', ...args] = words.map((word) => word.replaceAll('"', ''))
  if (preload !== undefined && installers.has(path.parse(command).name))
    throw new Error(`--redirect would also redirect what ${command} downloads. Install the server, and give "${vendor}=node FILE".`)
  return { [vendor]: { command, args, environment: { ...given, ...(preload !== undefined && redirection(preload)) } } }
}

export interface RunningServer extends AsyncDisposable {
  readonly client: Client
}

/** Starts a server in front of a world, with its own directory. */
export async function startServer({ command, args, environment }: ServerCommand, { url, key, signIn }: World): Promise<RunningServer> {
  const directory = mkdtempSync(path.join(tmpdir(), 'tasks-'))
  const token = Object.values(environment).includes('{token}') ? ((await signIn?.()) ?? '') : ''
  const filled = (text: string) =>
    text.replaceAll('{url}', url).replaceAll('{key}', key).replaceAll('{token}', token).replaceAll('{directory}', directory)
  const { PATH = '' } = process.env
  const given = Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, filled(value)]))
  const env = { PATH, HOME: directory, ...given }
  const client = new Client({ name: 'tasks', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  const end = async () => {
    await client.close()
    rmSync(directory, { recursive: true, force: true })
  }
  try {
    await client.connect(new StdioClientTransport({ command, args: args.map(filled), env, stderr: 'ignore' }))
  } catch (error) {
    await end()
    throw error
  }
  return { client, [Symbol.asyncDispose]: end }
}
