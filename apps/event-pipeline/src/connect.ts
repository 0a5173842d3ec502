import { type Clock, dataPath, once, systemClock } from '@mcp-toolkits/core/base'
import { withStorageFailures } from '@mcp-toolkits/core/errors'
import { namingTool } from '@mcp-toolkits/core/tool'
import { type Fetch, openSharedLimits, systemFetch } from '@mcp-toolkits/core/upstream'
import type { Connection, ConnectOptions, EmulatorHandle, ManyConnections, Settings, WorkForKeys } from '@mcp-toolkits/server'
import type { Backfills } from './backfill/backfills.ts'
import type { Tables } from './backfill/store.ts'
import { embeddedOrigin, strandedText } from './outbox/adoption.ts'
import { type OutboxAccess, outboxCounts } from './outbox/command.ts'
import { DeliveryWorker } from './outbox/delivery-worker.ts'
import { KeyConfirmation } from './outbox/key-confirmation.ts'
import { Outbox, throwNotStored } from './outbox/outbox.ts'
import { columnsOf } from './outbox/outbox-store.ts'
import { problemOf } from './outbox/outbox-watcher.ts'
import { openOutbox, type OutboxHandle } from './outbox-handle.ts'
import { eventsForKeys } from './team/events-for-keys.ts'
import { pipelinesClient } from './pipelines/client.ts'
import { ClockSkew } from './pipelines/clock-skew.ts'
import { type Account, accountOf, addsIds, apiUrlOf, embeddedKey, hasBackfills, hasOutbox } from './upstream.ts'

/** The built-in emulator's URL. Nothing listens there; the emulator is called directly. */
const embeddedUrl = 'http://localhost/v1'

export interface Context {
  /** Opens the outbox on the first event. Throws the error for an unusable file. */
  readonly outbox: () => Promise<Outbox>
  /** Opens the backfills on the first file. */
  readonly backfills: () => Promise<Backfills>
  /** Opens the outbox for the tools that manage its waiting events. */
  readonly waiting: () => Promise<WaitingEvents>
}

interface WaitingEvents extends OutboxAccess {
  /** True if many people share the operator's key; they do not see each other's events. */
  readonly isShared: boolean
}

interface Vendor extends Account {
  /** Origin stored with the outbox's entries. */
  readonly origin: string
  readonly fetch: Fetch
  readonly recordCall?: Connection<Context>['recordCall']
  readonly close: () => void | Promise<void>
}

export interface OutboxConnectOptions extends ConnectOptions {
  /** Opens the outbox shared by the process's connections; if absent, this connection opens and closes its own. */
  readonly outbox?: (() => Promise<OutboxHandle>) | undefined
  /** True in the thread that sends files for a connection. */
  readonly isThread?: true
}

/** A connection with an open outbox. */
interface OpenConnection {
  readonly context: WaitingEvents & { readonly outbox: Outbox; readonly backfills: () => Promise<Backfills> }
  readonly accountId: string
  readonly recordCall: Connection<Context>['recordCall']
  readonly status: () => Promise<Readonly<Record<string, unknown>>>
  readonly resume: () => void
  readonly hasWork: () => Promise<boolean>
  readonly close: () => Promise<void>
}

/**
 * Connects like `openConnection`, but opens the outbox only when needed, because schemas can be read even if nothing can be
 * written. Throws `Unauthenticated`.
 */
