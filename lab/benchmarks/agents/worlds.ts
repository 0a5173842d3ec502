// A server in this process in front of an emulator that keeps state, with a real MCP client.
import { createServer } from 'node:http'
import path from 'node:path'
import { type Client, ProtocolError, type Tool } from '@modelcontextprotocol/client'
import { systemClock, type Clock } from '../../../packages/core/src/base/clock.ts'
import { isObject, member, parseJson, type JsonObject } from '../../../packages/core/src/base/json.ts'
import type { Fetch } from '../../../packages/core/src/upstream/index.ts'
import { driveEmulator } from '../../../packages/emulators/drive/src/index.ts'
import { linearEmulator } from '../../../packages/emulators/linear/src/index.ts'
import { pipelinesEmulator } from '../../../packages/emulators/pipelines/src/index.ts'
import { listenOnLoopback } from '../../../packages/testing/src/processes/loopback.ts'
import { connect, type ConnectedServer } from '../../../packages/testing/src/connect.ts'
import { eventPipeline, fileStorage, issueTracker } from '../../../servers.ts'
import { serverNames, type Arguments, type Call, type ServerName } from './cases.ts'

/** A Friday; every run sees the same day. */
export const today = Date.UTC(2026, 10, 20, 9, 30)

export type Reply =
  | { readonly kind: 'result'; readonly data: JsonObject; readonly bytes: number }
  | { readonly kind: 'error'; readonly error: JsonObject; readonly bytes: number }
  /** A protocol error, such as for an unknown tool, with its data. */
  | { readonly kind: 'protocol error'; readonly error: JsonObject; readonly bytes: number }

export interface World extends AsyncDisposable {
  readonly name: ServerName
  readonly client: Client
  /** Calls a tool by its name without the prefix, or by an unknown name. */
  readonly call: (call: Call) => Promise<Reply>
  readonly isRead: (tool: string) => boolean
  /** The vendor's content, without ids and times, which differ from run to run. */
  readonly state: () => Promise<string>
  /** True if anything was written since the last reset. */
  readonly isChanged: () => boolean
  /** Restores the seed, and makes the server forget it. */
  readonly reset: () => Promise<void>
  /** Adds `count` items for tests of large lists. */
  readonly fill: (count: number) => void
}

/** A vendor, and the way to reach it. */
interface Vendor {
  readonly fetch: Fetch
  readonly reset: () => void
  readonly close: () => Promise<void>
  readonly environment: Readonly<Record<string, string>>
  readonly prefix: string
  /** URL that uploads come from. */
  readonly source?: string
  readonly stored: () => unknown
  readonly writes: () => number
  readonly fill: (count: number) => void
  readonly connect: (settings: { readonly fetch: Fetch; readonly clock: Clock }) => Promise<ConnectedServer>
}

const now = () => today

/** A clock on which waits take no time and the day is always the same. */
const clock: Clock = { ...systemClock, now, sleep: (_ms, signal) => systemClock.sleep(0, signal) }

const vendors: Readonly<Record<ServerName, () => Vendor | Promise<Vendor>>> = {
  'issue-tracker'() {
    const emulator = linearEmulator({ seed: 'edge-cases', apiKey: 'lin_api_bench', now, limits: { requests: 1e9, points: 1e12 } })
    const environment = { ISSUE_TRACKER_API_KEY: 'lin_api_bench' }
    return {
      ...emulator,
      environment,
      prefix: 'IssueTracker',
      connect: (settings) => issueTracker.withDefinition((definition) => connect(definition, { ...settings, environment })),
      writes: () => emulator.store.mutations().length,
      fill: emulator.addIssues,
      stored() {
        const { store } = emulator
        return {
          issues: store.issues().map((row) => ({
            ...row,
            labels: store.labelsOf(String(row['id'])),
            subscribers: store.subscribersOf(String(row['id'])),
          })),
          projects: store.projects().map((row) => ({ ...row, teams: store.teamsOf(String(row['id'])) })),
          comments: store.comments(),
          attachments: store.attachments(),
          relations: store.relations(),
          updates: store.projectUpdates(),
          initiatives: store.initiatives(),
          links: store.projectLinks(),
        }
      },
    }
  },
  async 'file-storage'() {
    const emulator = driveEmulator({ seed: 'edge-cases', accessToken: 'bench-token', now })
    const source = await openSource()
    const environment = { FILE_STORAGE_ACCESS_TOKEN: 'bench-token', FILE_STORAGE_ALLOW_PRIVATE_URLS: source.host }
    return {
      ...emulator,
      environment,
      prefix: 'FileStorage',
      source: source.host,
      async close() {
        await source.close()
        await emulator.close()
      },
      connect: (settings) => fileStorage.withDefinition((definition) => connect(definition, { ...settings, environment })),
      writes: () => emulator.store.mutations().length + emulator.store.mails().length,
      fill: emulator.addFiles,
      stored: () => ({
        files: emulator.store
          .files()
          .map(({ id, name, parentId, trashedTime, mimeType }) => ({ id, name, parentId, trashedTime, mimeType })),
        permissions: emulator.store.permissions(),
        mails: emulator.store.mails().map(({ fileId, recipient, role, message }) => ({ fileId, recipient, role, message })),
      }),
    }
  },
  'event-pipeline'() {
    const emulator = pipelinesEmulator({ seed: 'empty', apiKey: 'bench-key', now })
    const environment = { EVENT_PIPELINE_API_KEY: 'bench-key' }
    return {
      ...emulator,
      environment,
      prefix: 'EventPipelineApi',
      connect: (settings) => eventPipeline.withDefinition((definition) => connect(definition, { ...settings, environment })),
      writes: () => emulator.store.events().length,
      fill: () => undefined,
      // An event that the vendor dropped or refused leaves nothing behind.
      stored: () =>
        emulator.store.events().flatMap(({ outcome, type, body }) => (outcome === 'accepted' ? [{ type, body: bodyOf(body) }] : [])),
    }
  },
}

