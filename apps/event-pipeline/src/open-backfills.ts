import { existsSync } from 'node:fs'
import path from 'node:path'
import { type Clock, dataPath } from '@mcp-toolkits/core/base'
import { type GuardedFetch, guardedFetch } from '@mcp-toolkits/core/upstream'
import type { ConnectOptions, Settings } from '@mcp-toolkits/server'
import { Backfills } from './backfill/backfills.ts'
import { openSqliteTables } from './backfill/sqlite-tables.ts'
import { BackfillStore, destinationsOf, type FilesForKeys, parkBackfills, reopenBackfills, type Tables } from './backfill/store.ts'
import { BackfillWorker, type BackfillWorkOptions } from './backfill/work.ts'
import { BackfillThread } from './backfill/thread.ts'
import { backfillPath, inputVariable, privateHosts } from './upstream.ts'

/** Source timeouts, shorter than clients usually wait. */
const sourceLimits = { headersMs: 20_000, idleMs: 25_000 }

export interface OpenBackfillsOptions extends Omit<BackfillWorkOptions, 'store' | 'fetch' | 'onChange'> {
  readonly settings: Settings
  readonly shared: ConnectOptions['shared'] | undefined
  readonly log: ConnectOptions['log']
  /** True if the work needs only the settings, so a separate thread, which takes less memory, can do it. */
  readonly isSeparable: boolean
}

/** Opens an account's backfills, and does the remaining work. Throws `StoreError` for an unusable file or database. */
export async function openBackfills({ settings, shared, log, isSeparable, ...options }: OpenBackfillsOptions): Promise<Backfills> {
  const { destination, clock } = options
  const tables = await openTables(settings, { shared, clock })
  const store = new BackfillStore(tables, destination)
  const fetch = sourceFetch(settings, clock)
  const backfills = new Backfills({
    store,
    clock,
    inputFile: settings.environment[inputVariable],
    openWork: (onChange) =>
      isSeparable && existsSync(threadModule)
        ? new BackfillThread({ ...options, ...threadOf(settings, log), store, fetch, onChange })
        : new BackfillWorker({ ...options, store, fetch, onChange }),
    close: () => tables.close(),
  })
  if (!settings.readOnly) backfills.wake()
  return backfills
}

/** Fetches files from the web. */
export function sourceFetch(settings: Settings, clock: Clock): GuardedFetch {
  return guardedFetch({ allowPrivate: privateHosts(settings), limits: sourceLimits, clock })
}

/** The thread's entry. A program bundled into one file lacks this module. */
const threadModule = new URL(`./thread${path.extname(import.meta.url)}`, import.meta.url)

function threadOf(settings: Settings, log: ConnectOptions['log']) {
  return {
    module: threadModule,
    data: { ...settings, environment: { ...settings.environment } },
    onReport: (problem: object) => log?.error('backfill', { ...problem }),
  }
}

/** The tables in the database that the replicas share, or else in the data directory. */
export async function openTables(settings: Settings, { shared, clock }: Pick<OpenBackfillsOptions, 'shared' | 'clock'>): Promise<Tables> {
  if (shared) return (await import('./team/backfill/tables.ts')).openSharedTables(shared)
  return openSqliteTables(dataPath(settings.dataDirectory, ...backfillPath), clock)
}

/** All accounts' files. */
export function filesForKeys(tables: Tables, clock: Clock): FilesForKeys {
  return {
    waiting: async () =>
      (await destinationsOf(tables)).map((destination) => ({ destination, park: () => parkBackfills(tables, destination, clock.now()) })),
    reopen: (destination) => reopenBackfills(tables, destination, clock.now()),
  }
}
