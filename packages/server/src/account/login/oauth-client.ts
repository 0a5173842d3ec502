import { type Clock, isObject, type JsonObject, parseJson, systemClock } from '@mcp-toolkits/core/base'
import { RateLimited, ToolError, Unauthenticated, Unavailable } from '@mcp-toolkits/core/errors'
import { withCallScope } from '@mcp-toolkits/core/tool'
import {
  type CompleteResponse,
  createTransport,
  type Fetch,
  jsonOf,
  memoryLimits,
  OversizedResponse,
  restrictOrigins,
  retryAfterMs,
  Secret,
  type Telemetry,
  transientStatuses,
  type Transport,
  type UpstreamLimits,
} from '@mcp-toolkits/core/upstream'
import * as oauth from 'oauth4webapi'
import type { OAuthProvider } from '../account.ts'
import type { LoginTarget, TokenExpiry, Tokens } from '../tokens/login-format.ts'

/** Maximum number of bytes to read from a response; a token response has a few thousand. */
const maxResponseSize = 1024 * 1024

/** Timeouts, in milliseconds, for a provider's response: for all attempts together, and for each attempt. */
const requestMs = 10_000
const attemptMs = 6_000

/** Maximum time, in milliseconds, before an access token's expiry at which it is refreshed. */
const maxRefreshLeadMs = 60_000

/** https://www.rfc-editor.org/rfc/rfc7523#section-8.1 */
const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** A provider's response: https://www.rfc-editor.org/rfc/rfc6749#section-5.1 */
export interface TokenGrant {
  readonly tokens: Tokens
  /** Granted scopes; absent if the provider does not list them. */
  readonly scopes?: readonly string[]
}

/** The code from the browser, with the other values that the provider requires. */
export interface AuthorizationCode {
  readonly code: string
  readonly verifier: string
  readonly redirectUri: string
}

/**
 * A provider's token and revocation endpoints. A code works only once, and with some providers, so does a refresh token. Such a request is
 * retried only if the provider asked us to slow down or accepts the token again.
 */
export interface OAuthClient {
  /** Throws `Unauthenticated` if the provider refuses the code. */
  readonly exchangeCode: (code: AuthorizationCode, signal: AbortSignal) => Promise<TokenGrant>
  /** Undefined if the provider has ended the login. */
  readonly refresh: (refreshToken: Secret, signal: AbortSignal) => Promise<TokenGrant | undefined>
  /** Requests a token for an assertion that names the client. Resolves with the error code if the provider refuses. */
  readonly exchangeAssertion: (assertion: string, signal: AbortSignal) => Promise<TokenGrant | { readonly refused: string }>
  /** Succeeds even for a token that is no longer valid. */
  readonly revoke: (token: Secret, signal: AbortSignal) => Promise<void>
}

export interface OAuthClientOptions {
  readonly provider: OAuthProvider
  readonly target: Pick<LoginTarget, 'client' | 'tokenUrl' | 'revocationUrl'>
  readonly fetch?: Fetch | undefined
  readonly clock?: Clock | undefined
  /** Shared by all clients that serve one login. */
  readonly limits?: UpstreamLimits | undefined
  readonly telemetry?: Telemetry | undefined
}

