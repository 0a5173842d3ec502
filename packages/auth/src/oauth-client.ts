import { restrictOrigins, Secret, ToolError, Unauthenticated, Unavailable, type Fetch } from '@mcp-toolkits/core'
import { type Clock, systemClock } from '@mcp-toolkits/core/clock'
import { createHttpFetch } from '@mcp-toolkits/core/http'
import { isObject, type JsonObject, parseJson } from '@mcp-toolkits/core/json'
import * as oauth from 'oauth4webapi'
import type { OAuthProvider } from './account.ts'
import type { LoginTarget, TokenExpiry, Tokens } from './stored-login.ts'

/** How much of a response is read, in bytes. One with tokens has a few thousand. */
const maxResponseSize = 1024 * 1024

/** How long a provider may take to respond, in milliseconds. */
const requestMs = 10_000

/** The longest time before its expiry at which an access token is refreshed, in milliseconds. */
const maxRefreshLeadMs = 60_000

/** What a provider sent: https://www.rfc-editor.org/rfc/rfc6749#section-5.1 */
export interface TokenGrant {
  readonly tokens: Tokens
  /** Absent when the provider does not say. */
  readonly scopes?: readonly string[]
}

/** The code from the browser, and what the provider requires with it. */
export interface AuthorizationCode {
  readonly code: string
  readonly verifier: string
  readonly redirectUri: string
}

/** The token and revocation endpoints of a provider. Each request is sent once: a code and a refresh token can be good for one use only. */
export interface OAuthClient {
  /** Throws `Unauthenticated` when the provider refuses the code. */
  readonly exchangeCode: (code: AuthorizationCode, signal: AbortSignal) => Promise<TokenGrant>
  /** Undefined when the provider has ended the login. */
  readonly refresh: (refreshToken: Secret, signal: AbortSignal) => Promise<TokenGrant | undefined>
  /** Succeeds for a token that has ended already. */
  readonly revoke: (token: Secret, signal: AbortSignal) => Promise<void>
}

export interface OAuthClientOptions {
  readonly provider: OAuthProvider
  readonly target: Pick<LoginTarget, 'client' | 'tokenUrl' | 'revocationUrl'>
  readonly fetch?: Fetch | undefined
  readonly clock?: Clock | undefined
}

export function oauthClient({ provider, target, fetch = globalThis.fetch, clock = systemClock }: OAuthClientOptions): OAuthClient {
  const { tokenUrl, revocationUrl } = target
  const server = { issuer: new URL(tokenUrl).origin, token_endpoint: tokenUrl, revocation_endpoint: revocationUrl }
  const client = { client_id: target.client.id }
  const authentication = target.client.secret ? oauth.ClientSecretPost(target.client.secret.reveal()) : oauth.None()
  const send = providerFetch(restrictOrigins(fetch, [tokenUrl, revocationUrl]), provider.name, clock)
  const options = (signal: AbortSignal) => ({
    signal,
    [oauth.customFetch]: send,
    // Addresses have been checked: http is for this machine only.
    [oauth.allowInsecureRequests]: true,
  })
  const toGrant = (response: oauth.TokenEndpointResponse) => readGrant(response, provider, clock.now())
  return {
    async exchangeCode({ code, verifier, redirectUri }, signal) {
      // The loopback server has compared the state.
      const parameters = oauth.validateAuthResponse(server, client, new URLSearchParams({ code }), oauth.skipStateCheck)
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        authentication,
        parameters,
        redirectUri,
        verifier,
        options(signal),
      )
      try {
        return toGrant(await oauth.processAuthorizationCodeResponse(server, client, response))
      } catch (error) {
        throw toToolError(error, provider.name, response.status)
      }
    },
    async refresh(refreshToken, signal) {
      const response = await oauth.refreshTokenGrantRequest(server, client, authentication, refreshToken.reveal(), options(signal))
      try {
        return toGrant(await oauth.processRefreshTokenResponse(server, client, response))
      } catch (error) {
        if (errorCode(error) === 'invalid_grant') return undefined
        throw toToolError(error, provider.name, response.status)
      }
    },
    async revoke(token, signal) {
      const response = await oauth.revocationRequest(server, client, authentication, token.reveal(), options(signal))
      try {
        await oauth.processRevocationResponse(response)
      } catch (error) {
        if (errorCode(error) === 'invalid_token') return
        throw new Unavailable(`${provider.name} did not revoke the login (HTTP ${response.status}).`)
      }
    },
  }
}

/** What ties the browser's return to this authorization request: https://www.rfc-editor.org/rfc/rfc7636 */
export interface AuthorizationSecrets {
  readonly state: string
  readonly verifier: string
}

export function newAuthorizationSecrets(): AuthorizationSecrets {
  return { state: oauth.generateRandomState(), verifier: oauth.generateRandomCodeVerifier() }
}

export interface AuthorizationRequest extends AuthorizationSecrets {
  /** The provider's page on which a person consents. */
  readonly endpoint: string
  readonly clientId: string
  readonly redirectUri: string
  readonly scopes: readonly string[]
}

/** The URL at which a person consents. */
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

/** The fetch that the library uses: with a time limit, without redirects or repeats, and with responses in the form that it expects. */
function providerFetch(fetch: Fetch, vendor: string, clock: Clock) {
  const limited: Fetch = async (input, init) => conformingResponse(await fetch(input, init), vendor)
  const send = createHttpFetch({ fetch: limited, vendor, retryMethods: [], attemptMs: requestMs, budgetMs: requestMs, clock })
  return async (url: string, { body, signal }: oauth.CustomFetchOptions<'POST', URLSearchParams>) =>
    send(url, { method: 'POST', body, headers: { accept: 'application/json' }, ...(signal && { signal }) })
}

/**
 * A response as RFC 6749 defines it, with nothing but what we use. Some providers send scopes as a list, numbers as text or no token
 * type. An ID token is left out, because the library would have to verify it and we do not need it.
 */
async function conformingResponse(response: Response, vendor: string): Promise<Response> {
  const value = parseJson(await readText(response, vendor))
  if ([204, 205, 304].includes(response.status)) return new Response(null, { status: response.status })
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
  return Response.json(conforming, { status: response.status })
}

/** Reads a body to its end, unless it is longer than a token response can be. */
async function readText({ body }: Response, vendor: string): Promise<string> {
  if (!body) return ''
  const chunks: Uint8Array[] = []
  let size = 0
  const stream: AsyncIterable<Uint8Array> = body
  for await (const chunk of stream) {
    size += chunk.byteLength
    if (size > maxResponseSize) throw new Unavailable(`${vendor} answered with more than a token.`, { retryable: false })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
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

/** The error code of a response. The rest of the provider's text is never repeated: it could hold what was sent. */
function errorCode(error: unknown): string | undefined {
  return error instanceof oauth.ResponseBodyError ? /^[a-z_]{1,40}$/.exec(error.error)?.[0] : undefined
}

function toToolError(error: unknown, name: string, status: number): ToolError {
  if (error instanceof ToolError) return error
  if (status === 200) return unusableGrant(name)
  const code = errorCode(error)
  if (status === 429 || code === undefined) return new Unavailable(`${name} answered HTTP ${status} to a request for a token.`)
  if (code === 'invalid_grant') return new Unauthenticated(`${name} refused the code of this sign-in. Sign in again.`)
  if (code === 'invalid_client') return new Unauthenticated(`${name} does not know the client id, or wants its secret too.`)
  return new Unauthenticated(`${name} refused the request for a token (${code}).`)
}

function unusableGrant(name: string): Unavailable {
  return new Unavailable(`${name} answered without a token that this version can use.`, { retryable: false })
}
