import { type Clock, once, type Person, systemClock } from '@mcp-toolkits/core/base'
import { Forbidden, RateLimited, ToolError, Unauthenticated, Unavailable } from '@mcp-toolkits/core/errors'
import { withCallScope } from '@mcp-toolkits/core/tool'
import {
  type CompleteResponse,
  createTransport,
  type Fetch,
  isSecureUrl,
  memoryLimits,
  restrictOrigins,
  type Secret,
  transientStatuses,
  type Transport,
} from '@mcp-toolkits/core/upstream'
import * as oauth from 'oauth4webapi'
import { type AuthorizationSecrets, newAuthorizationSecrets } from '@mcp-toolkits/server/account'
import { isUnverifiedEmail } from '../tokens/subject-claim.ts'

/** Settings for signing in at the company's identity provider. */
export interface IdentityProviderConfig {
  /** `https://login.example.com/realms/people`, exactly as in tokens. */
  readonly issuer: string
  /** This server's registration there. */
  readonly clientId: string
  readonly clientSecret?: Secret | undefined
  /** The claim that identifies a person: `sub`, or a different one if `sub` differs from client to client. */
  readonly subjectClaim: string
}

/** Secrets that tie a sign-in to the browser that began it. */
export interface SignInSecrets extends AuthorizationSecrets {
  readonly nonce: string
}

export function newSignInSecrets(): SignInSecrets {
  return { ...newAuthorizationSecrets(), nonce: oauth.generateRandomNonce() }
}

/** Someone who has just signed in. */
export interface SignedInPerson extends Person {
  /** A name, for pages, that the person will recognize as their own: `ada@example.com`. */
  readonly name: string | undefined
}

export interface SignInRequest extends SignInSecrets {
  readonly redirectUri: string
  /** True if the person must choose an identity, even if the browser is signed in. */
  readonly needsAccountPrompt: boolean
}

/** Content of a browser's return, with the secrets that tie it to the sign-in. */
export interface SignInReturn extends Pick<SignInSecrets, 'nonce' | 'verifier'> {
  readonly query: URLSearchParams
  readonly redirectUri: string
}

/** The company's OpenID Connect provider: https://openid.net/specs/openid-connect-core-1_0.html#CodeFlowAuth */
export interface IdentityProvider {
  /** Address for a person's sign-in. Throws `Unavailable` while the provider is down. */
  readonly signInUrl: (request: SignInRequest) => Promise<string>
  /** Completes the sign-in. Throws `Forbidden` if it was refused, `Unauthenticated` for an invalid answer, or `Unavailable`. */
  readonly completeSignIn: (answer: SignInReturn, signal: AbortSignal) => Promise<SignedInPerson>
}

/** Timeouts, in milliseconds, for the provider's response: for all attempts together, and for each. */
const requestMs = 10_000
const attemptMs = 6_000

/** Maximum size, in bytes, of a response: metadata and tokens take a few thousand. */
const maxResponseSize = 1024 * 1024

const maxNameLength = 200

export function identityProvider(
  config: IdentityProviderConfig,
  { fetch = globalThis.fetch, clock = systemClock }: { readonly fetch?: Fetch | undefined; readonly clock?: Clock | undefined } = {},
): IdentityProvider {
  const { issuer, clientId, clientSecret, subjectClaim } = config
  const client = { client_id: clientId }
  const limits = memoryLimits(clock)
  const vendor = 'The identity provider'
  const senderTo = (url: string) => requestSender(createTransport({ fetch: restrictOrigins(fetch, [url]), vendor, limits }), clock)
  const discover = once(() => readMetadata(issuer, senderTo(issuer)))
  return {
    async signInUrl({ redirectUri, needsAccountPrompt, state, nonce, verifier }) {
      const metadata = await discover()
      const url = new URL(metadata.authorization_endpoint)
      const parameters = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: requestedScopes(metadata).join(' '),
        state,
        nonce,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(needsAccountPrompt && { prompt: 'login' }),
      }
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
      return url.href
    },
    async completeSignIn({ query, redirectUri, nonce, verifier }, signal) {
      const metadata = await discover()
      try {
        // The state has already been checked: it led to this sign-in.
        const answer = new URLSearchParams([...query].filter(([name]) => name !== 'state'))
        const parameters = oauth.validateAuthResponse(metadata, client, answer, oauth.skipStateCheck)
        const sending = sendingWith(senderTo(metadata.token_endpoint)('refused', signal))
        const authentication = clientAuthentication(metadata, clientSecret)
        const response = await oauth.authorizationCodeGrantRequest(
          metadata,
          client,
          authentication,
          parameters,
          redirectUri,
          verifier,
          sending,
        )
        // The token comes from the provider itself over an authenticated connection, so its signature proves nothing more:
        // https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation (6)
        const tokens = await oauth.processAuthorizationCodeResponse(metadata, client, response, {
          expectedNonce: nonce,
          requireIdToken: true,
        })
        const claims = oauth.getValidatedIdTokenClaims(tokens)
        return personOf(claims, subjectClaim)
      } catch (error) {
        throw toToolError(error)
      }
    },
  }
}