export function oauthClient(options: OAuthClientOptions): OAuthClient {
  const { provider, target, fetch = globalThis.fetch, clock = systemClock, limits = memoryLimits(clock), telemetry } = options
  const { tokenUrl, revocationUrl } = target
  const server = { issuer: new URL(tokenUrl).origin, token_endpoint: tokenUrl, revocation_endpoint: revocationUrl }
  const client = { client_id: target.client.id }
  const authentication = target.client.secret ? oauth.ClientSecretPost(target.client.secret.reveal()) : oauth.None()
  const transport = createTransport({ fetch: restrictOrigins(fetch, [tokenUrl, revocationUrl]), vendor: provider.name, limits, telemetry })
  const sender = formSender(transport, clock, provider.name)
  // Allowed because addresses have been checked: http is for this machine only.
  const through = (send: SendForm) => ({ [oauth.customFetch]: send, [oauth.allowInsecureRequests]: true })
  const readTokens = (response: CompleteResponse) => {
    checkAvailable(response, `${provider.name} answered a token request with HTTP ${response.status}.`, clock)
    const value = response.ok ? jsonOf(response, provider.name) : parseJson(response.text)
    return conformingResponse(value, response.status)
  }
  const readRevocation = (response: CompleteResponse) => {
    checkAvailable(response, `${provider.name} did not revoke the login (HTTP ${response.status}).`, clock)
    // The body may be empty, but must not be a web page.
    if (response.ok && response.text.trim() !== '') jsonOf(response, provider.name)
    return conformingResponse(parseJson(response.text), response.status === 204 ? 200 : response.status)
  }
  const toGrant = (response: oauth.TokenEndpointResponse) => readGrant(response, provider, clock.now())
  return {
    async exchangeCode({ code, verifier, redirectUri }, signal) {
      // The loopback server has checked the state.
      const parameters = oauth.validateAuthResponse(server, client, new URLSearchParams({ code }), oauth.skipStateCheck)
      const sending = through(sender({ repeat: 'refused', read: readTokens }, signal))
      const response = await oauth.authorizationCodeGrantRequest(server, client, authentication, parameters, redirectUri, verifier, sending)
      try {
        return toGrant(await oauth.processAuthorizationCodeResponse(server, client, response))
      } catch (error) {
        throw toToolError(error, provider.name, response.status)
      }
    },
    async refresh(refreshToken, signal) {
      const repeat = provider.canRepeatRefresh === true ? 'always' : 'refused'
      const sending = through(sender({ repeat, read: readTokens }, signal))
      const response = await oauth.refreshTokenGrantRequest(server, client, authentication, refreshToken.reveal(), sending)
      try {
        return toGrant(await oauth.processRefreshTokenResponse(server, client, response))
      } catch (error) {
        if (errorCode(error) === 'invalid_grant') return undefined
        throw toToolError(error, provider.name, response.status)
      }
    },
    async exchangeAssertion(assertion, signal) {
      const sending = through(sender({ repeat: 'always', read: readTokens }, signal))
      const parameters = new URLSearchParams({ assertion })
      // No client authentication: the assertion takes its place.
      const response = await oauth.genericTokenEndpointRequest(server, client, () => undefined, jwtBearer, parameters, sending)
      try {
        return toGrant(await oauth.processGenericTokenEndpointResponse(server, client, response))
      } catch (error) {
        const code = errorCode(error)
        if (code === undefined) throw toToolError(error, provider.name, response.status)
        return { refused: code }
      }
    },
    async revoke(token, signal) {
      const sending = through(sender({ repeat: 'always', read: readRevocation }, signal))
      const response = await oauth.revocationRequest(server, client, authentication, token.reveal(), sending)
      try {
        await oauth.processRevocationResponse(response)
      } catch (error) {
        const code = errorCode(error)
        // Linear answers 401 to an invalid token: https://linear.app/developers/oauth-2-0-authentication
        if (code === 'invalid_token' || (response.status === 401 && code !== 'invalid_client')) return
        throw new Unavailable(`${provider.name} did not revoke the login (HTTP ${response.status}).`)
      }
    },
  }
}

/** Secrets that tie the browser's return to this authorization request: https://www.rfc-editor.org/rfc/rfc7636 */
export interface AuthorizationSecrets {
  readonly state: string
  readonly verifier: string
}

export function newAuthorizationSecrets(): AuthorizationSecrets {
  return { state: oauth.generateRandomState(), verifier: oauth.generateRandomCodeVerifier() }
}

export interface AuthorizationRequest extends AuthorizationSecrets {
  /** The provider's page where a person consents. */
  readonly endpoint: string
  readonly clientId: string
  readonly redirectUri: string
  readonly scopes: readonly string[]
}

