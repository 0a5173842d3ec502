import { errors, type default as Provider, type ResourceServer, type TokenEndpointGrantContext } from 'oidc-provider'
import { lifetimes } from './lifetimes.ts'
import type { Resources } from './resources.ts'
import { type KeySet, signingAlgorithm } from './signing-keys.ts'

/** The protocol with what its tokens need. */
export interface TokenIssuer {
  readonly provider: Provider
  readonly resources: Resources
  readonly keys: KeySet
}

/** What a token for one of our resources is. Throws `InvalidTarget` for another resource. */
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
  /** As the identity provider calls the person. */
  readonly subject: string
  readonly resource: string
  readonly scopes: readonly string[]
  /** The kind of grant, as OAuth names it. */
  readonly grantType: string
  /** The authorization that it follows from. */
  readonly grantId: string
  readonly refreshToken?: string
}

/** Answers a request to the token endpoint with a new access token. Throws `InvalidScope` for one that would permit nothing. */
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

/** The scopes in a text. */
export const scopesIn = (text: string | undefined): string[] => (text ?? '').split(' ').filter((scope) => scope !== '')
