import { isProfileName } from '@mcp-toolkits/auth/account'
import { InvalidToken, type TokenVerifier } from '@mcp-toolkits/auth/people/token-verifier'
import { type ToolError, Unavailable } from '@mcp-toolkits/core'
import type { Caller, PeopleStore, Permission } from '@mcp-toolkits/core/people'
import { bearerAuthChallengeResponse, OAuthError, OAuthErrorCode, verifyBearerToken, type AuthInfo } from '@modelcontextprotocol/server'
import { notStarted } from '../call-limiter.ts'
import type { ServerDefinition } from '../definition.ts'
import type { Listing } from '../listing.ts'
import type { Log } from '../log.ts'
import { resourceMetadata } from './metadata.ts'
import { highestOf, messageNeeds, offeredPermissions, permissionsIn, withIncluded, type ScopeNames } from './permissions.ts'
import { personLimits, type PersonRate } from './person-limits.ts'

/** Admits requests with a valid token of the identity provider, within what that permits. */
export interface Gate {
  /** The profile that a path is for; undefined for a path that is not the protocol's. */
  readonly profileOf: (path: string) => string | undefined
  /** Says which tokens are accepted, where a path asks for that. */
  readonly metadata: (request: Pick<Request, 'method'>, path: string) => Response | undefined
  /** Who makes a request, from its `authorization` header, or the response that refuses it. */
  readonly authenticate: (authorization: string | undefined, profile: string) => Promise<Caller | Response>
  /** The response to a request that the caller's token does not permit or that is one too many; undefined when it may be answered. */
  readonly refusalOf: (caller: Caller, json: unknown) => Promise<Response | undefined>
}

/** A request that was refused, for the log and the audit. It repeats nothing of the token. */
export interface RefusedRequest {
  readonly status: 401 | 403 | 429 | 503
  /** In one sentence. */
  readonly problem: string
  /** Absent when the token was not accepted. */
  readonly caller?: Caller
  /** Canonical names of the tools that were called, without the prefix. */
  readonly tools?: readonly string[]
}

export interface GateOptions<Context> {
  readonly definition: Pick<ServerDefinition<Context>, 'title' | 'loadTools'>
  readonly listing: Listing
  /** The origin at which clients reach the server, without a slash at its end. */
  readonly publicUrl: string
  readonly issuer: string
  readonly scopeNames: ScopeNames
  readonly verifier: Pick<TokenVerifier, 'verify'>
  readonly ownerOf: PeopleStore['ownerOf']
  readonly rate?: PersonRate | undefined
  readonly log: Pick<Log, 'info'>
  readonly onRefused?: ((request: RefusedRequest) => void) | undefined
}

/** Longest token in characters; headers are limited besides. */
const maxTokenLength = 12 * 1024

export function openGate<Context>(options: GateOptions<Context>): Gate {
  const { definition, listing, publicUrl, issuer, scopeNames, verifier, ownerOf, log, onRefused } = options
  const needsOf = messageNeeds(definition, listing)
  const limits = personLimits(options.rate)
  const offered = offeredPermissions(listing)
  const scopesFor = (permissions: readonly Permission[]) => permissions.map((permission) => scopeNames[permission])
  const metadata = resourceMetadata({ publicUrl, issuer, title: definition.title, scopes: scopesFor(offered) })

  const refuse = (response: Response, refused: RefusedRequest) => {
    const { status, problem, caller, tools } = refused
    log.info('refused', { status, problem, ...(caller && { person: caller.owner }), ...(tools && { tools }) })
    onRefused?.(refused)
    response.headers.set('cache-control', 'no-store')
    return response
  }
  const challenge = (error: OAuthError, permissions: readonly Permission[]) =>
    bearerAuthChallengeResponse(error, { requiredScopes: scopesFor(permissions), resourceMetadataUrl: metadata.url })
  const tooMany = (caller: Caller, seconds: number) => {
    const problem = 'This person has made too many requests.'
    return refuse(busyResponse(429, notStarted(problem, seconds), seconds), { status: 429, problem, caller })
  }

  return {
    profileOf(path) {
      if (path === '/mcp') return 'default'
      const name = /^\/mcp\/([^/]+)$/.exec(path)?.[1] ?? ''
      return isProfileName(name) ? name : undefined
    },
    metadata: metadata.respond,
    async authenticate(authorization, profile) {
      const verified = await verify(authorization, verifier).catch((error: unknown) => {
        if (error instanceof OAuthError || error instanceof Unavailable) return error
        throw error
      })
      if (verified instanceof Unavailable) return refuse(unavailableResponse(verified), { status: 503, problem: verified.message })
      if (verified instanceof OAuthError) return refuse(challenge(verified, offered), { status: 401, problem: verified.message })
      const { subject, clientId, scopes } = verified
      const permissions = permissionsIn(scopes, scopeNames)
      const caller = { issuer, subject, owner: ownerOf({ issuer, subject }), clientId, permissions, profile }
      if (permissions.length === 0) {
        const problem = `The token has none of the scopes of this server: ${scopesFor(offered).join(', ')}.`
        return refuse(challenge(new OAuthError(OAuthErrorCode.InsufficientScope, problem), offered), { status: 403, problem, caller })
      }
      const seconds = await limits.count(caller.owner, 1)
      return seconds === undefined ? caller : tooMany(caller, seconds)
    },
    async refusalOf(caller, json) {
      const messages: readonly unknown[] = Array.isArray(json) ? json : [json]
      const needs = await Promise.all(messages.map((message) => needsOf(message, caller.permissions)))
      const needed = highestOf(needs.map(({ permission }) => permission))
      if (!caller.permissions.includes(needed)) {
        const tools = needs.flatMap(({ tool = '' }) => (tool === '' ? [] : [tool]))
        const problem = `This needs a token with the scope ${scopeNames[needed]}.`
        // With what the token has, so that a client does not lose that when it asks for what is named here.
        const union = withIncluded(highestOf([needed, ...caller.permissions]))
        const error = new OAuthError(OAuthErrorCode.InsufficientScope, problem)
        return refuse(challenge(error, union), { status: 403, problem, caller, tools })
      }
      const seconds = messages.length > 1 ? await limits.count(caller.owner, messages.length - 1) : undefined
      return seconds === undefined ? undefined : tooMany(caller, seconds)
    },
  }
}

/** Throws `OAuthError` for a token that is not accepted, and `Unavailable` when it cannot be verified now. */
async function verify(authorization: string | undefined, verifier: GateOptions<never>['verifier']) {
  let verified: Awaited<ReturnType<TokenVerifier['verify']>> | undefined
  const verifyAccessToken = async (token: string): Promise<AuthInfo> => {
    if (token.length > maxTokenLength) throw new OAuthError(OAuthErrorCode.InvalidToken, 'The token is too long.')
    verified = await verifier.verify(token).catch((error: unknown) => {
      throw error instanceof InvalidToken ? new OAuthError(OAuthErrorCode.InvalidToken, error.message) : error
    })
    // Without the token, and without its time: the verifier has checked that with its tolerance.
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
