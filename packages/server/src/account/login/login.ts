import { randomUUID } from 'node:crypto'
import { type Clock, systemClock, withTimeout } from '@mcp-toolkits/core/base'
import { sentence, systemErrorCode, ToolError, Unauthenticated, Unavailable, withDetails } from '@mcp-toolkits/core/errors'
import { readBaseUrl, readSecret, readToken, type Fetch, type Secret, withAuthorization } from '@mcp-toolkits/core/upstream'
import { type AccountConfig, type AccountSettings, endpointsAt, profileKey } from '../account.ts'
import { type AuthorizationOptions, authorize } from './authorization.ts'
import { type AuthorizationCode, type OAuthClient, oauthClient } from './oauth-client.ts'
import type { Page } from './page.ts'
import { missingScopes, missingToolScopes, type ScopedTool } from './scopes.ts'
import { isNamed } from '../tokens/account-id.ts'
import { type AccountInfo, type ActiveLogin, canSendTokensTo, type Login, type LoginTarget } from '../tokens/login-format.ts'
import { tokenStoreOf } from '../tokens/login-store.ts'

/** Timeout, in milliseconds, for the request that asks the vendor whose account it is. */
const whoAmIMs = 10_000

/** Timeout, in milliseconds, for revoking a token at the provider. */
const revocationMs = 15_000

/** The remedy for a token that could not be revoked. */
export const removalHint = 'Remove the application in your account settings.'

export interface LoginRequest {
  readonly target: LoginTarget
  readonly scopes: readonly string[]
  /** True if there is no earlier login to replace. */
  readonly isFirstLogin: boolean
}

/**
 * Reads the login request from the environment, or else from the stored login. Empty `scopes` mean the provider's defaults. Throws
 * `Unauthenticated` if the person must first set a variable.
 */
export async function readLoginRequest(
  account: AccountConfig,
  settings: AccountSettings,
  scopes: readonly string[] = [],
): Promise<LoginRequest> {
  const previous = await readPrevious(account, settings)
  const target = environmentTarget(account, settings) ?? (previous.login && repeatTarget(account, settings, previous.login))
  if (!target) throw new Unauthenticated(sentence`Set ${{ variable: account.variables.clientId }} first.`.and(account.registration))
  return {
    target,
    scopes: scopes.length > 0 ? scopes : account.provider.scopes.default,
    isFirstLogin: previous.isReadable && !previous.login?.tokens,
  }
}

/** The target that the environment names; undefined if it names no client. Throws `Unauthenticated` for unusable values. */
export function environmentTarget({ provider, variables, api }: AccountConfig, { environment }: AccountSettings): LoginTarget | undefined {
  const id = readToken(environment, variables.clientId, 'client id')
  if (id === undefined) return undefined
  const secret = variables.clientSecret === undefined ? undefined : readSecret(environment, variables.clientSecret, 'client secret')
  const endpoints = endpointsAt(provider, readBaseUrl(environment, variables.authUrl))
  return {
    client: { id, ...(secret && { secret }) },
    authorizationUrl: endpoints.authorization,
    tokenUrl: endpoints.token,
    revocationUrl: endpoints.revocation,
    apiUrl: readBaseUrl(environment, api.variable) ?? api.url,
  }
}

/**
 * An earlier login's target, for an environment that names no client. Throws `Unauthenticated` if the environment names a different
 * address: the client is registered where the login was made, and its secret must not go elsewhere.
 */
function repeatTarget({ provider, variables, api }: AccountConfig, { environment }: AccountSettings, previous: Login): LoginTarget {
  const { client, authorizationUrl, tokenUrl, revocationUrl } = previous
  const base = readBaseUrl(environment, variables.authUrl)
  const { authorization, token } = endpointsAt(provider, base)
  const apiUrl = readBaseUrl(environment, api.variable) ?? previous.apiUrl
  const isOtherProvider = base !== undefined && (authorization !== authorizationUrl || token !== tokenUrl)
  if (!isOtherProvider && canSendTokensTo(previous, apiUrl)) return { client, authorizationUrl, tokenUrl, revocationUrl, apiUrl }
  const [stored, chosen] = isOtherProvider ? [authorizationUrl, authorization] : [previous.apiUrl, apiUrl]
  throw new Unauthenticated(
    sentence`The stored login is for ${stored}, but the environment names ${chosen}.`.and(
      sentence`Set ${{ variable: variables.clientId }} to an application that is registered there, or unset the address.`,
    ),
  )
}

