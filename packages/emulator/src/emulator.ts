import { openStore, type Store } from '@mcp-toolkits/store'
import type { Behaviour } from './behaviours.ts'
import { applyFault, ConnectionDropped, faultQueue, type Faults } from './faults.ts'
import { listen, type Listening } from './listen.ts'
import { type Answer, type Fetch, localFetch } from './local-fetch.ts'
import type { Listing } from './page.ts'
import { openRequestLog, type ReceivedRequest, receiveRequest, type RequestFacts, type RequestLog, toRequest } from './request-log.ts'
import type { Rules } from './rules.ts'

/** Runs `work` at the first call alone; later calls get the same promise. */
export function runOnceAtATime<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => (result ??= work())
}

/** A vendor's API on this machine. */
export interface Emulator<Readers = unknown> {
  /** Answers as the vendor would; whatever the host in the URL, nothing leaves this process. */
  readonly fetch: Fetch
  /** What is stored, for tests and pages. */
  readonly store: Readers
  readonly faults: Faults
  /** Back to the first start: no data but the seed, no log, no faults. */
  readonly reset: () => void
  /** Serves other programs, on loopback only. */
  readonly listen: (options?: ListenOptions) => Promise<Listening>
  /** Ends what is running and closes the store. */
  readonly close: () => Promise<void>
}

export interface ListenOptions {
  /** 0, or none, is any free one. */
  readonly port?: number
  /** Whether a path is served; all are when absent. */
  readonly serves?: (path: string) => boolean
}

/** A router, such as a Hono app whose bindings are `Exchange`. */
export interface Routes {
  readonly fetch: (request: Request, exchange: Exchange) => Response | Promise<Response>
}

/** A request on its way through the routes. */
export interface Exchange {
  readonly received: ReceivedRequest
  /** Of the request in the log. */
  readonly requestId: number
}

/** What an emulator's author works with. */
export interface Resources {
  readonly store: Store
  readonly log: RequestLog
}

/** What makes one emulator different from another. */
export interface EmulatorDefinition<Readers> {
  /** Whose API it stands in for: `Customer.io Pipelines API`. */
  readonly service: string
  /** Path of the database, or `:memory:`. */
  readonly file?: string
  /** The clock, as `Date.now`. */
  readonly now?: () => number
  /** The tables, one script per version. */
  readonly migrations: readonly string[]
  /** Plants what a new account starts with. */
  readonly seed?: (store: Store) => void
  readonly rules?: Rules
  /** The form that rules had before they had ids; to be replaced by `rules`. */
  readonly behaviours?: readonly Behaviour[]
  /** What a request is about, the same for every attempt at it; its path when absent. */
  readonly operation?: (received: ReceivedRequest) => string
  /** What the log notes about a request; never a secret. */
  readonly facts?: (received: ReceivedRequest) => RequestFacts
  /** A request's address as the log shows it: without the secrets in it. */
  readonly logged?: (url: URL) => URL
  /** Whether the log keeps the bodies. */
  readonly keepBodies?: boolean
  /** Builds the vendor's routes, the readers of the store, and the lists to show. */
  readonly build: (resources: Resources) => {
    readonly routes: Routes
    readonly readers: Readers
    readonly listings?: readonly Listing[]
  }
}

/** Makes an emulator: opens its store, and answers requests through its routes, its faults and its log. */
export function defineEmulator<Readers>(definition: EmulatorDefinition<Readers>): Emulator<Readers> {
  const {
    service,
    rules,
    behaviours = [],
    migrations,
    seed,
    file = ':memory:',
    now = Date.now,
    keepBodies = false,
    logged = unredacted,
  } = definition
  const store = openStore({ file, migrations, ...(seed && { seed }) })
  const log = openRequestLog({ file, now, keepBodies, logged })
  const { routes, readers, listings = [] } = definition.build({ store, log })
  const faults = faultQueue()
  const listeners = new Map<string, Listening>()
  const reset = () => {
    store.reset()
    log.empty()
    faults.clear()
  }
  const control = runOnceAtATime(async () => {
    const { controlRoutes } = await import('./control.ts')
    const all = [...listings, requestListing(log)]
    return controlRoutes({
      service,
      rules: rules ?? rulesOf(behaviours),
      listings: all,
      faults,
      reset,
      tokens: () => [...listeners.keys()],
    })
  })
  const { answer, end } = inFlight(async (request, signal) => {
    const received = await receiveRequest(request, signal)
    if (isOwnRoute(received)) return (await control()).fetch(toRequest(received))
    const { method, path } = received
    const fault = faults.next({ method, path, operation: () => definition.operation?.(received) ?? path })
    const requestId = log.arrived(received, { fault: fault?.kind ?? null, facts: definition.facts?.(received) ?? {} })
    const handle = async () => routes.fetch(toRequest(received), { received, requestId })
    const response = await applyFault(fault, handle, signal)
    log.answered(requestId, response.status)
    return response
  })
  return {
    fetch: localFetch(answer),
    store: readers,
    faults,
    reset,
    async listen({ port = 0, serves } = {}) {
      const listening = await listen(serves === undefined ? answer : restrictTo(serves, answer), port)
      listeners.set(listening.token, listening)
      return {
        ...listening,
        async close() {
          listeners.delete(listening.token)
          await listening.close()
        },
      }
    },
    close: runOnceAtATime(async () => {
      await end(Promise.all([...listeners.values()].map((listening) => listening.close())))
      log.close()
      store.close()
    }),
  }
}

const unredacted = (url: URL) => url

const rulesOf = (behaviours: readonly Behaviour[]): Rules =>
  Object.fromEntries(behaviours.map(({ rule, does }) => [rule, { text: does, source: 'assumed' }]))

/** Answers at some paths alone. */
const restrictTo =
  (serves: (path: string) => boolean, answer: Answer): Answer =>
  (request, signal) =>
    serves(new URL(request.url).pathname) ? answer(request, signal) : Promise.resolve(new Response('Not Found', { status: 404 }))

/** Whether a request is for the emulator itself, not for the API that it stands in for. */
const isOwnRoute = ({ method, path }: ReceivedRequest) =>
  path.startsWith('/__emulator/') || (path === '/' && (method === 'GET' || method === 'HEAD'))

/** Lets `answer` run until `end` is called, which drops what is waiting and lasts until nothing runs any more. */
function inFlight(work: Answer): { answer: Answer; end: (rest: Promise<unknown>) => Promise<void> } {
  const running = new Set<Promise<Response>>()
  const ending = new AbortController()
  return {
    answer(request, signal) {
      if (ending.signal.aborted) return Promise.reject(new ConnectionDropped())
      const answered = work(request, AbortSignal.any([signal, ending.signal]))
      running.add(answered)
      return answered.finally(() => running.delete(answered))
    },
    async end(rest) {
      ending.abort()
      await Promise.allSettled([rest, ...running])
    },
  }
}

function requestListing(log: RequestLog): Listing {
  return {
    name: 'requests',
    title: 'Requests',
    columns: ['id', 'at', 'method', 'path', 'status', 'fault', 'bytes', 'facts'],
    list: log.list,
    latest: log.latest,
  }
}
