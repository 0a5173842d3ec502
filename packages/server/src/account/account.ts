import type { ConnectStep, NextStep } from '@mcp-toolkits/core/errors'
import type { Environment, Fetch, KeyPrefixes } from '@mcp-toolkits/core/upstream'
import type { AccountInfo } from './tokens/login-format.ts'
import type { LoginPlace, ProfileKey } from './tokens/login-store.ts'

export interface OAuthEndpoints {
  readonly authorization: string
  readonly token: string
  readonly revocation: string
}

/** Relations between a provider's scopes. */
export interface ScopeRules {
  /** Scopes that every token has, even if it does not list them. */
  readonly always?: readonly string[]
  /** Maps a scope to the scopes that it includes. */
  readonly includes?: Readonly<Record<string, readonly string[]>>
}

/** Ways in which OAuth providers differ. */
export interface OAuthProvider {
  /** Name shown to people, such as `Linear`. */
  readonly name: string
  readonly endpoints: OAuthEndpoints
  readonly scopeSeparator: ',' | ' '
  readonly scopes: ScopeRules & { readonly default: readonly string[] }
  /** The provider's spelling of a scope, if it differs from ours. */
  readonly scopeSpelling?: { readonly encode: (scope: string) => string; readonly decode: (spelling: string) => string }
  /** Extra parameters for an authorization request. */
  readonly authorizationParameters?: Readonly<Record<string, string>>
  /** True if a refresh token can be used again after the response to its first use was lost. */
  readonly canRepeatRefresh?: boolean
  /**
   * True if revoking a token ends only its grant. Otherwise, revoking it may end everything that the account has granted to this client.
   */
  readonly revokesOneGrant?: boolean
  /** Path that the browser returns to, if the provider requires a registered one; by default, a random path. */
  readonly redirectPath?: string
}

/** A server's account: the credentials it accepts, and how a person signs in. */
export interface AccountConfig {
  /** The server's name, under which its logins are stored. */
  readonly server: string
  /** The vendor's address, the variable that overrides it, and the address of files that need the same credential, if different. */
  readonly api: { readonly url: string; readonly variable: string; readonly files?: string }
  /** Environment variables that hold a credential; the first one set is used, and overrides a login. */
  readonly credentials: readonly [CredentialVariable, ...CredentialVariable[]]
  readonly provider: OAuthProvider
  /** Environment variables for a login. */
  readonly variables: {
    readonly clientId: string
    readonly clientSecret?: string
    /** Overrides the address of the provider's endpoints. */
    readonly authUrl: string
  }
  /** Environment variables for a service account; absent if the vendor has none. */
  readonly serviceAccount?: ServiceAccountVariables
  /** Sentence that tells a person how to get a client id, and which redirect URI to register. */
  readonly registration: string
  /** Like `registration`, but for a server that people reach at a URL. Messages put this sentence after the redirect URI. */
  readonly webRegistration: string
  /** Finds the account behind the credentials, which `fetch` adds. */
  readonly whoAmI: (api: { readonly fetch: Fetch; readonly url: string }, signal: AbortSignal) => Promise<AccountInfo>
  /** Tools that need no scope check, because they also work with fewer scopes. */
  readonly scopeExempt: readonly string[]
}

/** Environment variables for a service account, which exchanges signed assertions for tokens: https://www.rfc-editor.org/rfc/rfc7523 */
export interface ServiceAccountVariables {
  /** Holds the JSON of the key file. */
  readonly key: string
  /** Email address of the person for whom the account acts; if unset, the account acts for itself. */
  readonly subject: string
  /** Scopes to ask for, separated by commas. */
  readonly scopes: string
  /** Scopes to ask for if the variable is unset. */
  readonly defaultScopes: readonly string[]
  /** Returns a sentence that tells the caller to ask the operator to check the account, or to grant it these scopes. */
  readonly advice: (scopes?: readonly string[]) => string
}