/** The stored login, if readable; a new login replaces a damaged file. */
async function readPrevious(account: AccountConfig, settings: AccountSettings): Promise<{ isReadable: boolean; login: Login | undefined }> {
  try {
    const login = await tokenStoreOf(settings).read(profileKey(account, settings))
    return { isReadable: true, login }
  } catch (error) {
    if (error instanceof Unauthenticated) return { isReadable: false, login: undefined }
    throw error
  }
}

export interface LoginOptions extends Pick<AuthorizationOptions, 'port' | 'onUrl' | 'signal'> {
  readonly account: AccountConfig
  readonly settings: AccountSettings
  /** The server's tools, for counting those that need a scope that the person did not grant. */
  readonly tools: readonly ScopedTool[]
  /** Time, in milliseconds, that the person has to sign in. */
  readonly timeoutMs: number
  readonly clock?: Clock | undefined
}

export interface LoginResult {
  readonly login: ActiveLogin
  /** Sentences about scopes that the person did not grant. */
  readonly scopeNotes: readonly string[]
  /** The login's location, for messages. */
  readonly location: string
}

/** Has a person sign in with a browser, and stores the login before the browser confirms it. */
export async function logIn(request: LoginRequest, options: LoginOptions): Promise<LoginResult> {
  const { account, settings, port, timeoutMs, onUrl, signal, clock = systemClock } = options
  const { provider } = account
  const store = tokenStoreOf(settings, clock)
  const key = profileKey(account, settings)
  const notWritable = (error: unknown): never => {
    throw toUnavailable(error, store.location)
  }
  const finish = async (code: AuthorizationCode) => {
    const login = await storeLogin(request, code, options, (complete) =>
      store.withLock(key, () => store.write(key, complete)).catch(notWritable),
    )
    const scopeNotes = scopeNotesFor(options, request.scopes, login.scopes ?? [])
    return { result: { login, scopeNotes, location: store.location }, page: successPage(provider.name, login.account, scopeNotes) }
  }
  // Checked before the browser opens, so that the person does not sign in for nothing.
  await store.checkWritable(key).catch(notWritable)
  const { target, scopes } = request
  const authorization = { provider, endpoint: target.authorizationUrl, clientId: target.client.id, scopes, port, onUrl }
  const reason = () => new Unavailable('The sign-in was not completed in time. Run the command again.')
  return authorize({ ...authorization, signal, timeout: { ms: timeoutMs, reason, clock } }, finish)
}

/** Stores the login for a code. If storing fails, the tokens are revoked. */
async function storeLogin(
  { target, scopes: requested, isFirstLogin }: LoginRequest,
  code: AuthorizationCode,
  { account, signal, clock }: LoginOptions,
  store: (login: Login) => Promise<void>,
): Promise<ActiveLogin> {
  const { provider } = account
  const client = oauthClient({ provider, target, clock })
  const { tokens, scopes = requested } = await client.exchangeCode(code, signal)
  const login = { ...target, scopes, tokens }
  try {
    const complete = { ...login, ...(await identify(account, login, { clock })) }
    await store(complete)
    return complete
  } catch (error) {
    // Skipped if there was an earlier login, which some providers would revoke as well.
    const problem = isFirstLogin ? await revokeLogin(login, client, clock) : undefined
    if (!problem || !(error instanceof ToolError)) throw error
    const text = error.text.and(`${provider.name} still accepts the login:`, problem.text, removalHint)
    throw withDetails(error, text, error.details)
  }
}

/**
 * Finds a login's account. The login gets a random id if the vendor names no account, and is not stored if the vendor refuses the
 * tokens.
 */