export function connect(settings: Settings, options: OutboxConnectOptions = {}): Connection<Context> {
  const isEmbedded = accountOf(settings) === undefined
  addsIds(settings)
  let opening: Promise<OpenConnection> | undefined
  const open = once(() => openConnection(settings, options))
  const connection = () => (opening = open())
  return {
    context: {
      outbox: async () => (await connection().catch(throwNotStored)).context.outbox,
      backfills: async () => (await connection()).context.backfills(),
      waiting: async () => (await connection()).context,
    },
    accountId: async () => (await connection()).accountId,
    hasWork: async () => (opening !== undefined || options.shared !== undefined || hasOutbox(settings)) && (await connection()).hasWork(),
    status: async () => (await connection()).status(),
    ...(isEmbedded && {
      recordCall(call) {
        connection()
          .then(({ recordCall }) => recordCall?.(call))
          .catch(() => undefined)
      },
    }),
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

/** Connects to the accounts of many people, who share one outbox. */
export function connectMany(
  settings: Settings,
  { shared, log, clock = systemClock, telemetry }: ConnectOptions = {},
): ManyConnections<Context> & { readonly workForKeys: WorkForKeys } {
  let opening: Promise<OutboxHandle> | undefined
  const open = once(() => openOutbox(settings, { shared, log, clock, telemetry }))
  const outbox = () => (opening = open())
  let files: Promise<Tables> | undefined
  return {
    connect: (own, options) => connect(own, { ...options, outbox }),
    workForKeys: eventsForKeys({
      outbox,
      hasOutbox: () => shared !== undefined || hasOutbox(settings),
      async files() {
        if (!mayHaveBackfills(settings, shared)) return undefined
        const { filesForKeys, openTables } = await import('./open-backfills.ts')
        return filesForKeys(await (files ??= openTables(settings, { shared, clock })), clock)
      },
      origin: () => apiUrlOf(settings),
    }),
    async close() {
      await (await files?.catch(() => undefined))?.close()
      files = undefined
      const opened = await opening?.catch(() => undefined)
      opening = undefined
      await opened?.close()
    },
  }
}

/** Connects to the environment's account, or else the embedded default. Throws `Unauthenticated`. */
export async function openConnection(settings: Settings, options: OutboxConnectOptions = {}): Promise<OpenConnection> {
  const { log, clock = systemClock, shared, telemetry } = options
  const addIds = addsIds(settings)
  const vendor = await vendorOf(settings, { ...options, clock })
  const outbox = await (options.outbox?.() ?? openOutbox(settings, { shared, log, clock, telemetry }))
  const { store, watcher, storedIn, setAside, damaged } = outbox
  const keyHash = vendor.key.fingerprint(outbox.hashKey)
  const { owner, profile = 'default' } = settings
  const destination = { origin: vendor.origin, keyHash, account: owner === undefined ? undefined : { owner, profile } }
  const accountId = `${destination.origin} ${columnsOf(destination).keyHash}`
  const limits =
    shared &&
    (await openSharedLimits({
      storage: shared.limits,
      // The vendor's limits apply per key, no matter who entered it.
      account: () => Promise.resolve(`Pipelines ${vendor.origin} ${keyHash}`),
      clock,
    }))
  const skew = new ClockSkew(clock)
  const client = pipelinesClient({ fetch: vendor.fetch, baseUrl: vendor.url, key: vendor.key, clock, limits, telemetry, skew })
  const confirmation = vendor.origin === embeddedOrigin ? undefined : new KeyConfirmation({ store, client, destination, clock })
  const worker = new DeliveryWorker({
    store,
    client,
    destination,
    watcher,
    clock,
    telemetry,
    confirmation,
    onFailure: (entry, outcome, failure) => log?.warn('outbox', { entry, outcome, ...failure }),
  })
  let opening: Promise<Backfills> | undefined
  const onProblem = (error: unknown) => log?.error('backfill', { ...problemOf(error) })
  const backfills = once(() => {
    const sending = { client, destination, clock, telemetry, leases: store, confirmation, onProblem }
    const isSeparable = ![options.fetch, options.clock, shared, telemetry, owner, options.isThread].some((given) => given !== undefined)
    return (opening = import('./open-backfills.ts').then(({ openBackfills }) =>
      openBackfills({ settings, shared, log, isSeparable, ...sending }),
    ))
  })
  const servesOthers = settings.servesPeople === true || settings.servesOtherMachines === true
  const keyIsSetBy = options.connectLink ? 'person' : servesOthers ? 'operator' : 'caller'
  const access = { store, worker, destination, damaged, clock }
  // The search for leftover work does not include people who have connected an account.
  if (owner !== undefined && !settings.readOnly && mayHaveBackfills(settings, shared)) backfills().catch(onProblem)
  return {
    context: {
      outbox: new Outbox({ ...access, addIds, skew, setAside, storedIn, keyIsSetBy }),
      backfills,
      isShared: keyIsSetBy === 'operator',
      ...access,
    },
    accountId,
    recordCall: vendor.recordCall,
    status: async () => {
      const stranded = await strandedText(store, destination)
      return {
        adds_ids: addIds,
        outbox: await outboxCounts(access),
        ...(stranded !== undefined && { stranded }),
        damaged_outboxes: damaged,
      }
    },
    resume: () => {
      void warnOfStranded(access, log)
      worker.wake()
      if (mayHaveBackfills(settings, shared)) backfills().catch(onProblem)
    },
    hasWork: async () => (await worker.hasWork()) || (mayHaveBackfills(settings, shared) && (await backfills()).hasWork()),
    close: async () => {
      await (await opening?.catch(() => undefined))?.close()
      await worker.close()
      if (!options.outbox) await outbox.close()
      await vendor.close()
    },
  }
}

/** Tells the operator at startup about events that no server sends, because the key was changed. */
async function warnOfStranded({ store, destination }: OutboxAccess, log: ConnectOptions['log']): Promise<void> {
  const stranded = destination.account ? undefined : await strandedText(store, destination).catch(() => undefined)
  if (stranded !== undefined) log?.warn('outbox', { problem: 'other_key', reason: stranded })
}

/** True if a file of events may be waiting to be sent. With a shared database, every replica that has the toolset looks for files. */
function mayHaveBackfills(settings: Settings, shared: ConnectOptions['shared']): boolean {
  return shared ? (settings.toolsets ?? []).some((name) => name === 'all' || name === 'backfill') : hasBackfills(settings)
}

/** Loads what `connect` needs. */
export async function preload(isEmbedded: boolean): Promise<unknown> {
  return isEmbedded ? import('@mcp-toolkits/pipelines-emulator') : undefined
}

async function vendorOf(settings: Settings, { fetch, clock, log }: ConnectOptions): Promise<Vendor> {
  const account = accountOf(settings)
  const close = () => undefined
  if (account) return { ...account, origin: account.url, fetch: fetch ?? systemFetch, close }
  const upstream: Pick<EmulatorHandle, 'fetch' | 'close'> & Partial<EmulatorHandle> = fetch
    ? { fetch, close }
    : await embedded(settings, clock)
  const notice = await upstream.seedNotice?.()
  if (notice !== undefined) log?.warn(notice)
  return {
    url: embeddedUrl,
    key: embeddedKey,
    origin: embeddedOrigin,
    fetch: withStorageFailures(fetch ?? namingTool(upstream.fetch)),
    recordCall: upstream.recordCall,
    close: () => upstream.close(),
  }
}

/** The emulator, with its data in the data directory. Loaded only when used. */
async function embedded(
  { dataDirectory, seed }: Pick<Settings, 'dataDirectory' | 'seed'>,
  clock: Clock = systemClock,
): Promise<EmulatorHandle> {
  const { pipelinesEmulator, readSeed } = await import('@mcp-toolkits/pipelines-emulator')
  const file = dataPath(dataDirectory, 'event-pipeline', 'pipelines.db')
  return pipelinesEmulator({ file, apiKey: embeddedKey.reveal(), clock, ...(seed !== undefined && { seed: await readSeed(seed) }) })
}

/** The emulator, with what other clients need to reach it. */
export async function emulator(settings: Settings): Promise<EmulatorHandle & { readonly hint: string }> {
  return {
    ...(await embedded(settings)),
    hint: `Base URL {url}/v1, API key ${embeddedKey.reveal()}; the page at {url}/ shows the requests and the outcome of every event.`,
  }
}
