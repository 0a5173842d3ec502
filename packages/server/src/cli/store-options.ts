import { type Environment, readSecret, Secret, ToolError, Unavailable } from '@mcp-toolkits/core'
import { isSystemError, storageFailure } from '@mcp-toolkits/core/system-error'
import { readVaultKeys, type VaultKey } from '@mcp-toolkits/store/sealer'
import { type CommandLine, UsageError } from './command.ts'

const keysVariable = 'MCP_TOOLKITS_VAULT_KEYS'

/** Which database is meant, and how to open it. */
export interface StoreOptions {
  readonly url: string
  readonly schema: string
  readonly keys: readonly VaultKey[]
}

/** What `--store` means for a server. Throws `UsageError` for options that do not fit. */
export function readStoreOptions(server: string, { store = '', settings }: Pick<CommandLine, 'store' | 'settings'>): StoreOptions {
  if (settings.embedded) {
    throw new UsageError(
      '--store cannot be combined with --embedded: the data of the embedded default is on one machine, and replicas need one account.',
    )
  }
  return { ...readStoreUrl(store, server), keys: readKeys(settings.environment, '--store') }
}

/** Servers may share a database. */
export const defaultSchema = (server: string) => server.replaceAll('-', '_')

/** The address for PostgreSQL, and the schema: one for each server unless the address names another. */
function readStoreUrl(text: string, server: string): Pick<StoreOptions, 'url' | 'schema'> {
  const url = new URL(text)
  const schema = url.searchParams.get('schema') ?? defaultSchema(server)
  url.searchParams.delete('schema')
  rememberPasswords(url)
  if (!/^[a-z_][a-z\d_]{0,62}$/.test(schema))
    throw new UsageError('The schema in --store must be lower-case letters, digits and underscores, at most 63.')
  return { url: url.href, schema }
}

/** A secret is replaced in every text that leaves the server. */
function rememberPasswords({ password, searchParams }: URL): void {
  try {
    const passwords = [decodeURIComponent(password), searchParams.get('password') ?? '', searchParams.get('sslpassword') ?? '']
    for (const each of passwords) if (each !== '') new Secret(each).reveal()
  } catch {
    throw new UsageError('The password in --store must be percent-encoded, as in every URL: % is %25.')
  }
}

/** The keys of the operator. `user` is what needs them, for the message when there are none. Throws `UsageError`. */
export function readKeys(environment: Environment, user: string): readonly VaultKey[] {
  try {
    const text = environment[keysVariable] === '' ? undefined : readSecret(environment, keysVariable, 'keys')
    if (text) return readVaultKeys(text.reveal())
  } catch (error) {
    if (error instanceof RangeError)
      throw new UsageError(`${keysVariable} must be id:base64 of 32 bytes, with commas between several keys. ${error.message}`)
    throw error instanceof ToolError ? new UsageError(error.message) : error
  }
  throw new UsageError(
    `${user} needs ${keysVariable}, which encrypts what the database holds. Make a key once, for all replicas: ${keysVariable}=1:$(openssl rand -base64 32)`,
  )
}

/** What to look at when the database cannot be opened. */
export function explainFailure(error: unknown): unknown {
  const failure = storageFailure(error)
  if (isSystemError(error) && 'problem' in error && error.problem === 'unreachable')
    return new Unavailable(`${error.message} Check that PostgreSQL runs there, and that this machine may connect to it.`)
  if (failure) return failure
  if (!(error instanceof Error)) return error
  // A text of pg, which gives it no code.
  if (error.message.includes('client password must be a'))
    return new Unavailable('The database of --store asks for a password, and none is given. Set PGPASSWORD.', { retryable: false })
  // PostgreSQL and its client have many more reasons; none of their texts holds a password.
  return new Unavailable(`The database of --store cannot be opened: ${error.message.endsWith('.') ? error.message : `${error.message}.`}`)
}