export async function identify(
  { whoAmI, provider }: AccountConfig,
  { apiUrl, tokens }: Pick<ActiveLogin, 'apiUrl' | 'tokens'>,
  { clock, fetch: send = globalThis.fetch }: { readonly clock?: Clock | undefined; readonly fetch?: Fetch | undefined },
): Promise<Pick<Login, 'account' | 'accountId'>> {
  const fetch = withAuthorization(send, apiUrl, () => `Bearer ${tokens.accessToken.reveal()}`)
  try {
    const reason = () => new Unavailable(`${provider.name} did not answer in time.`)
    const account = await withTimeout({ ms: whoAmIMs, reason, clock }, ({ signal }) => whoAmI({ fetch, url: apiUrl }, signal))
    if (isNamed(account)) return { account }
  } catch (error) {
    if (error instanceof Unauthenticated)
      throw new Unauthenticated(`${apiUrl} does not accept tokens from ${provider.name}, so nothing was stored.`)
  }
  return { account: {}, accountId: randomUUID() }
}

/** The scopes that the person did not grant, and the number of tools that need them. */
function scopeNotesFor({ account, tools }: LoginOptions, requested: readonly string[], granted: readonly string[]): string[] {
  const missing = missingScopes(requested, granted, account.provider.scopes)
  if (missing.length === 0) return []
  const lost = tools.filter(
    (tool) => missingToolScopes(account, tool, granted).length > missingToolScopes(account, tool, requested).length,
  ).length
  const cost = `${lost} of ${tools.length} tools cannot be used without them. Run the command again, and allow them on ${account.provider.name}'s page.`
  return [`You left out ${missing.join(', ')}.${lost === 0 ? '' : ` ${cost}`}`]
}

function successPage(name: string, account: AccountInfo, scopeNotes: readonly string[]): Page {
  const person = accountText(account)
  const signedIn = person === '' ? [] : [`You are signed in as ${person}.`]
  return { status: 200, title: `Signed in to ${name}`, paragraphs: [...signedIn, ...scopeNotes, 'You can close this page.'] }
}

/** An account on one line, without characters that a terminal would interpret. */
export function accountText(account: AccountInfo): string {
  return Object.values(account).join(', ').replace(/\p{C}/gu, '')
}

function toUnavailable(error: unknown, location: string): unknown {
  const code = systemErrorCode(error)
  if (code === undefined) return error
  return new Unavailable(`The login cannot be stored, because ${location} cannot be written (${code}).`, { retryable: false })
}

export interface LogoutResult {
  /** True if the login has ended, both here and at the provider. */
  readonly isDone: boolean
  readonly message: string
}

/** Has the provider revoke the login, and deletes the login even if that fails. */
export async function logOut(account: AccountConfig, settings: AccountSettings, clock?: Clock): Promise<LogoutResult> {
  const { provider } = account
  const { name } = provider
  const store = tokenStoreOf(settings, clock)
  const key = profileKey(account, settings)
  // Locked, so that no server refreshes the login meanwhile.
  return store.withLock(key, async () => {
    const login = await store.read(key)
    if (!login) {
      // An operator who names a profile expects it to exist.
      if (settings.profile === undefined) return { isDone: true, message: `Not signed in to ${name}.` }
      return { isDone: false, message: `Not signed in to ${name} under the profile "${key.profile}".` }
    }
    const problem = await revokeLogin(login, oauthClient({ provider, target: login, clock }), clock)
    await store.write(key, undefined)
    if (problem) {
      return { isDone: false, message: `The login is deleted here, but ${name} still accepts it: ${problem.message} ${removalHint}` }
    }
    const how = login.tokens ? 'the login is revoked and deleted.' : `the login is deleted. ${name} had already ended it.`
    return { isDone: true, message: `Signed out of ${name}: ${how}` }
  })
}

/** Revokes the refresh token and then, even if that fails, the access token. Resolves with the first problem. */
export async function revokeLogin(
  { tokens }: Pick<Login, 'tokens'>,
  client: Pick<OAuthClient, 'revoke'>,
  clock?: Clock,
): Promise<ToolError | undefined> {
  if (!tokens) return undefined
  const revoke = async (token: Secret): Promise<ToolError | undefined> => {
    try {
      const reason = () => new Unavailable('The provider did not answer in time.')
      await withTimeout({ ms: revocationMs, reason, clock }, ({ signal }) => client.revoke(token, signal))
      return undefined
    } catch (error) {
      if (error instanceof ToolError) return error
      throw error
    }
  }
  const first = tokens.refreshToken && (await revoke(tokens.refreshToken))
  const second = await revoke(tokens.accessToken)
  return first ?? second
}
