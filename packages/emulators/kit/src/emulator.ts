import { setTimeout } from 'node:timers/promises'
import { openStore, type Store, type StoreClock, StoreError, text } from '@mcp-toolkits/sqlite'
import { Hono } from 'hono'
import type { ControlExtension } from './control.ts'
import { applyFault, ConnectionDropped, createFaultQueue, type Faults } from './faults.ts'
import { isLoopback, listen, type EmulatorListener, runOnce } from './listen.ts'
import { type RequestHandler, type Fetch, localFetch } from './local-fetch.ts'
import type { PageTable } from './page.ts'
import {
  callIdOf,
  callOf,
  discardBody,
  type LoggedRequest,
  openRequestLog,
  type ReceivedRequest,
  receiveRequest,
  type RequestFacts,
  type RequestHead,
  type RequestLog,
  type StoredBodies,
  toRequest,
} from './request-log.ts'
import type { Rules } from './rules.ts'
import type { ListRange } from './tables.ts'
import { type WorkspaceAddress, workspaceAddress } from './workspace-address.ts'
import { openCallLog, type ToolCall } from './workspace/call-log.ts'
import { announceBeside, workspacesIn } from './workspace/neighbours.ts'
import type { ShownTasks } from './workspace/tasks.tsx'
import type { Workspace } from './workspace/workspace.ts'

/** An emulated API. */
export interface Emulator<Readers = unknown> {
  /** Responds as the vendor would, whatever the host in the URL; no request is forwarded. */
  readonly fetch: Fetch
  /** Readers of the stored data, for tests and pages. */
  readonly store: Readers
  readonly faults: Faults
  /** The requests that have arrived, oldest first. */
  readonly requests: (range?: ListRange) => LoggedRequest[]
  /** Shows a tool call, with its requests, on the workspace's pages. */
  readonly recordCall: (call: ToolCall) => void
  /** Restores the seed and the options, and clears the logs and the faults. */
  readonly reset: () => void
  /** Notice that the chosen seed was not used because the database had data; undefined if it was used, or if no seed was chosen. */
  readonly seedNotice: () => Promise<string | undefined>
  /** Listens for other programs, on loopback unless a host is given. */
  readonly listen: (options?: ListenOptions) => Promise<EmulatorListener>
  /** Ends pending requests and closes the store. */
  readonly close: () => Promise<void>
}

export interface ListenOptions {
  /** Any free port if absent or 0. */
  readonly port?: number
  /**
   * The address to listen on; `127.0.0.1` by default. An address that other machines can reach needs a `controlToken`, and serves the
   * emulated API and, with the token, `/__emulator/*`, but no pages.
   */
  readonly host?: string
  /** The token for setting faults and resetting over HTTP; a random one by default. */
  readonly controlToken?: string
  /** True for paths to serve; all by default. */
  readonly serves?: (path: string) => boolean
  /** A directory in which the workspaces of several emulators find each other, for links between them; none by default. */
  readonly workspaces?: string
  /** Tasks of the server whose calls the pages show; none by default. */
  readonly tasks?: ShownTasks | undefined
}

/** An emulator with access to its tables, for work on all tables at once. */
export interface HasDatabase {
  readonly database: Store
  /** Adds routes under `/__emulator/`. Call before the first request to one of them. */
  readonly extend: (extension: ControlExtension) => void
}

/** A router, such as a Hono app whose bindings are `Exchange`. */
export interface Routes {
  readonly fetch: (request: Request, exchange: Exchange) => Response | Promise<Response>
}

/** The request handled by a route. */
export interface Exchange {
  readonly received: ReceivedRequest
  /** Id in the request log. Call inside a write. */
  readonly requestId: () => number
}

/** Parts from which an emulator is built. */
export interface Resources {
  readonly store: Store
  readonly log: RequestLog
  /** The address of the workspace's pages, without a trailing slash; undefined while they are not served. */
  readonly workspaceUrl: () => string | undefined
}

