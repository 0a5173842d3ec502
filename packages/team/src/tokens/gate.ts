import { isProfileName } from '@mcp-toolkits/server/account'
import { InvalidToken, type TokenVerifier } from './token-verifier.ts'
import type { Caller, PeopleStore, Permission } from '@mcp-toolkits/core/base'
import { type ToolError, Unavailable } from '@mcp-toolkits/core/errors'
import {
  type AuthInfo,
  bearerAuthChallengeResponse,
  getOAuthProtectedResourceMetadataUrl,
  OAuthError,
  OAuthErrorCode,
  verifyBearerToken,
} from '@modelcontextprotocol/server'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { ServerDefinition } from '@mcp-toolkits/server'
import { notStarted, type Listing } from '@mcp-toolkits/server/mcp'
import { defaultPersonRate, fixedLimits, type PersonRate, type Refusal, type RefusalReason } from '@mcp-toolkits/server/http'
import {
  highestOf,
  type MessageNeed,
  messageNeeds,
  offeredPermissions,
  permissionsIn,
  reasonOf,
  type ScopeNames,
  withIncluded,
} from './permissions.ts'
import { openDocument } from './cors-document.ts'

/** Admits requests that carry a valid token from the identity provider, within the token's permissions. */
export interface Gate {
  /** The profile that a path is for; undefined for any other path. */
  readonly profileOf: (path: string) => string | undefined
  /** Metadata about the accepted tokens, for requests to its paths. */
  readonly metadata: (request: Pick<Request, 'method'>, path: string) => Response | undefined
  /** The caller, from the request's `authorization` header, or the refusal. */
  readonly authenticate: (authorization: string | undefined, profile: string) => Promise<Caller | Refusal>
  /** Refusal for a request that the caller's token does not permit or that exceeds the limit; undefined if it may proceed. */
  readonly refusalOf: (caller: Caller, json: unknown) => Promise<Refusal | undefined>
}

export interface GateOptions<Context> {
  readonly definition: Pick<ServerDefinition<Context>, 'title' | 'prefix' | 'load'>
  readonly listing: Listing
  /** The origin where clients reach the server, without a trailing slash. */
  readonly publicUrl: string
  readonly issuer: string
  /** Issuer of tokens; `issuer` by default. */
  readonly authorizationServer?: string | undefined
  readonly scopeNames: ScopeNames
  readonly verifier: Pick<TokenVerifier, 'verify'>
  readonly ownerOf: PeopleStore['ownerOf']
  readonly rate?: PersonRate | undefined
}

export function openGate<Context>(options: GateOptions<Context>): Gate {
  const { definition, listing, publicUrl, issuer, authorizationServer = issuer, scopeNames, verifier, ownerOf } = options
  const needsOf = messageNeeds(definition, listing)
  const limits = personLimits(options.rate)
  const offered = offeredPermissions(listing)
  const scopesFor = (permissions: readonly Permission[]) => permissions.map((permission) => scopeNames[permission])
  const metadata = resourceMetadata({ publicUrl, issuer: authorizationServer, title: definition.title, scopes: scopesFor(offered) })

  const refuse = (response: Response, reason: RefusalReason): Refusal => {
    response.headers.set('cache-control', 'no-store')
    return { response, reason }
  }
  const challenge = (error: OAuthError, permissions: readonly Permission[]) =>
    bearerAuthChallengeResponse(error, { requiredScopes: scopesFor(permissions), resourceMetadataUrl: metadata.url })
  const askForToken = () => {
    const problem = `The request has no token. Send one from ${authorizationServer} as Authorization: Bearer <token>.`
    // No error code, because no token was sent: https://www.rfc-editor.org/rfc/rfc6750#section-3.1
    const asked = `Bearer scope="${scopesFor(offered).join(' ')}", resource_metadata="${metadata.url}"`
    return refuse(Response.json({ error_description: problem }, { status: 401, headers: { 'www-authenticate': asked } }), { problem })
  }
  const tooMany = (caller: Caller, seconds: number) => {
    const problem = 'This person has made too many requests.'
    return refuse(busyResponse(429, notStarted(problem, seconds), seconds), { problem, caller })
  }
  const problemOf = (needs: readonly MessageNeed[], needed: Permission) => {
    const tool = needs.find(({ permission }) => permission === needed)?.tool
    const scope = scopeNames[needed]
    if (!tool) return `This request needs a token with the scope ${scope}.`
    const canonical = `${definition.prefix}.${tool.name}`
    return `${listing.spell(canonical) ?? canonical} ${reasonOf(tool, needed)}, which needs a token with the scope ${scope}.`
  }

  return {
    profileOf(path) {
      if (path === '/mcp') return 'default'
      const name = /^\/mcp\/([^/]+)$/.exec(path)?.[1] ?? ''
      return isProfileName(name) ? name : undefined
    },
    metadata: metadata.respond,
    async authenticate(authorization, profile) {
      // Only a bearer token counts.
      if (!/^bearer +\S/i.test(authorization ?? '')) return askForToken()
      const verified = await verify(authorization, verifier).catch((error: unknown) => {
        if (error instanceof OAuthError || error instanceof Unavailable) return error
        throw error
      })
      if (verified instanceof Unavailable) return refuse(unavailableResponse(verified), { problem: verified.message })
      if (verified instanceof OAuthError) return refuse(challenge(verified, offered), { problem: verified.message })
      const { subject, clientId, scopes, isService } = verified
      const person = { issuer, subject, ...(isService && { isService }) }
      const permissions = permissionsIn(scopes, scopeNames)
      const caller = { ...person, owner: ownerOf(person), clientId, permissions, profile }
      if (permissions.length === 0) {
        const problem = `The token has none of this server's scopes: ${scopesFor(offered).join(', ')}.`
        return refuse(challenge(new OAuthError(OAuthErrorCode.InsufficientScope, problem), offered), { problem, caller })
      }
      const seconds = await limits.count(caller.owner, 1)
      return seconds === undefined ? caller : tooMany(caller, seconds)
    },
    async refusalOf(caller, json) {
      const messages: readonly unknown[] = Array.isArray(json) ? json : [json]
      const needs = await Promise.all(messages.map((message) => needsOf(message, caller.permissions)))
      const needed = highestOf(needs.map(({ permission }) => permission))
      if (!caller.permissions.includes(needed)) {
        const problem = problemOf(needs, needed)
        // The token's own scopes are included, so that a client asking for the scopes named here keeps its own.
        const union = withIncluded(highestOf([needed, ...caller.permissions]))
        const error = new OAuthError(OAuthErrorCode.InsufficientScope, problem)
        return refuse(challenge(error, union), { problem, caller })
      }
      const seconds = messages.length > 1 ? await limits.count(caller.owner, messages.length - 1) : undefined
      return seconds === undefined ? undefined : tooMany(caller, seconds)
    },
  }
}

