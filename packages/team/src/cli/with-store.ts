import { profileKey } from '@mcp-toolkits/server/account'
import { type LoginRows, sharedTokenStore } from '../accounts/shared-login-store.ts'
import { type Locks, systemClock } from '@mcp-toolkits/core/base'
import { isSystemError, storageFailure, Unavailable } from '@mcp-toolkits/core/errors'
import { type Environment, Secret } from '@mcp-toolkits/core/upstream'
import type { PostgresStore, StoreInspection } from '../postgres/index.ts'
import { readVaultKeys, type VaultKey } from '../vault/sealer.ts'
import type { ServerDefinition, Settings } from '@mcp-toolkits/server'
import { type CommandLine, UsageError, readOperatorSecret } from '@mcp-toolkits/server/cli'

type HostedServer = Pick<ServerDefinition<never>, 'name' | 'account'>
type StoreLine = Pick<CommandLine, 'store' | 'settings'>

/** Logins in an open database. */
interface SharedAccounts {
  readonly logins: LoginRows
  readonly locks: Locks
  readonly schema: string
}

/**
 * Runs a command with the database of `--store`, and with the settings that make a server use it. Throws `UsageError` for invalid options,
 * and `Unavailable` for an unusable database.
 */
export async function withStore<Result>(
  definition: HostedServer,
  line: StoreLine,
  work: (settings: Settings, shared: PostgresStore) => Promise<Result>,
): Promise<Result> {
  const options = readStoreOptions(definition.name, line)
  const { openSharedStore } = await import('../postgres/index.ts')
  const shared = await openSharedStore({ ...options, clock: systemClock }).catch((error: unknown) => {
    throw explainFailure(error)
  })
  try {
    return await work(await sharedSettings(definition, line.settings, shared), shared)
  } finally {
    await shared.close()
  }
}

/** Content of the `--store` database, and a server's view of it; reading it changes nothing. */
export interface HostingInspection extends Omit<StoreInspection, 'logins' | 'locks' | 'close'> {
  readonly settings: Settings
  readonly keyIds: readonly string[]
}

/** Throws like `withStore`. */
export async function inspectHosting(definition: HostedServer, line: StoreLine): Promise<HostingInspection> {
  const options = readStoreOptions(definition.name, line)
  const { inspectSharedStore } = await import('../postgres/index.ts')
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

/** A replica without an account must not fall back to the embedded default, whose data other replicas lack. */
async function sharedSettings(
  { name, account }: HostedServer,
  settings: Settings,
  { logins, locks, schema }: SharedAccounts,
): Promise<Settings> {
  const hosted = { ...settings, isReplica: true }
  if (!account) return hosted
  // Commands in errors must refer to the same logins.
  const location = schema === defaultSchema(name) ? logins.location : `${logins.location}?schema=${schema}`
  const store = sharedTokenStore({ ...logins, location }, locks)
  return { ...hosted, sharedLogins: { store, atStart: await store.read(profileKey(account, settings)) } }
}

const keysVariable = 'MCP_TOOLKITS_VAULT_KEYS'

/** The chosen database, and options for opening it. */
export interface StoreOptions {
  readonly url: string
  readonly schema: string
  readonly keys: readonly VaultKey[]
}

/** Reads `--store` for a server. Throws `UsageError` for invalid options. */
export function readStoreOptions(server: string, { store = '', settings }: Pick<CommandLine, 'store' | 'settings'>): StoreOptions {
  if (settings.embedded) {
    throw new UsageError(
      '--store cannot be combined with --embedded: the data of the embedded default is on one machine, and replicas need one account.',
    )
  }
  return { ...readStoreUrl(store, server), keys: readKeys(settings.environment, '--store') }
}

/** A separate schema for each server, because several may share a database. */
const defaultSchema = (server: string) => server.replaceAll('-', '_')

/** The address for PostgreSQL, and the schema: one per server unless the address names a different one. */
function readStoreUrl(text: string, server: string): Pick<StoreOptions, 'url' | 'schema'> {
  const url = new URL(text)
  const schema = url.searchParams.get('schema') ?? defaultSchema(server)
  url.searchParams.delete('schema')
  rememberPasswords(url)
  if (!/^[a-z_][a-z\d_]{0,62}$/.test(schema))
    throw new UsageError('The schema in --store must be lower-case letters, digits and underscores, at most 63.')
  return { url: url.href, schema }
}

/** Registers the passwords as secrets, which are redacted in all text that leaves the server. */
function rememberPasswords({ password, searchParams }: URL): void {
  try {
    const passwords = [decodeURIComponent(password), searchParams.get('password') ?? '', searchParams.get('sslpassword') ?? '']
    for (const each of passwords) if (each !== '') new Secret(each).reveal()
  } catch {
    throw new UsageError('The password in --store must be percent-encoded, as in every URL: % is %25.')
  }
}

/** The operator's keys. `user` names the part that needs the keys, for the message if there are none. Throws `UsageError`. */
export function readKeys(environment: Environment, user: string): readonly VaultKey[] {
  try {
    const text = environment[keysVariable] === '' ? undefined : readOperatorSecret(environment, keysVariable, 'keys')
    if (text) return readVaultKeys(text.reveal())
  } catch (error) {
    if (error instanceof RangeError)
      throw new UsageError(`${keysVariable} must be id:base64 of 32 bytes, with commas between several keys. ${error.message}`)
    throw error
  }
  throw new UsageError(
    `${user} needs ${keysVariable}, which encrypts the database's content. Create one key for all replicas: ${keysVariable}=1:$(openssl rand -base64 32)`,
  )
}

/** Adds advice about a database that cannot be opened. */
export function explainFailure(error: unknown): unknown {
  const failure = storageFailure(error)
  if (isSystemError(error) && 'problem' in error && error.problem === 'unreachable')
    return new Unavailable(`${error.message} Check that PostgreSQL is running there, and that this machine may connect to it.`)
  if (failure) return failure
  if (!(error instanceof Error)) return error
  // This error from pg has no code.
  if (error.message.includes('client password must be a'))
    return new Unavailable('The database of --store asks for a password, and none is given. Set PGPASSWORD.', { retryable: false })
  // PostgreSQL and its client have many more reasons; their messages never contain a password.
  return new Unavailable(`The database of --store cannot be opened: ${error.message.endsWith('.') ? error.message : `${error.message}.`}`)
}
