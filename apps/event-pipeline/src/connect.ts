import type { Fetch } from '@mcp-toolkits/core'
import { once } from '@mcp-toolkits/core/async'
import { dataPath } from '@mcp-toolkits/core/data-path'
import { type Clock, systemClock } from '@mcp-toolkits/core/clock'
import { withStorageFailures } from '@mcp-toolkits/core/system-error'
import type { Connection, ConnectOptions, EmulatorHandle, ManyConnections, Settings } from '@mcp-toolkits/server'
import { type OutboxAccess, outboxCounts } from './outbox/command.ts'
import { DeliveryWorker, problemOf } from './outbox/delivery-worker.ts'
import type { SharedDatabase } from './outbox/open-outbox-store.ts'
import { Outbox, throwNotStored } from './outbox/outbox.ts'
import type { OutboxStore } from './outbox/outbox-store.ts'
import { pipelinesClient } from './pipelines/client.ts'
import { type Account, accountOf, addsIds, damagedOutboxes, embeddedKey, hasOutbox, outboxFile } from './upstream.ts'

/** The URL of the embedded default. Nothing listens there; the emulator is called directly. */
const embeddedUrl = 'http://localhost/v1'

/** The origin of entries for the embedded default. */
const embeddedOrigin = 'embedded'

/** What the tools work with. */
export interface Context {
  /** Opens the outbox with the first event. Throws the error of a file that cannot be used. */
  readonly outbox: () => Promise<Outbox>
}

interface Vendor extends Account {
  /** The origin of its entries. */
  readonly origin: string
  readonly fetch: Fetch
  readonly close: () => void | Promise<void>
}

export interface OutboxConnectOptions extends ConnectOptions {
  /** The database of the outbox that several connections share; a separate one for each when absent. */
  readonly database?: SharedDatabase | undefined
}

interface OpenStore {
  readonly store: OutboxStore
  /** Paths of outboxes that were found damaged and moved out of the way. */
  readonly setAside: readonly string[]
}

/** A connection whose outbox is open. */
interface OpenConnection {
  readonly context: OutboxAccess & { readonly outbox: Outbox }
  readonly accountId: string
  readonly status: () => Promise<Readonly<Record<string, unknown>>>
  readonly resume: () => void
  readonly hasWork: () => Promise<boolean>
  readonly close: () => Promise<void>
}

/**
 * Connects as `connect` does, but opens the outbox only when it is needed: schemas can be read where nothing can be written. Throws
 * `Unauthenticated`.
 */
export function connectLazily(settings: Settings, options: OutboxConnectOptions = {}): Connection<Context> {
  accountOf(settings)
  addsIds(settings)
  let opening: Promise<OpenConnection> | undefined
  const open = once(() => connect(settings, options))
  const connection = () => (opening = open())
  return {
    context: { outbox: async () => (await connection().catch(throwNotStored)).context.outbox },
    accountId: async () => (await connection()).accountId,
    hasWork: async () => (opening !== undefined || options.shared !== undefined || hasOutbox(settings)) && (await connection()).hasWork(),
    status: async () => (await connection()).status(),
    resume() {
      connection()
        .then(({ resume }) => {
          resume()
        })
        .catch((error: unknown) => options.log?.error('outbox', { ...problemOf(error) }))
    },
    close: async () => (await opening?.catch(() => undefined))?.close(),
  }
}

/** Connects to the accounts of many people, who have one outbox. */
export function connectMany(): ManyConnections<Context> {
  let database: SharedDatabase | undefined
  return {
    async connect(settings, options) {
      const { SharedDatabase } = await import('./outbox/open-outbox-store.ts')
      return connectLazily(settings, { ...options, database: (database ??= new SharedDatabase()) })
    },
    close: async () => database?.close(),
  }
}

/** Connects to the account in the environment, or else to the embedded default. Throws `Unauthenticated`. */
export async function connect(settings: Settings, options: OutboxConnectOptions = {}): Promise<OpenConnection> {
  const { fetch, log, clock = systemClock, shared, telemetry } = options
  const addIds = addsIds(settings)
  const vendor = await vendorOf(settings, fetch, clock)
  const { store, setAside } = await openStore(settings, { ...options, clock })
  const destination = { origin: vendor.origin, keyHash: vendor.key.fingerprint(await store.hashKey()) }
  const accountId = `${destination.origin} ${destination.keyHash}`
  const limits =
    shared &&
    (await import('@mcp-toolkits/core/shared-limits')).sharedLimits({
      storage: shared.limits,
      account: () => Promise.resolve(`Pipelines ${accountId}`),
      clock,
    })
  const client = pipelinesClient({ fetch: vendor.fetch, baseUrl: vendor.url, key: vendor.key, clock, limits, telemetry })
  const worker = new DeliveryWorker({
    store,
    client,
    destination,
    clock,
    telemetry,
    onProblem: (problem) => log?.error('outbox', { ...problem }),
    onRetryScheduled: (entry, failure) => log?.warn('outbox', { entry, outcome: 'queued', ...failure }),
  })
  const damaged = shared ? [] : damagedOutboxes(settings)
  const keyIsSetBy = options.connectLink ? 'person' : settings.servesPeople === true ? 'operator' : 'caller'
  const access = { store, worker, destination, damaged, clock }
  return {
    context: {
      outbox: new Outbox({ ...access, addIds, setAside, storedIn: shared ? 'database' : 'data directory', keyIsSetBy }),
      ...access,
    },
    accountId,
    status: async () => ({ adds_ids: addIds, outbox: await outboxCounts(access), damaged_outboxes: damaged }),
    resume: () => {
      worker.wake()
    },
    hasWork: async () => (await store.untilNextDue(destination)) !== undefined,
    close: async () => {
      await worker.close()
      await store.close()
      await vendor.close()
    },
  }
}

/** The outbox that the replicas share, or else that of the data directory. */
async function openStore(
  settings: Settings,
  { shared, log, clock, database }: OutboxConnectOptions & { readonly clock: Clock },
): Promise<OpenStore> {
  if (shared) {
    const { openPostgresOutbox } = await import('./outbox/postgres/open.ts')
    return { store: await openPostgresOutbox({ ...shared, clock }), setAside: [] }
  }
  const { openOutboxStore } = await import('./outbox/open-outbox-store.ts')
  const setAside: string[] = []
  const store = await openOutboxStore({
    file: outboxFile(settings),
    clock,
    database,
    onSetAside: (moved) => {
      setAside.push(moved)
      log?.error('outbox', { problem: 'damaged', moved_to: moved })
    },
  })
  return { store, setAside }
}

async function vendorOf(settings: Settings, fetch: Fetch | undefined, clock: Clock): Promise<Vendor> {
  const account = accountOf(settings)
  const close = () => undefined
  if (account) return { ...account, origin: account.url, fetch: fetch ?? globalThis.fetch, close }
  const emulator = fetch ? { fetch, close } : await embedded(settings, clock)
  return {
    url: embeddedUrl,
    key: embeddedKey,
    origin: embeddedOrigin,
    fetch: withStorageFailures(emulator.fetch),
    close: () => emulator.close(),
  }
}

/** The emulator, with its data in the data directory. It is loaded only when it is used. */
export async function embedded({ dataDirectory }: Pick<Settings, 'dataDirectory'>, clock: Clock = systemClock): Promise<EmulatorHandle> {
  const { pipelinesEmulator } = await import('@mcp-toolkits/pipelines-emulator')
  return pipelinesEmulator({ file: dataPath(dataDirectory, 'event-pipeline', 'pipelines.db'), key: embeddedKey.reveal(), clock })
}