export interface CredentialVariable {
  readonly variable: string
  /** The kind of value that the variable takes, for messages. */
  readonly noun: 'key' | 'token'
  /** Precedes the credential in the authorization header; absent if the header contains only the credential. */
  readonly scheme?: 'Bearer'
  /** Credential kinds by prefix, so that the error for a credential of the wrong kind can name that kind. */
  readonly prefixes?: KeyPrefixes | undefined
}

/** The settings that decide which account a server uses. */
export interface AccountSettings extends LoginPlace {
  /** Serve the embedded default even though credentials are present. */
  readonly embedded: boolean
  /** The environment, plus extensions' options, each as its variable. */
  readonly environment: Environment
  /** True if the operator chose the data directory; commands in messages then need the option too. */
  readonly dataDirectoryIsChosen?: boolean
  /** Name of the login; `default` if absent. */
  readonly profile?: string
  /** Identifies the accounts' owner, on a multi-user server; absent if all calls use one account. */
  readonly owner?: string
}

export function profileKey(
  { server }: Pick<AccountConfig, 'server'>,
  { profile = 'default' }: Pick<AccountSettings, 'profile'>,
): ProfileKey {
  return { server, profile }
}

/** The environment variables that hold a credential, in order of precedence. */
export function credentialVariables({ credentials, serviceAccount }: Pick<AccountConfig, 'credentials' | 'serviceAccount'>): string[] {
  return [...credentials.map(({ variable }) => variable), ...(serviceAccount ? [serviceAccount.key] : [])]
}

/** True for a valid profile name, which becomes part of a file name. */
export function isProfileName(name: string): boolean {
  return /^[A-Za-z0-9][\w.-]{0,63}$/.test(name)
}

/** A command for a person to run, with the options that select the same login as `settings`. */
export function commandLine(
  server: string,
  settings: Pick<AccountSettings, 'dataDirectory' | 'dataDirectoryIsChosen' | 'profile' | 'sharedLogins'>,
  words: readonly string[],
): string {
  const { dataDirectory, dataDirectoryIsChosen = false, profile, sharedLogins } = settings
  const options = [
    ...(profile === undefined ? [] : ['--profile', profile]),
    ...(sharedLogins ? ['--store', sharedLogins.store.location] : []),
    ...(dataDirectoryIsChosen ? ['--data-dir', dataDirectory] : []),
  ]
  return [`${server}-mcp`, ...words, ...options].map(shellQuote).join(' ')
}

/** Quotes a word for a POSIX shell, if needed. */
export function shellQuote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** Instructions for signing in, for an error that a sign-in resolves. */
export interface SignInStep {
  /** Advice for the caller, in one sentence. */
  readonly advice: string
  readonly details: { readonly next: NextStep } | { readonly connect: ConnectStep }
}

/**
 * Tells a person to run a command on the server's machine or, if each person connects accounts, to open a page on the server. `scopes` are
 * the scopes to ask for; by default, the provider's.
 */
export function signInStep(
  { server, serviceAccount }: Pick<AccountConfig, 'server' | 'serviceAccount'>,
  settings: AccountSettings,
  scopes?: readonly string[],
): SignInStep {
  if (settings.owner !== undefined) {
    return {
      advice: 'Ask the person to open the page, then make the call again.',
      details: { connect: { purpose: 'account', ...(scopes && { scopes }) } },
    }
  }
  const isService = serviceAccount && settings.environment[serviceAccount.key] !== undefined
  if (isService) return { advice: serviceAccount.advice(scopes), details: { next: { command: commandLine(server, settings, ['status']) } } }
  return {
    advice: 'Ask the person to run the command; the call then works without a restart.',
    details: { next: { command: commandLine(server, settings, ['login', ...(scopes ? ['--scopes', scopes.join(',')] : [])]) } },
  }
}

/** The provider's endpoints, or the same paths below `base`, which has no trailing slash. */
export function endpointsAt({ endpoints }: OAuthProvider, base: string | undefined): OAuthEndpoints {
  if (base === undefined) return endpoints
  const moved = (url: string) => `${base}${new URL(url).pathname}`
  return { authorization: moved(endpoints.authorization), token: moved(endpoints.token), revocation: moved(endpoints.revocation) }
}