/** An emulator's definition. */
export interface EmulatorDefinition<Readers> {
  /** The emulated API: `Customer.io Pipelines API`. */
  readonly service: string
  /** Path of the database, or `:memory:`. */
  readonly file?: string
  /** A clock like `Date.now`. */
  readonly now?: () => number
  /** Clock for waits while another process has the database locked; the system clock by default. */
  readonly clock?: StoreClock
  /** Scripts that create the tables, one per version. */
  readonly migrations: readonly string[]
  /** Adds a new account's data, with times relative to `now`. */
  readonly seed?: (store: Store, now: number) => void
  /** Identifies what `seed` adds; absent if that differs between emulators. */
  readonly seedName?: string
  /** Restores everything outside the store; called on a reset, before the seed is restored. */
  readonly onReset?: () => void
  /** The seed's name in notices: `seed company`; absent for the default. */
  readonly seedLabel?: string
  readonly rules: Rules
  /** Identifies a request's operation across attempts; the path by default. */
  readonly operation?: (received: ReceivedRequest) => string
  /** Facts for the request log; never secrets. */
  readonly facts?: (received: ReceivedRequest) => RequestFacts
  /** Redacts secrets in a URL for the log. */
  readonly redactUrl?: (url: URL) => URL
  /** True if a route reads a request's body piece by piece; other bodies are read whole. */
  readonly streams?: (head: RequestHead) => boolean
  /** Bodies that the log stores for people to view; none by default, and never secrets. */
  readonly storedBodies?: StoredBodies
  /** Builds the routes, the readers and the page's tables. */
  readonly build: (resources: Resources) => {
    readonly routes: Routes
    readonly readers: Readers
    readonly tables?: readonly PageTable[]
    /** Loads the pages that show the data; called when the first one is opened. */
    readonly workspace?: () => Promise<Workspace>
  }
}

/** Creates an emulator with its store, faults and request log. */
export function defineEmulator<Readers>(definition: EmulatorDefinition<Readers>): Emulator<Readers> & HasDatabase {
  const { service, rules, clock, ...options } = definition
  const { now = Date.now, storedBodies, redactUrl = unredacted } = options
  const { store, seedNotice } = openSeededStore(definition)
  const log = openRequestLog({ store, now, storedBodies, redactUrl })
  const calls = openCallLog(store, now, redactUrl)
  const address = workspaceAddress(store, definition.file ?? ':memory:')
  const around: Surroundings = { directories: new Set() }
  const limits = { streams: definition.streams ?? (() => false), maxBodyBytes }
  const { routes, readers, tables = [], workspace } = definition.build({ store, log, workspaceUrl: address.current })
  const faults = createFaultQueue()
  const listeners = new Set<EmulatorListener>()
  const extensions: ControlExtension[] = []
  const reset = () => {
    for (const extension of extensions) extension.reset()
    definition.onReset?.()
    store.flush()
    store.reset()
    address.renew()
    faults.clear()
  }
  const control = runOnce(async () => {
    const { controlRoutes } = await import('./control.ts')
    const all = [...tables, { name: 'requests', title: 'Requests', list: log.list }]
    const tokens = () => [...listeners].map(({ controlToken }) => controlToken)
    return controlRoutes({ service, rules, tables: all, faults, reset, extensions, tokens })
  })
  const pages = runOnce(async () => {
    const [{ workspaceRoutes }, shown] = await Promise.all([import('./workspace/routes.tsx'), workspace?.()])
    const neighbours = () => [...around.directories].flatMap(workspacesIn).filter((each) => each.service !== service)
    const own = { service, log, calls, tasks: () => around.tasks, now, reset, neighbours, clock: clock ?? systemClock }
    return shown && workspaceRoutes({ ...own, workspace: shown })
  })
  const { answer, end } = trackPending(async (request, signal, isRemote = false) => {
    const received = await receiveRequest(request, { signal, isRemote, ...limits })
    await store.ready()
    if (isWorkspacePath(received.path)) return (await pages())?.fetch(toRequest(received)) ?? new Response('Not Found', { status: 404 })
    if (isOwnRoute(received)) return (await control()).fetch(toRequest(received))
    const { method, path } = received
    const fault = faults.next({ method, path, operation: () => definition.operation?.(received) ?? path })
    const call = callOf(received.headers)
    const facts = { ...definition.facts?.(received), ...(call !== null && { call }) }
    const entry = log.recordRequest(received, { fault: fault?.kind ?? null, facts })
    const callId = callIdOf(received.headers)
    if (callId !== undefined) calls.addRequest(callId, entry)
    const handle = async () => (received.isTooLarge ? tooLarge() : routes.fetch(toRequest(received), { received, requestId: entry.id }))
    try {
      const response = await applyFault(fault, handle, signal)
      await discardBody(received)
      await entry.recordResponse(response)
      return response
    } finally {
      if (received.stream) entry.recordBytes(received.bytes())
    }
  })
  return {
    fetch: localFetch(answer),
    store: readers,
    database: store,
    extend: (extension) => void extensions.push(extension),
    faults,
    requests: log.list,
    recordCall: calls.record,
    reset,
    seedNotice,
    listen: createListen({ service, store, address, answer, listeners, around, hasWorkspace: workspace !== undefined }),
    close: runOnce(async () => {
      await end(Promise.all([...listeners].map((listening) => listening.close())))
      await store.close()
    }),
  }
}

