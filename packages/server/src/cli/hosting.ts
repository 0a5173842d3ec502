import { profileKey } from '@mcp-toolkits/auth/account'
import { type LoginRows, sharedTokenStore } from '@mcp-toolkits/auth/shared-token-store'
import { systemClock } from '@mcp-toolkits/core/clock'
import type { Locks } from '@mcp-toolkits/core/shared-state'
import { inspectSharedStore, openSharedStore, type SharedStore, type StoreInspection } from '@mcp-toolkits/store/postgres'
import type { ServerDefinition, Settings } from '../definition.ts'
import type { CommandLine } from './command.ts'
import { defaultSchema, explainFailure, readStoreOptions } from './store-options.ts'

type HostedServer = Pick<ServerDefinition<never>, 'name' | 'account'>
type StoreLine = Pick<CommandLine, 'store' | 'settings'>

/** Where logins are, in a database that is open. */
interface SharedAccounts {
  readonly logins: LoginRows
  readonly locks: Locks
  readonly schema: string
}

/**
 * Runs a command with the database of `--store`, and with the settings that make a server use it. Throws `UsageError` for options that do
 * not fit, and `Unavailable` for a database that cannot be used.
 */
export async function withStore<Result>(
  definition: HostedServer,
  line: StoreLine,
  work: (settings: Settings, shared: SharedStore) => Promise<Result>,
): Promise<Result> {
  const options = readStoreOptions(definition.name, line)
  const shared = await openSharedStore({ ...options, clock: systemClock }).catch((error: unknown) => {
    throw explainFailure(error)
  })
  try {
    return await work(await sharedSettings(definition, line.settings, { ...shared, schema: options.schema }), shared)
  } finally {
    await shared.close()
  }
}

/** What is in the database of `--store`, and what a server would make of it; nothing is changed. */
export interface HostingInspection extends Omit<StoreInspection, 'logins' | 'locks' | 'close'> {
  readonly settings: Settings
  readonly keyIds: readonly string[]
}

/** Throws as `withStore` does. */
export async function inspectHosting(definition: HostedServer, line: StoreLine): Promise<HostingInspection> {
  const options = readStoreOptions(definition.name, line)
  const opened = await inspectSharedStore(options).catch((error: unknown) => {
    throw explainFailure(error)
  })
  try {
    const settings = await sharedSettings(definition, line.settings, opened)
    return { ...opened, settings, keyIds: options.keys.map(({ id }) => id) }
  } finally {
    await opened.close()
  }
}

/** A replica that has no account must not fall back to the embedded default, whose data the others do not have. */
async function sharedSettings(
  { name, account }: HostedServer,
  settings: Settings,
  { logins, locks, schema }: SharedAccounts,
): Promise<Settings> {
  const hosted = { ...settings, isReplica: true }
  if (!account) return hosted
  // Commands that errors name have to lead to the same logins.
  const location = schema === defaultSchema(name) ? logins.location : `${logins.location}?schema=${schema}`
  const store = sharedTokenStore({ ...logins, location }, locks)
  return { ...hosted, sharedLogins: { store, atStart: await store.read(profileKey(account, settings)) } }
}
