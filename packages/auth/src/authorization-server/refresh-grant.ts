import { stringMember } from '@mcp-toolkits/core/json'
import { type AdapterPayload, errors, type TokenEndpointGrantContext } from 'oidc-provider'
import { type AuthorizationParts, noteUse } from './authorization-parts.ts'
import { answerWithToken, scopesIn, type TokenIssuer } from './issue-access-token.ts'
import { explainStorage } from './storage-errors.ts'

/** Answers clients that use a refresh token. The library's own answer ends the sign-in when one token is used twice at once. */
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

/** What is asked for, which cannot be more than what the person agreed to. */
function wantedOf(found: AdapterPayload, { scope, resource }: Wanted) {
  const resources = [found.resource ?? []].flat()
  const wanted = resource ?? resources[0]
  if (wanted === undefined || !resources.includes(wanted)) throw new errors.InvalidTarget()
  const permitted = scopesIn(found.scope)
  const scopes = scope === undefined ? permitted : scopesIn(scope)
  if (scopes.every((each) => permitted.includes(each))) return { resource: wanted, scopes }
  throw new errors.InvalidScope('refresh token missing requested scope', scope ?? '')
}
