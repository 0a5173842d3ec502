// The servers of an agent, as processes in front of the worlds of a task.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { type Vendor, vendors } from './task.ts'
import type { World } from './worlds/index.ts'

/** Starts a server for a vendor. */
export interface ServerCommand {
  readonly command: string
  readonly args: readonly string[]
  /** Variables, in which `{url}` and `{key}` stand for the vendor's address and the account's key. */
  readonly environment: Readonly<Record<string, string>>
}

const apps = path.join(import.meta.dirname, '..', '..', 'apps')

const ours = (app: string, environment: ServerCommand['environment']): ServerCommand => ({
  command: process.execPath,
  args: [path.join(apps, app, 'dist', 'main.js')],
  environment: { ...environment, MCP_TOOLKITS_TOOLSETS: 'all', MCP_TOOLKITS_DATA_DIR: '{directory}' },
})

/** Our servers, built from this checkout. */
export const ourServers: Readonly<Record<Vendor, ServerCommand>> = {
  linear: ours('issue-tracker', { ISSUE_TRACKER_API_KEY: '{key}', ISSUE_TRACKER_API_URL: '{url}/graphql' }),
  drive: ours('file-storage', { FILE_STORAGE_ACCESS_TOKEN: '{key}', FILE_STORAGE_API_URL: '{url}' }),
  events: ours('event-pipeline', { EVENT_PIPELINE_API_KEY: '{key}', EVENT_PIPELINE_API_URL: '{url}/v1' }),
}

/** The servers of `--server`: ours, or a command line for a vendor. */
export function serversOf(lines: readonly string[], { env, redirect }: { readonly env: readonly string[]; readonly redirect: boolean }) {
  const given = Object.fromEntries(env.map((each) => [each.slice(0, each.indexOf('=')), each.slice(each.indexOf('=') + 1)]))
  const preload = path.join(import.meta.dirname, '..', 'benchmarks', 'peers', 'preload.ts')
  const environment = { ...given, ...(redirect && { BENCH_UPSTREAM: '{url}', NODE_OPTIONS: `--import=${preload}` }) }
  return lines.reduce<Readonly<Partial<Record<Vendor, ServerCommand>>>>((servers, line) => {
    if (line === 'ours') return { ...servers, ...ourServers }
    const vendor = vendors.find((each) => line.startsWith(`${each}=`))
    if (!vendor) throw new Error(`"${line}" is neither ours nor VENDOR=COMMAND; vendors are ${vendors.join(', ')}.`)
    const [command = '', ...args] =
      line
        .slice(vendor.length + 1)
        .match(/"[^"]*"|\S+/g)
        ?.map((word) => word.replaceAll('"', '')) ?? []
    return { ...servers, [vendor]: { command, args, environment } }
  }, {})
}

export interface RunningServer extends AsyncDisposable {
  readonly client: Client
}

/** Starts a server in front of a world, with a directory of its own. */
export async function startServer({ command, args, environment }: ServerCommand, { url, key }: World): Promise<RunningServer> {
  const directory = mkdtempSync(path.join(tmpdir(), 'tasks-'))
  const filled = (text: string) => text.replaceAll('{url}', url).replaceAll('{key}', key).replaceAll('{directory}', directory)
  const { PATH = '' } = process.env
  const given = Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, filled(value)]))
  const env = { PATH, HOME: directory, ...given }
  const client = new Client({ name: 'tasks', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new StdioClientTransport({ command, args: args.map(filled), env, stderr: 'ignore' }))
  return {
    client,
    async [Symbol.asyncDispose]() {
      await client.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
