import {
  callOf,
  createRouter,
  defineEmulator,
  type Emulator,
  type HasDatabase,
  isObject,
  type RequestFacts,
  type LoggedRequest,
  parseJson,
  type ListRange,
  type ReceivedRequest,
  type Resources,
  type Store,
  type StoreClock,
} from '@mcp-toolkits/emulator'
import { checkKey, decodeBody, type KeyVerdict } from './request.ts'
import { listEvents, migrations, storeEvent, type PipelinesEvent } from './events.ts'
import { decodeRequestBody, endpoints, isStrict, parseItems, processItems, publishedLimits, type SizeLimits } from './items.ts'
import { pipelinesRules } from './rules.ts'
import type { PipelinesSeed } from './seed/schema.ts'
import { fillEvents, type PipelinesSeedName } from './seed/seeds.ts'

/** Behaviour of the emulated API. */
export interface PipelinesSettings {
  /** The API key of the `default` source: `pipelines-emulator` by default. */
  readonly apiKey?: string
  /** API keys of other sources, by name; each source has its own calls. */
  readonly sources?: Readonly<Record<string, string>>
  /** Maximum call and batch sizes, in bytes; by default Customer.io's published limits, 32 KB and 500 KB. */
  readonly limits?: Partial<SizeLimits>
}

export interface PipelinesEmulatorOptions extends PipelinesSettings {
  /** Path of the database; in memory by default. */
  readonly file?: string
  /** A new database's content; `company` by default. A database with data keeps its data. */
  readonly seed?: PipelinesSeedName | PipelinesSeed
  /** A clock like `Date.now`. */
  readonly now?: () => number
  /** Clock for waits while another process has the database locked; the system clock by default. */
  readonly clock?: StoreClock
}

/** A stored request. */
export interface PipelinesRequest extends Omit<LoggedRequest, 'facts'> {
  readonly strict: boolean
  readonly key_ok: boolean
  /** Verdict on the key: `ok`, or the reason why it is invalid. */
  readonly key_verdict: string
  /** The source's name; null for an invalid key. */
  readonly source: string | null
  /** After decompression. */
  readonly body: string
  /** The bytes as received. */
  readonly raw: Uint8Array
}

/** Stored events, oldest first. */
export interface PipelinesReaders {
  readonly events: (range?: ListRange) => PipelinesEvent[]
  readonly requests: (range?: ListRange) => PipelinesRequest[]
}

/**
 * Customer.io's Pipelines API on this machine. It responds as the vendor does, with 200 to nearly everything in permissive mode,
 * and stores the outcome of each event, which the vendor does not reveal.
 */
export const pipelinesEmulator = (options: PipelinesEmulatorOptions = {}): Emulator<PipelinesReaders> => openPipelines(options)

/** `pipelinesEmulator`, with its tables. */
export function openPipelines({
  file,
  apiKey = 'pipelines-emulator',
  sources = {},
  limits,
  seed,
  now = Date.now,
  clock,
}: PipelinesEmulatorOptions): Emulator<PipelinesReaders> & HasDatabase {
  const keys: Readonly<Record<string, string>> = { default: apiKey, ...sources }
  const credentialsOf = ({ headers }: ReceivedRequest): SourceCredentials => {
    const authorization = headers.get('authorization')
    const source = Object.keys(keys).find((name) => checkKey(authorization, keys[name] ?? '') === 'ok') ?? null
    return { source, verdict: source === null ? checkKey(authorization, apiKey) : 'ok' }
  }
  return defineEmulator({
    service: 'Customer.io Pipelines API',
    ...(file !== undefined && { file }),
    ...(clock && { clock }),
    now,
    migrations,
    seed(store, time) {
      fillEvents(store, seed ?? 'company', time)
    },
    ...(typeof seed !== 'object' && { seedName: seed ?? 'company' }),
    ...(seed !== undefined && { seedLabel: typeof seed === 'string' ? `seed ${seed}` : 'given seed' }),
    rules: pipelinesRules,
    storedBodies: 'all',
    operation,
    facts(received) {
      const { source, verdict } = credentialsOf(received)
      const encoding = received.headers.get('content-encoding')
      return { strict: isStrict(received), key_ok: verdict === 'ok', key_verdict: verdict, source, encoding }
    },
    build: (resources) => ({
      routes: routes(resources.store, now, { credentialsOf, limits: { ...publishedLimits, ...limits } }),
      readers: { events: (range) => listEvents(resources.store, range), requests: (range) => listRequests(resources, range) },
      tables: [{ name: 'events', title: 'Events', list: (range) => listEvents(resources.store, range) }],
      workspace: async () => (await import('./pages.tsx')).pipelinesWorkspace(resources.store),
    }),
  })
}

/** Result of checking a request's key. */
interface SourceCredentials {
  /** Null for an invalid key. */
  readonly source: string | null
  readonly verdict: KeyVerdict
}

interface RouteOptions {
  readonly credentialsOf: (received: ReceivedRequest) => SourceCredentials
  readonly limits: SizeLimits
}

function routes(store: Store, now: () => number, { credentialsOf, limits }: RouteOptions) {
  const app = createRouter()
  for (const endpoint of endpoints) {
    app.post(`/v1/${endpoint}`, async (context) => {
      const { received, requestId } = context.env
      const { source, verdict } = credentialsOf(received)
      const parsed = parseItems(endpoint, decodeRequestBody(received), limits)
      const { status, errors, items } = processItems(parsed, verdict, isStrict(received))
      const call = callOf(received.headers)
      const receivedAt = new Date(now()).toISOString()
      await store.write(() => {
        for (const judged of items) storeEvent(store, judged, { source, requestId: requestId(), receivedAt, call })
      })
      return status === 200 ? context.json({}) : context.json({ meta: { errors } }, status)
    })
    app.all(`/v1/${endpoint}`, (context) => context.text('Method Not Allowed', 405, { allow: 'POST' }))
  }
  return app
}

/** Identifies an operation by its `messageId`, which clients keep through retries; the first one in a batch stands for the batch. */
function operation(received: ReceivedRequest): string {
  const body = parseJson(decodeRequestBody(received).text)
  if (!isObject(body)) return received.path
  const { batch } = body
  const call: unknown = Array.isArray(batch) ? batch[0] : body
  const messageId = isObject(call) ? call['messageId'] : undefined
  return typeof messageId === 'string' ? messageId : received.path
}

function listRequests({ log }: Resources, range?: ListRange): PipelinesRequest[] {
  return log.list(range).map(({ facts, ...request }) => {
    const raw = log.body(request.id) ?? new Uint8Array()
    const { text } = decodeBody(raw, textFact(facts, 'encoding'))
    return {
      ...request,
      strict: facts['strict'] === true,
      key_ok: facts['key_ok'] === true,
      key_verdict: textFact(facts, 'key_verdict') ?? '',
      source: textFact(facts, 'source'),
      body: text,
      raw,
    }
  })
}

function textFact(facts: RequestFacts, name: string): string | null {
  const value = facts[name]
  return typeof value === 'string' ? value : null
}