/** The host in upload URLs. It stands for a server on this machine that responds to every path with a few words. */
const sourceHost = 'source.example'

async function openSource() {
  const types = new Map([
    ['.txt', 'text/plain'],
    ['.pdf', 'application/pdf'],
    ['.zip', 'application/zip'],
    ['.webp', 'image/webp'],
  ])
  const server = createServer((request, response) => {
    response.setHeader('content-type', types.get(path.extname(request.url ?? '')) ?? 'application/octet-stream').end('A few words.')
  })
  const listener = await listenOnLoopback(server)
  return { host: new URL(listener.url).host, close: () => listener[Symbol.asyncDispose]() }
}

/** An event's body without the server's additions. */
function bodyOf(text: string): unknown {
  const body = parseJson(text)
  if (!isObject(body)) return text
  const { timestamp } = body
  const rest = without(body, ['messageId', 'timestamp'])
  // The server adds the time of the call; any other time was given.
  return String(timestamp).startsWith(new Date(today).toISOString().slice(0, 10)) ? rest : { ...rest, timestamp }
}

/** Opens a server with a fresh seed. */
export async function openWorld(name: ServerName): Promise<World> {
  const vendor = await vendors[name]()
  let server = await vendor.connect({ fetch: vendor.fetch, clock })
  const known = new Set(JSON.stringify(await vendor.stored()).match(idPattern))
  const { tools } = await server.client.listTools()
  const reads = new Set(tools.flatMap(({ name: tool, annotations }) => (annotations?.readOnlyHint === true ? [tool] : [])))
  const names = new Set(tools.map((tool) => tool.name))
  const advertised = (tool: string) => (names.has(`${vendor.prefix}_${tool}`) ? `${vendor.prefix}_${tool}` : tool)
  return {
    name,
    get client() {
      return server.client
    },
    call: ({ tool, args }) => callTool(server.client, advertised(tool), withSource(args, vendor.source)),
    isRead: (tool) => reads.has(advertised(tool)),
    state: async () => normalized(await vendor.stored(), known),
    isChanged: () => vendor.writes() > 0,
    async reset() {
      await server[Symbol.asyncDispose]()
      vendor.reset()
      server = await vendor.connect({ fetch: vendor.fetch, clock })
    },
    fill: vendor.fill,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await vendor.close()
    },
  }
}

/** The arguments with the host that uploads come from. */
function withSource(args: Arguments, host: string | undefined): Arguments {
  const { source_url: url } = args
  return host !== undefined && typeof url === 'string' ? { ...args, source_url: url.replace(sourceHost, host) } : args
}

async function callTool(client: Client, name: string, args: Arguments): Promise<Reply> {
  try {
    const { isError, structuredContent: data, content } = await client.callTool({ name, arguments: { ...args } })
    const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('')
    const bytes = Math.max(Buffer.byteLength(text), isObject(data) ? Buffer.byteLength(JSON.stringify(data)) : 0)
    if (isError !== true) return { kind: 'result', data: isObject(data) ? data : {}, bytes }
    const error = member(parseJson(text), 'error')
    return { kind: 'error', error: isObject(error) ? error : { code: 'unreadable', message: text }, bytes }
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error
    const data = isObject(error.data) ? error.data : {}
    const described = { code: error.code, message: error.message, ...data }
    return { kind: 'protocol error', error: described, bytes: Buffer.byteLength(JSON.stringify(described)) }
  }
}

/** Linear's UUIDs and Drive's ids. */
const idPattern = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[01][\w-]{18,43}\b/g

/** Members that differ from run to run, or that describe the call. */
const volatile = new Set([
  ...['createdAt', 'updatedAt', 'startedAt', 'completedAt', 'canceledAt', 'archivedAt', 'editedAt', 'url', 'slugId', 'sortOrder'],
  ...[
    'id',
    'n',
    'at',
    'metadata',
    'healthUpdatedAt',
    'startedTriageAt',
    'triagedAt',
    'addedToCycleAt',
    'addedToProjectAt',
    'addedToTeamAt',
  ],
])

/** Stored data as text, with order and names that do not depend on new ids. */
function normalized(value: unknown, known: ReadonlySet<string>): string {
  return JSON.stringify(withoutVolatile(value, known)).replace(idPattern, (id) => (known.has(id) ? id : 'new'))
}

function withoutVolatile(value: unknown, known: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => normalized(item, known)).toSorted()
  if (!isObject(value)) return value
  const names = Object.keys(value).filter((name) => !volatile.has(name) && value[name] !== null)
  const isArchived = typeof value['archivedAt'] === 'string'
  return Object.fromEntries([...names.toSorted().map((name) => [name, withoutVolatile(value[name], known)]), ['isArchived', isArchived]])
}

/** A read's result, without notices and without the parts that repeat the call. */
export function resultOf(data: JsonObject): string {
  const text = JSON.stringify(without(data, ['notice', 'notices', 'searched', 'upstream']))
  // A cursor holds a digest of the arguments.
  return text.replaceAll(/"end_cursor":"[^"]*"/g, '')
}

const without = (object: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)))

/** Lists all servers' tools. */
export async function listAllTools(): Promise<Tool[]> {
  const all: Tool[] = []
  for (const name of serverNames) {
    await using world = await openWorld(name)
    all.push(...(await world.client.listTools()).tools)
  }
  return all
}
