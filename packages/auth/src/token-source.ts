import {
  type Environment,
  type Fetch,
  readBaseUrl,
  readSecret,
  ToolError,
  Unauthenticated,
  Unavailable,
  withAuthorization,
} from '@mcp-toolkits/core'
import type { Clock } from '@mcp-toolkits/core/clock'
import { type AccountConfig, type AccountSettings, commandLine, profileKey } from './account.ts'
import { type AccountInfo, canSendTokensTo, type Login } from './stored-login.ts'
import type { TokenManager } from './token-manager.ts'
import { openTokenStore, readStoredLogin } from './token-store.ts'

/** Which credentials a server uses, and where they are valid. */
export type TokenSource =
  /** An API key or access token of the environment, as the authorization header wants it. */
  | { readonly kind: 'environment'; readonly url: string; readonly authorization: string }
  /** A stored login, which can change while the server runs. */
  | { readonly kind: 'login'; readonly url: string }

/**
 * Where the token comes from, in order of precedence: `--embedded` (none), the credential variables in the order in which the account
 * lists them, the stored login. Undefined means the embedded default. Credentials that are present but unusable throw `Unauthenticated`;
 * they never lead to the embedded default.
 */
export function findTokenSource(account: AccountConfig, settings: AccountSettings): TokenSource | undefined {
  const { embedded, environment } = settings
  if (embedded) return undefined
  const { api, credentials } = account
  const authorization = authorizationFrom(account, environment)
  const chosenUrl = readBaseUrl(environment, api.variable)
  if (authorization !== undefined) return { kind: 'environment', url: chosenUrl ?? api.url, authorization }
  const login = storedLogin(account, settings)
  if (login) return { kind: 'login', url: loginUrl(login, chosenUrl) }
  if (chosenUrl === undefined) return undefined
  throw new Unauthenticated(`${api.variable} is set without credentials. Set ${credentials[0].variable} too, sign in, or unset it.`)
}

/** The credential variables that are set, and so override a login. */
export function overriddenBy({ credentials }: AccountConfig, environment: Environment): string[] {
  return credentials.map(({ variable }) => variable).filter((variable) => environment[variable] !== undefined)
}

/** Where calls go, without opening anything. */
export function upstreamOf(account: AccountConfig, settings: AccountSettings): { kind: 'embedded' } | { kind: 'vendor'; url: string } {
  const source = findTokenSource(account, settings)
  return source ? { kind: 'vendor', url: source.url } : { kind: 'embedded' }
}

/** All variables are read, so that one which cannot be a credential is reported even where another one is used. */
function authorizationFrom({ credentials }: AccountConfig, environment: Environment): string | undefined {
  const values = credentials.map(({ variable, noun, scheme }) => {
    const secret = readSecret(environment, variable, noun)
    return secret && (scheme ? `${scheme} ${secret.reveal()}` : secret.reveal())
  })
  return values.find((value) => value !== undefined)
}

/** An operator who names a profile does not want the embedded default, so one without a login is an error. */
function storedLogin(account: AccountConfig, settings: AccountSettings): Login | undefined {
  const login = readStoredLogin(settings.dataDirectory, profileKey(account, settings))
  if (login || settings.profile === undefined) return login
  const command = commandLine(account.server, settings, ['login'])
  throw new Unauthenticated(`No login is stored under the profile "${settings.profile}".`, { next: { command } })
}

function loginUrl(login: Login, chosen: string | undefined): string {
  if (chosen === undefined || canSendTokensTo(login, chosen)) return chosen ?? login.apiUrl
  throw new Unauthenticated(
    `The stored login is for ${login.apiUrl} and is not sent to ${chosen}. Sign in again for that address, or unset it.`,
  )
}

/** An upstream whose `fetch` adds the credentials. */
export interface AuthorizedUpstream {
  readonly url: string
  readonly fetch: Fetch
  /** Absent for credentials of the environment and the embedded default. */
  readonly tokens?: TokenManager
  /** What the credentials permit at the moment; undefined when that is unknown. */
  readonly scopes?: () => Promise<readonly string[] | undefined>
  readonly close: () => Promise<void>
}

export interface UpstreamOptions {
  /** Replaces `globalThis.fetch`. */
  readonly fetch?: Fetch | undefined
  readonly log?: { readonly error: (message: string, fields: Readonly<Record<string, unknown>>) => void } | undefined
  readonly clock?: Clock | undefined
}

/** Opens the vendor's API with the credentials of a server; undefined when it has none. Throws `Unauthenticated`. */
export async function openUpstream(
  account: AccountConfig,
  settings: AccountSettings,
  { fetch = globalThis.fetch, log, clock }: UpstreamOptions = {},
): Promise<AuthorizedUpstream | undefined> {
  const source = findTokenSource(account, settings)
  if (!source) return undefined
  const { url } = source
  if (source.kind === 'environment') {
    return { url, fetch: withAuthorization(fetch, url, source.authorization), close: () => Promise.resolve() }
  }
  const { TokenManager, withLogin } = await import('./token-manager.ts')
  const { provider } = account
  const key = profileKey(account, settings)
  const tokens = new TokenManager({
    store: openTokenStore(settings.dataDirectory, clock),
    key,
    apiUrl: url,
    client: async (login) => (await import('./oauth-client.ts')).oauthClient({ provider, target: login, fetch, clock }),
    vendor: provider.name,
    loginCommand: commandLine(account.server, settings, ['login']),
    onStoreFailure(reason) {
      // Where the provider accepts a refresh token once only, the login ends with this process.
      log?.error('login', { outcome: 'renewed, and cannot be stored', reason, ...key })
    },
    clock,
  })
  return {
    url,
    fetch: withLogin(fetch, url, tokens),
    tokens,
    scopes: async () => (await tokens.login()).scopes,
    close: () => tokens.idle(),
  }
}

/** An emulator as an upstream. No one listens at its URL: `path` is where its API begins, and its `fetch` is called directly. */
export function embeddedUpstream(
  emulator: { readonly fetch: Fetch; readonly close?: () => void | Promise<void> },
  { path = '', authorization }: { readonly path?: string; readonly authorization: string },
): AuthorizedUpstream {
  const url = `http://localhost${path}`
  return { url, fetch: withAuthorization(emulator.fetch, url, authorization), close: async () => emulator.close?.() }
}

/** How long `status` waits for the vendor, in milliseconds. */
const whoAmIMs = 10_000

/** For `status`: whose account it is, or why it cannot be used. */
export async function describeAccount(
  { provider: { name }, whoAmI }: Pick<AccountConfig, 'provider' | 'whoAmI'>,
  upstream: Pick<AuthorizedUpstream, 'fetch' | 'url'>,
  clock?: Clock,
): Promise<AccountInfo> {
  const { withTimeout } = await import('@mcp-toolkits/core/async')
  const reason = () => new Unavailable(`${name} did not answer in time.`)
  try {
    return await withTimeout({ ms: whoAmIMs, reason, clock }, ({ signal }) => whoAmI(upstream, signal))
  } catch (error) {
    if (error instanceof ToolError) return { problem: error.message }
    throw error
  }
}