interface ListenContext {
  readonly service: string
  readonly store: Store
  readonly address: WorkspaceAddress
  readonly answer: RequestHandler
  readonly listeners: Set<EmulatorListener>
  readonly around: Surroundings
  readonly hasWorkspace: boolean
}

/** Things outside the emulator that its pages show. */
interface Surroundings {
  /** The directories in which pages look for other workspaces. */
  readonly directories: Set<string>
  tasks?: ShownTasks
}

function createListen({ service, store, address, answer, listeners, around, hasWorkspace }: ListenContext): Emulator['listen'] {
  return async ({ port = 0, host = '127.0.0.1', controlToken, serves, workspaces, tasks } = {}) => {
    const isPrivate = isLoopback(host)
    if (!isPrivate && !controlToken) throw new TypeError(`Other machines can reach ${host}: give a controlToken.`)
    await store.ready()
    await store.read(() => {
      checkTables(store)
    })
    const handler = withStoreErrors(serves === undefined ? answer : restrictTo(serves, answer))
    const listening = await listen(handler, { port, host, controlToken })
    const isShown = hasWorkspace && isPrivate && serves?.(workspacePath) !== false
    const url = listening.url + workspacePath
    const withdraw = isShown ? await address.announce(url) : undefined
    if (workspaces !== undefined) around.directories.add(workspaces)
    if (tasks) around.tasks = tasks
    const withdrawBeside = isShown && workspaces !== undefined ? announceBeside(workspaces, { service, url }) : undefined
    const close = runOnce(async () => {
      listeners.delete(own)
      withdrawBeside?.()
      await Promise.all([withdraw?.(), listening.close()])
    })
    const own = { ...listening, close }
    listeners.add(own)
    return own
  }
}

/** Images of freshly seeded databases, which a process's emulators reuse for a minute, or while the caller's own clock stands still. */
const images = new Map<string, Uint8Array>()
const maxImages = 8
const minuteMs = 60_000

