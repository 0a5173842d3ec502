import { type Clock, stringMember } from '@mcp-toolkits/core/base'
import { storageFailure, Unavailable } from '@mcp-toolkits/core/errors'
import { errors as joseErrors, jwtVerify } from 'jose'
import { type AdapterPayload, type default as Provider, errors, type ResourceServer, type TokenEndpointGrantContext } from 'oidc-provider'
import { InvalidToken, problemOf, type TokenVerifier } from '../../tokens/token-verifier.ts'
import { type AuthorizationParts, noteUse } from '../authorization-parts.ts'
import { lifetimes } from './lifetimes.ts'
import type { Resources } from '../resources.ts'
import { type KeySet, signingAlgorithm, type SigningKeys } from './signing-keys.ts'
import { explainStorage } from '../storage.ts'

export interface OwnTokensOptions {
  /** The authorization server, which is this server. */
  readonly issuer: string
  readonly audience: string
  /** Issuer that identifies the people receiving tokens. */
  readonly identityProvider: string
  readonly keys: SigningKeys
  readonly clock: Clock
}

/** The token claim with the issuer of the person's identity provider. */
export const identityProviderClaim = 'idp'

/** Delay, in seconds, after which we tell a client to retry while the store is down. */
const retryAfterSeconds = 5

/** Seconds by which replicas' clocks may differ. */
const clockTolerance = 5

/**
 * Verifies access tokens that this server has issued. A token names the person whom the identity provider signed in, so people keep
 * their accounts no matter who issues the tokens. The keys come from the store; no other server is contacted.
 */
export function ownTokenVerifier({ issuer, audience, identityProvider, keys, clock }: OwnTokensOptions): TokenVerifier {
  return {
    async verify(token) {
      const rules = { issuer, audience, algorithms: [signingAlgorithm], typ: 'at+jwt', clockTolerance }
      const requiredClaims = ['exp', 'sub', 'client_id', identityProviderClaim]
      try {
        const { payload } = await jwtVerify(token, keys.find, { ...rules, requiredClaims, currentDate: new Date(clock.now()) })
        const { sub = '', exp = 0, client_id: clientId, scope, [identityProviderClaim]: provider } = payload
        if (provider !== identityProvider) throw new InvalidToken("The token's person belongs to a different identity provider.")
        return {
          issuer: identityProvider,
          subject: sub,
          clientId: typeof clientId === 'string' ? clientId : '',
          scopes: typeof scope === 'string' ? scope.split(' ') : [],
          expiresAt: exp,
        }
      } catch (error) {
        if (storageFailure(error)) throw unavailable()
        throw error instanceof joseErrors.JOSEError || error instanceof TypeError ? new InvalidToken(problemOf(error)) : error
      }
    },
    async ready() {
      await keys.current()
    },
  }
}

/** The store's own error names the database, which clients must not see. */
function unavailable(): Unavailable {
  const problem = `The database cannot be reached, so no token can be verified now. Make this request again in ${retryAfterSeconds} s.`
  return new Unavailable(problem, { retryAfterSeconds })
}

/** The protocol implementation, with the services that its tokens need. */
export interface TokenIssuer {
  readonly provider: Provider
  readonly resources: Resources
  readonly keys: KeySet
}

/** Properties of a token for one of our resources. Throws `InvalidTarget` for any other resource. */
export function resourceServer({ resources, keys }: Pick<TokenIssuer, 'resources' | 'keys'>, resource: string): ResourceServer {
  if (!resources.includes(resource)) throw new errors.InvalidTarget()
  const [signing] = keys.keys
  return {
    scope: resources.scopes.map(({ name }) => name).join(' '),
    audience: resources.audience,
    accessTokenFormat: 'jwt',
    accessTokenTTL: lifetimes.accessToken,
    jwt: { sign: { alg: signingAlgorithm, ...(signing && { kid: signing.kid }) } },
  }
}