/** The URL where a person consents. */
export async function authorizationUrl(
  { scopeSpelling, scopeSeparator, authorizationParameters }: OAuthProvider,
  { endpoint, clientId, redirectUri, scopes, state, verifier }: AuthorizationRequest,
): Promise<string> {
  const url = new URL(endpoint)
  const parameters = {
    ...authorizationParameters,
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: scopes.map((scope) => scopeSpelling?.encode(scope) ?? scope).join(scopeSeparator),
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

/** The fetch function that the library expects: it sends one form to one of the provider's endpoints. */
type SendForm = (url: string, options: oauth.CustomFetchOptions<'POST', URLSearchParams>) => Promise<Response>

interface FormRequest {
  readonly repeat: 'always' | 'refused'
  /** Converts a complete response for the library. Throws errors that a retry may fix. */
  readonly read: (response: CompleteResponse) => Response
}

/** Sends each form through a transport, in a separate call scope that `signal` can also end. */
function formSender({ send }: Transport, clock: Clock, name: string) {
  return ({ repeat, read }: FormRequest, signal: AbortSignal): SendForm =>
    async (url, { body }) =>
      withCallScope({ signal, clock, ms: requestMs }, (scope) => {
        const request = { url, method: 'POST', body, headers: { accept: 'application/json' }, attemptMs, maxBytes: maxResponseSize, repeat }
        return send(request, read, scope)
      }).catch((error: unknown) => {
        if (error instanceof OversizedResponse)
          throw new Unavailable(`${name} sent more than a token response can contain.`, { retryable: false })
        throw error
      })
}

/** Throws if a response says that the provider currently cannot answer. */
function checkAvailable(response: CompleteResponse, failure: string, clock: Clock): void {
  const { status } = response
  if (!transientStatuses.includes(status)) return
  const waitMs = retryAfterMs(response, clock)
  const hint = waitMs === undefined ? {} : { retryAfterSeconds: Math.ceil(waitMs / 1000) }
  throw status === 429 ? new RateLimited(failure, hint) : new Unavailable(failure, hint)
}

/**
 * A response as RFC 6749 defines it, with only the parts that we use. Some providers send scopes as a list, numbers as text or no token
 * type. An ID token is omitted, because the library would have to verify it and we do not need it.
 */
function conformingResponse(value: unknown, status: number): Response {
  const body: JsonObject = isObject(value) ? value : {}
  const { error, access_token, refresh_token, token_type, expires_in, scope } = body
  const conforming = {
    error,
    access_token,
    token_type: typeof token_type === 'string' && token_type !== '' ? token_type : 'bearer',
    refresh_token: refresh_token === '' || typeof refresh_token !== 'string' ? undefined : refresh_token,
    expires_in: readSeconds(expires_in),
    scope: Array.isArray(scope)
      ? scope.filter((each) => typeof each === 'string').join(' ')
      : typeof scope === 'string'
        ? scope
        : undefined,
  }
  return Response.json(conforming, { status })
}

function readSeconds(value: unknown): number | undefined {
  const seconds = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
  return typeof seconds === 'number' && Number.isFinite(seconds) && seconds > 0 ? seconds : undefined
}

function readGrant(response: oauth.TokenEndpointResponse, { name, scopeSpelling }: OAuthProvider, now: number): TokenGrant {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds } = response
  if (response.token_type !== 'bearer' || !/^[\x21-\x7e]+$/.test(accessToken)) throw unusableGrant(name)
  const scopes = (response.scope ?? '').split(/[\s,]+/).filter((scope) => scope !== '')
  return {
    tokens: {
      accessToken: new Secret(accessToken),
      ...(refreshToken !== undefined && { refreshToken: new Secret(refreshToken) }),
      ...(seconds !== undefined && { expiry: expiryAfter(seconds, now) }),
    },
    ...(scopes.length > 0 && { scopes: scopes.map((scope) => scopeSpelling?.decode(scope) ?? scope) }),
  }
}

function expiryAfter(seconds: number, now: number): TokenExpiry {
  const lifetimeMs = Math.min(seconds * 1000, 1e13)
  return { expiresAt: now + lifetimeMs, refreshAt: now + lifetimeMs - Math.min(maxRefreshLeadMs, lifetimeMs / 10) }
}

/** A response's error code. The rest of the provider's text is never shown: it could contain parts of the request. */
function errorCode(error: unknown): string | undefined {
  return error instanceof oauth.ResponseBodyError ? /^[a-z_]{1,40}$/.exec(error.error)?.[0] : undefined
}

function toToolError(error: unknown, name: string, status: number): ToolError {
  if (error instanceof ToolError) return error
  if (status === 200) return unusableGrant(name)
  const code = errorCode(error)
  if (code === undefined) return new Unavailable(`${name} answered a token request with HTTP ${status}.`)
  if (code === 'invalid_grant') return new Unauthenticated(`${name} refused the code of this sign-in. Sign in again.`)
  if (code === 'invalid_client') return new Unauthenticated(`${name} does not know the client id, or also requires its secret.`)
  return new Unauthenticated(`${name} refused the token request (${code}).`)
}

function unusableGrant(name: string): Unavailable {
  return new Unavailable(`${name} sent no token that this version can use.`, { retryable: false })
}
