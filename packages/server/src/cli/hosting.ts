import { profileKey } from '@mcp-toolkits/auth/account'
import { sharedTokenStore } from '@mcp-toolkits/auth/shared-token-store'
import { type Environment, Secret, ToolError, Unavailable, readSecret } from '@mcp-toolkits/core'
import { systemClock } from '@mcp-toolkits/core/clock'
import { isSystemError, storageFailure } from '@mcp-toolkits/core/system-error'
import type { SharedStore, VaultKey } from '@mcp-toolkits/store/postgres'
import type { ServerDefinition, Settings } from '../definition.ts'
import { type CommandLine, UsageError } from './command.ts'

const keysVariable = 'MCP_TOOLKITS_VAULT_KEYS'

/** A database that replicas share, with the settings that make a server use it. */
export interface Hosting {
  readonly shared: SharedStore
  readonly settings: Settings
}

/** Opens the database of `--store`. Throws `UsageError` for options that do not fit, and `Unavailable` for a database that cannot be used. */
export async function openHosting<Context>(
  definition: Pick<ServerDefinition<Context>, 'name' | 'account'>,
  { store = '', settings }: Pick<CommandLine, 'store' | 'settings'>,
): Promise<Hosting> {
  if (settings.embedded) {
    throw new UsageError(
      '--store does not go with --embedded: the data of the embedded default is on one machine, and replicas need one account.',
    )
  }
  const { openSharedStore } = await import('@mcp-toolkits/store/postgres')
  const { url, schema } = readStoreUrl(store, definition.name)
  const keys = await readKeys(settings.environment)
  const shared = await openSharedStore({ url, schema, keys, clock: systemClock }).catch((error: unknown) => {
    throw explainFailure(error)
  })
  try {
    return { shared, settings: await sharedSettings(definition, settings, shared) }
  } catch (error) {
    await shared.close()
    throw error
  }
}

/** Runs a command with the database of `--store`. */
export async function withStore<Context, Result>(
  definition: Pick<ServerDefinition<Context>, 'name' | 'account'>,
  line: Pick<CommandLine, 'store' | 'settings'>,
  work: (settings: Settings, shared: SharedStore) => Promise<Result>,
): Promise<Result> {
  const { settings, shared } = await openHosting(definition, line)
  try {
    return await work(settings, shared)
  } finally {
    await shared.close()
  }
}

/** A replica that has no account must not fall back to the embedded default, whose data the others do not have. */
async function sharedSettings<Context>(
  { account }: Pick<ServerDefinition<Context>, 'account'>,
  settings: Settings,
  shared: SharedStore,
): Promise<Settings> {
  const hosted = { ...settings, isReplica: true }
  if (!account) return hosted
  const store = sharedTokenStore(shared.logins, shared.locks)
  return { ...hosted, sharedLogins: { store, atStart: await store.read(profileKey(account, settings)) } }
}

/** The address for PostgreSQL, and the schema: one for each server unless the address names another. */
export function readStoreUrl(text: string, server: string): { readonly url: string; readonly schema: string } {
  const url = new URL(text)
  const schema = url.searchParams.get('schema') ?? server.replaceAll('-', '_')
  url.searchParams.delete('schema')
  // From now on no text that leaves the server shows it.
  if (url.password !== '') new Secret(decodeURIComponent(url.password)).reveal()
  if (!/^[a-z_][a-z\d_]{0,62}$/.test(schema)) throw new UsageError('The schema of --store has small letters, digits and underscores.')
  return { url: url.href, schema }
}

async function readKeys(environment: Environment): Promise<readonly VaultKey[]> {
  const missing = `--store needs ${keysVariable}, which encrypts what the database holds. Make a key once, for all replicas: ${keysVariable}=1:$(openssl rand -base64 32)`
  const { readVaultKeys } = await import('@mcp-toolkits/store/postgres')
  try {
    const text = environment[keysVariable] === '' ? undefined : readSecret(environment, keysVariable, 'keys')
    if (!text) throw new UsageError(missing)
    return readVaultKeys(text.reveal())
  } catch (error) {
    if (error instanceof RangeError)
      throw new UsageError(`${keysVariable} must be id:base64 of 32 bytes, with commas between several keys. ${error.message}`)
    throw error instanceof ToolError ? new UsageError(error.message) : error
  }
}

/** What to look at when the database cannot be opened. */
function explainFailure(error: unknown): unknown {
  const failure = storageFailure(error)
  if (isSystemError(error) && 'problem' in error && error.problem === 'unreachable')
    return new Unavailable(`${error.message} Check that PostgreSQL runs there, and that this machine may connect to it.`)
  if (failure) return failure
  // PostgreSQL and its client have many more reasons; none of their texts holds a password.
  return error instanceof Error ? new Unavailable(`The database of --store cannot be opened: ${error.message}`) : error
}
