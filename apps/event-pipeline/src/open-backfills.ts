import { dataPath } from '@mcp-toolkits/core/base'
import { guardedFetch } from '@mcp-toolkits/core/upstream'
import type { ConnectOptions, Settings } from '@mcp-toolkits/server'
import { Backfills, type BackfillsOptions } from './backfill/backfills.ts'
import { openSqliteTables } from './backfill/sqlite-tables.ts'
import { BackfillStore, destinationsOf, stopBackfills, type Tables, type WaitingFile } from './backfill/store.ts'
import { backfillPath, inputVariable, privateHosts } from './upstream.ts'

/** Shorter than clients commonly wait. */
const sourceLimits = { headersMs: 20_000, idleMs: 25_000 }

export interface OpenBackfillsOptions extends Omit<BackfillsOptions, 'store' | 'fetch' | 'inputFile' | 'close'> {
  readonly settings: Settings
  readonly shared: ConnectOptions['shared'] | undefined
}

/** Opens the backfills of one account. Throws `StoreError` for a file or database that cannot be used. */
export async function openBackfills({ settings, shared, ...options }: OpenBackfillsOptions): Promise<Backfills> {
  const { destination, clock } = options
  const tables = await openTables(settings, { shared, clock })
  return new Backfills({
    ...options,
    store: new BackfillStore(tables, destination),
    fetch: guardedFetch({ allowPrivate: privateHosts(settings), limits: sourceLimits, clock }),
    inputFile: settings.environment[inputVariable],
    close: () => tables.close(),
  })
}

/** The tables in the database that the replicas share, or else in the data directory. */
export async function openTables(settings: Settings, { shared, clock }: Pick<OpenBackfillsOptions, 'shared' | 'clock'>): Promise<Tables> {
  if (shared) return (await import('./team/backfill/tables.ts')).openSharedTables(shared)
  return openSqliteTables(dataPath(settings.dataDirectory, ...backfillPath), clock)
}

/** The accounts with files that are being sent. */
export async function waitingFiles(tables: Tables): Promise<readonly WaitingFile[]> {
  return (await destinationsOf(tables)).map((destination) => ({ destination, park: () => stopBackfills(tables, destination) }))
}