/** Opens the store, and can report that the chosen seed was not used. */
function openSeededStore<Readers>({ file = ':memory:', migrations, seed, clock, ...rest }: EmulatorDefinition<Readers>) {
  const { service, seedName, seedLabel, now = Date.now } = rest
  const isShared = file === ':memory:' && seedName !== undefined
  // Only shared databases have rounded times: a database in a file lasts, so its times are exact.
  const time = () => (isShared && now === Date.now ? Math.floor(now() / minuteMs) * minuteMs : now())
  const key = isShared ? `${service} ${seedName} ${time()}` : undefined
  const image = key === undefined ? undefined : images.get(key)
  let isSeeded = image !== undefined
  const fill = (target: Store) => {
    seed?.(target, time())
    isSeeded = true
  }
  const store = openStore({ file, migrations, seed: fill, image, ...(clock && { clock }) })
  if (key !== undefined && image === undefined) keepImage(key, store.image())
  const seedNotice = async () => {
    if (seedLabel === undefined) return undefined
    await store.ready()
    return isSeeded ? undefined : unusedSeed(seedLabel, file)
  }
  return { store, seedNotice }
}

function keepImage(key: string, image: Uint8Array | undefined): void {
  if (image) images.set(key, image)
  const [oldest] = images.keys()
  if (images.size > maxImages && oldest !== undefined) images.delete(oldest)
}

const unusedSeed = (label: string, file: string) =>
  `The ${label} was not used: it fills only a new database, and ${file} already has data, which is unchanged. To use the seed, choose another data directory, or move that file away.`

/** Maximum number of bytes of a body that is read whole. An assumption: the vendors do not document their limits. */
const maxBodyBytes = 64 * 1024 ** 2

const tooLarge = () => new Response('Payload Too Large', { status: 413 })

/** A router that rethrows handlers' errors: they are not vendor responses, but concern the program running the emulator. */
export function createRouter(): Hono<{ Bindings: Exchange }> {
  const router = new Hono<{ Bindings: Exchange }>()
  router.onError((error) => {
    throw error
  })
  return router
}

/** Reads from each table, so that a damaged database is reported before it is used. */
function checkTables(store: Store): void {
  for (const { name } of store.rows({ name: text }, "select name from sqlite_master where type = 'table'"))
    store.rows({}, `select 1 from "${name}" limit 1`)
}

/** Reports database problems to other programs, as a gateway does when it cannot reach the vendor. */
const withStoreErrors =
  (answer: RequestHandler): RequestHandler =>
  (request, signal, isRemote) =>
    answer(request, signal, isRemote).catch((error: unknown) => {
      if (!(error instanceof StoreError)) throw error
      return new Response(`${error.message}\n`, { status: 503, ...(error.problem === 'locked' && { headers: { 'retry-after': '1' } }) })
    })

const systemClock: StoreClock = {
  monotonic: () => performance.now(),
  sleep: (ms) => setTimeout(ms),
}

const unredacted = (url: URL) => url

const restrictTo =
  (serves: (path: string) => boolean, answer: RequestHandler): RequestHandler =>
  (request, signal, isRemote) =>
    serves(new URL(request.url).pathname) ? answer(request, signal, isRemote) : Promise.resolve(new Response('Not Found', { status: 404 }))

const isOwnRoute = ({ method, path }: ReceivedRequest) =>
  path.startsWith('/__emulator/') || (path === '/' && (method === 'GET' || method === 'HEAD'))

const workspacePath = '/workspace'

/** True for workspace pages. */
export const isWorkspacePath = (path: string): boolean => path === workspacePath || path.startsWith(`${workspacePath}/`)

/** Tracks pending requests; `end` aborts them, and resolves when none is left. */
function trackPending(work: RequestHandler): { answer: RequestHandler; end: (rest: Promise<unknown>) => Promise<void> } {
  const running = new Set<Promise<Response>>()
  const shutdown = new AbortController()
  return {
    answer(request, signal, isRemote) {
      if (shutdown.signal.aborted) return Promise.reject(new ConnectionDropped())
      const response = work(request, AbortSignal.any([signal, shutdown.signal]), isRemote)
      running.add(response)
      return response.finally(() => running.delete(response))
    },
    async end(rest) {
      shutdown.abort()
      await Promise.allSettled([rest, ...running])
    },
  }
}