export interface AccessTokenContent {
  /** The identity provider's name for the person. */
  readonly subject: string
  readonly resource: string
  readonly scopes: readonly string[]
  /** The grant type's OAuth name. */
  readonly grantType: string
  /** The authorization that the token is based on. */
  readonly grantId: string
  readonly refreshToken?: string
}

/** Answers a request to the token endpoint with a new access token. Throws `InvalidScope` if the token would permit nothing. */
export async function answerWithToken(issuer: TokenIssuer, context: TokenEndpointGrantContext, content: AccessTokenContent): Promise<void> {
  const { provider } = issuer
  const { subject, resource, scopes, grantType, grantId, refreshToken } = content
  if (scopes.length === 0) throw new errors.InvalidScope('no scope of this server was granted', scopes.join(' '))
  const token = new provider.AccessToken({ accountId: subject, client: context.oidc.client, grantId, gty: grantType })
  token.resourceServer = new provider.ResourceServer(resource, resourceServer(issuer, resource))
  token.scope = scopes.join(' ')
  const accessToken = await token.save()
  context.body = {
    access_token: accessToken,
    expires_in: lifetimes.accessToken,
    ...(refreshToken !== undefined && { refresh_token: refreshToken }),
    scope: token.scope,
    token_type: 'Bearer',
  }
}

/** The scopes in space-separated text. */
export const scopesIn = (text: string | undefined): string[] => (text ?? '').split(' ').filter((scope) => scope !== '')

/** Answers clients that use a refresh token. The library's own handler revokes the sign-in if a token is used twice at once. */
export function refreshGrant(issuer: TokenIssuer, parts: AuthorizationParts) {
  return (context: TokenEndpointGrantContext): Promise<void> => refresh(issuer, parts, context).catch(explainStorage)
}

async function refresh(issuer: TokenIssuer, parts: AuthorizationParts, context: TokenEndpointGrantContext): Promise<void> {
  const { refreshTokens } = parts
  const { client, params } = context.oidc
  const token = stringMember(params, 'refresh_token')
  if (token === undefined) throw new errors.InvalidRequest("missing required parameter 'refresh_token'")
  const found = await refreshTokens.find(token)
  const grantId = found?.clientId === client.clientId ? found.grantId : undefined
  const authorization = grantId === undefined ? undefined : await issuer.provider.Grant.find(grantId)
  const subject = authorization?.accountId
  if (!found || grantId === undefined || subject === undefined) throw new errors.InvalidGrant('refresh token not found')
  const { resource, scopes } = wantedOf(found, { scope: stringMember(params, 'scope'), resource: stringMember(params, 'resource') })
  const replacement = await refreshTokens.replace(token)
  if (replacement === 'replayed') {
    await authorization?.destroy()
    const person = parts.state.people.ownerOf({ issuer: parts.identityProviderIssuer, subject })
    parts.log.warn('authorization', { outcome: 'replayed refresh token', client: client.clientId, person })
  }
  if (typeof replacement === 'string') throw new errors.InvalidGrant('refresh token was replaced')
  await noteUse(parts, client.clientId)
  const refreshToken = replacement.successor
  await answerWithToken(issuer, context, { subject, resource, scopes, grantType: 'refresh_token', grantId, refreshToken })
}

interface Wanted {
  readonly scope: string | undefined
  readonly resource: string | undefined
}

/** The requested scopes, limited to those that the person agreed to. */
function wantedOf(found: AdapterPayload, { scope, resource }: Wanted) {
  const resources = [found.resource ?? []].flat()
  const wanted = resource ?? resources[0]
  if (wanted === undefined || !resources.includes(wanted)) throw new errors.InvalidTarget()
  const permitted = scopesIn(found.scope)
  const scopes = scope === undefined ? permitted : scopesIn(scope)
  if (scopes.every((each) => permitted.includes(each))) return { resource: wanted, scopes }
  throw new errors.InvalidScope('refresh token missing requested scope', scope ?? '')
}