type Metadata = oauth.AuthorizationServer & { readonly authorization_endpoint: string; readonly token_endpoint: string }

async function readMetadata(issuer: string, sender: RequestSender): Promise<Metadata> {
  const url = new URL(issuer)
  try {
    const response = await oauth.discoveryRequest(url, { algorithm: 'oidc', ...sendingWith(sender('always')) })
    const metadata = await oauth.processDiscoveryResponse(url, response)
    const { authorization_endpoint = '', token_endpoint = '' } = metadata
    if (isSecureUrl(authorization_endpoint) && isSecureUrl(token_endpoint)) return { ...metadata, authorization_endpoint, token_endpoint }
  } catch (error) {
    if (error instanceof ToolError) throw error
  }
  throw new Unavailable(
    `The OpenID configuration of ${issuer} could not be read, or lacks a secure authorization_endpoint and token_endpoint. The operator of this server has to check --issuer.`,
    { retryable: false },
  )
}

/** The scopes for names only serve pages; they are not requested from a provider that lacks them. */
function requestedScopes({ scopes_supported: supported = [] }: Metadata): string[] {
  return ['openid', ...['email', 'profile'].filter((scope) => supported.includes(scope))]
}

/**
 * The provider's method of client authentication; the first is the default:
 * https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderMetadata
 */
function clientAuthentication({ token_endpoint_auth_methods_supported: methods }: Metadata, secret: Secret | undefined): oauth.ClientAuth {
  if (!secret) return oauth.None()
  const takesBasic = methods === undefined || methods.includes('client_secret_basic')
  return takesBasic ? oauth.ClientSecretBasic(secret.reveal()) : oauth.ClientSecretPost(secret.reveal())
}

/** Fetch function that the library expects. */
type SendRequest = (url: string, options: oauth.CustomFetchOptions<'GET' | 'POST', URLSearchParams | undefined>) => Promise<Response>
type RequestSender = (repeat: 'always' | 'refused', signal?: AbortSignal) => SendRequest

function requestSender({ send }: Transport, clock: Clock): RequestSender {
  return (repeat, signal) =>
    async (url, { method, headers, body }) =>
      withCallScope({ signal, clock, ms: requestMs }, (scope) =>
        send({ url, method, headers, body, repeat, attemptMs, maxBytes: maxResponseSize }, toResponse, scope),
      )
}

// Addresses have already been checked: http is for this machine only.
const sendingWith = (send: SendRequest) => ({ [oauth.customFetch]: send, [oauth.allowInsecureRequests]: true })

/** Throws for a response that shows a temporary failure of the provider. */
function toResponse({ status, headers, text }: CompleteResponse): Response {
  const failure = `The identity provider answered HTTP ${status}.`
  if (status === 429) throw new RateLimited(failure)
  if (transientStatuses.includes(status)) throw new Unavailable(failure)
  return new Response(status === 204 ? null : text, { status, headers: { 'content-type': headers.get('content-type') ?? '' } })
}

function personOf(claims: oauth.IDToken | undefined, subjectClaim: string): SignedInPerson {
  const subject = claims?.[subjectClaim]
  if (isUnverifiedEmail(claims, subjectClaim)) {
    throw new Unauthenticated('The identity provider has not verified the email address that identifies the person.')
  }
  if (!claims || typeof subject !== 'string' || subject === '') {
    throw new Unauthenticated(`The identity provider did not say who signed in: its token has no ${subjectClaim} claim.`)
  }
  const name = [claims['email'], claims['preferred_username'], claims['name']].find(
    (claim) => typeof claim === 'string' && claim !== '' && claim.length <= maxNameLength,
  )
  return { issuer: claims.iss, subject, name: typeof name === 'string' ? name : undefined }
}

/** Only error codes are repeated, not the provider's text. */
function toToolError(error: unknown): ToolError {
  if (error instanceof ToolError) return error
  if (error instanceof oauth.AuthorizationResponseError) {
    return new Forbidden(`The identity provider refused the sign-in${codeText(error.error)}.`)
  }
  if (error instanceof oauth.ResponseBodyError) {
    return new Unauthenticated(`The identity provider did not accept this sign-in${codeText(error.error)}.`)
  }
  return new Unauthenticated("The identity provider's response is not valid for this sign-in.")
}

function codeText(code: string): string {
  return /^[a-z_]{1,40}$/.test(code) ? ` (${code})` : ''
}