/** Throws `OAuthError` for an invalid token, and `Unavailable` if it cannot currently be verified. */
async function verify(authorization: string | undefined, verifier: GateOptions<never>['verifier']) {
  let verified: Awaited<ReturnType<TokenVerifier['verify']>> | undefined
  const verifyAccessToken = async (token: string): Promise<AuthInfo> => {
    if (token.length > fixedLimits.maxTokenLength) throw new OAuthError(OAuthErrorCode.InvalidToken, 'The token is too long.')
    verified = await verifier.verify(token).catch((error: unknown) => {
      throw error instanceof InvalidToken ? new OAuthError(OAuthErrorCode.InvalidToken, error.message) : error
    })
    // Omits the token and its expiry, which the verifier has already checked.
    return { token: '', clientId: verified.clientId, scopes: [...verified.scopes], expiresAt: Infinity }
  }
  await verifyBearerToken(authorization, { verifier: { verifyAccessToken } })
  if (!verified) throw new OAuthError(OAuthErrorCode.InvalidToken, 'The token was not verified.')
  return verified
}

function unavailableResponse(error: ToolError): Response {
  const { message, code, retryable, retry_after_seconds: seconds = 1 } = error.toJSON()
  return busyResponse(503, { code: -32000, message, data: { code, retryable, retry_after_seconds: seconds } }, seconds)
}

function busyResponse(status: 429 | 503, error: object, seconds: number): Response {
  const body = { jsonrpc: '2.0', error, id: null }
  return Response.json(body, { status, headers: { 'retry-after': String(seconds) } })
}

/** An OAuth resource server's public address and token issuer. */
interface ResourceOptions {
  /** The origin where clients reach the server, without a trailing slash. */
  readonly publicUrl: string
  readonly issuer: string
  readonly title: string
  readonly scopes: readonly string[]
}

/** Metadata about the tokens that a server accepts: https://www.rfc-editor.org/rfc/rfc9728 */
interface ResourceMetadata {
  /** Metadata URL in challenges. */
  readonly url: string
  /** Answers a request for the metadata; undefined for any other request. All profiles have the same metadata. */
  readonly respond: (request: Pick<Request, 'method'>, path: string) => Response | undefined
}

function resourceMetadata({ publicUrl, issuer, title, scopes }: ResourceOptions): ResourceMetadata {
  const resource = `${publicUrl}/mcp`
  const url = getOAuthProtectedResourceMetadataUrl(new URL(resource))
  const { pathname } = new URL(url)
  const document = {
    resource,
    resource_name: title,
    authorization_servers: [issuer],
    scopes_supported: scopes,
    bearer_methods_supported: ['header'],
  }
  return {
    url,
    respond: (request, path) => (path === pathname || path.startsWith(`${pathname}/`) ? openDocument(request, document) : undefined),
  }
}

/** Counts each person's requests. */
interface PersonLimits {
  /** Counts requests. Resolves with undefined if they are allowed, otherwise with the seconds to wait. */
  readonly count: (owner: string, requests: number) => Promise<number | undefined>
}

function personLimits({ requests: points, seconds: duration }: PersonRate = defaultPersonRate): PersonLimits {
  const limiter = new RateLimiterMemory({ points, duration })
  return {
    async count(owner, requests) {
      try {
        await limiter.consume(owner, requests)
        return undefined
      } catch (error) {
        // The limiter rejects with its result if there are too many requests.
        if (!(error instanceof RateLimiterRes)) throw error
        return Math.max(1, Math.ceil(error.msBeforeNext / 1_000))
      }
    },
  }
}
