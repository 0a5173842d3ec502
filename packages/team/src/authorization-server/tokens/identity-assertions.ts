import { stringMember } from '@mcp-toolkits/core/base'
import { Unavailable } from '@mcp-toolkits/core/errors'
import { errors as joseErrors, type JWTPayload, jwtVerify } from 'jose'
import { errors, type TokenEndpointGrantContext } from 'oidc-provider'
import { digest } from '../../connect/connect-records.ts'
import { signatureAlgorithms } from '../../tokens/token-verifier.ts'
import { type AuthorizationParts, noteUse } from '../authorization-parts.ts'
import { grantTypes } from '../clients/clients.ts'
import { answerWithToken, scopesIn, type TokenIssuer } from './access-tokens.ts'
import { explainStorage, recordKey, temporarilyUnavailable } from '../storage.ts'
import { isUnverifiedEmail } from '../../tokens/subject-claim.ts'

/** Seconds by which the identity provider's and this machine's clocks may differ, and an assertion's maximum lifetime. */
const clockTolerance = 5
const maxLifetime = 60 * 60

const maxSubjectLength = 255
const maxIdLength = 255

/** Content of the identity provider's verified assertion. */
interface Assertion {
  readonly id: string
  readonly subject: string
  readonly resource: string
  /** Undefined if the identity provider names no scopes. */
  readonly scopes: readonly string[] | undefined
  /** In seconds since 1970. */
  readonly expiresAt: number
}

/**
 * Answers clients that present an identity assertion from the company's identity provider, which has decided that the client may act for
 * the person here: https://datatracker.ietf.org/doc/draft-ietf-oauth-identity-assertion-authz-grant/. They get no refresh token: for the
 * next access token, they return to the identity provider.
 */
export function assertionGrant(issuer: TokenIssuer, parts: AuthorizationParts) {
  return (context: TokenEndpointGrantContext): Promise<void> => exchange(issuer, parts, context).catch(explainStorage)
}

async function exchange(issuer: TokenIssuer, parts: AuthorizationParts, context: TokenEndpointGrantContext): Promise<void> {
  const { client, params } = context.oidc
  const text = stringMember(params, 'assertion')
  if (text === undefined) throw new errors.InvalidRequest("missing required parameter 'assertion'")
  const assertion = await verify(parts, text, client.clientId)
  const { subject } = assertion
  const resource = stringMember(params, 'resource') ?? assertion.resource
  if (resource !== assertion.resource) throw new errors.InvalidTarget()
  const scopes = scopesOf(parts, assertion, stringMember(params, 'scope'))
  await useOnce(parts, assertion)
  const person = { issuer: parts.identityProviderIssuer, subject }
  await parts.state.people.remember(person)
  const owner = parts.state.people.ownerOf(person)
  parts.log.info('authorization', { outcome: 'identity assertion', client: client.clientId, person: owner })
  await noteUse(parts, client.clientId)
  await answerWithToken(issuer, context, { subject, resource, scopes, grantType: grantTypes.assertion, grantId: assertion.id })
}

async function verify(parts: AuthorizationParts, text: string, clientId: string): Promise<Assertion> {
  const { identityProviderIssuer, identityProviderKeys, issuer, clock } = parts
  const currentDate = new Date(clock.now())
  const rules = {
    issuer: identityProviderIssuer,
    audience: issuer,
    typ: 'oauth-id-jag+jwt',
    algorithms: [...signatureAlgorithms],
    clockTolerance,
  }
  const requiredClaims = ['sub', 'client_id', 'jti', 'exp', 'iat', 'resource']
  try {
    const find: typeof identityProviderKeys.find = (...found) => identityProviderKeys.find(...found)
    const { payload } = await jwtVerify(text, find, { ...rules, requiredClaims, currentDate })
    return readClaims(parts, payload, clientId)
  } catch (error) {
    if (error instanceof Unavailable) throw temporarilyUnavailable()
    if (error instanceof joseErrors.JOSEError || error instanceof TypeError) throw new errors.InvalidGrant('assertion is not valid here')
    throw error
  }
}

function readClaims({ issuer, resources, subjectClaim, clock }: AuthorizationParts, payload: JWTPayload, clientId: string): Assertion {
  const { jti, aud, exp = 0, client_id: client, resource, scope, [subjectClaim]: subject } = payload
  if ([aud].flat().some((audience) => audience !== issuer)) throw new errors.InvalidGrant('assertion also has another audience')
  if (client !== clientId) throw new errors.InvalidGrant('assertion was issued to another client')
  if (typeof resource !== 'string' || !resources.includes(resource)) throw new errors.InvalidTarget()
  if (exp - clock.now() / 1_000 > maxLifetime) throw new errors.InvalidGrant('assertion is valid for too long')
  // jose has not checked everything that its types claim.
  if (typeof jti !== 'string' || jti === '' || jti.length > maxIdLength) throw new errors.InvalidGrant('assertion has no usable id')
  if (typeof subject !== 'string' || subject.trim() === '' || subject.length > maxSubjectLength)
    throw new errors.InvalidGrant('assertion names no person')
  if (isUnverifiedEmail(payload, subjectClaim)) throw new errors.InvalidGrant('assertion names an email address that is not verified')
  if (scope !== undefined && typeof scope !== 'string') throw new errors.InvalidGrant('assertion has a scope that is not a string')
  return { id: jti, subject, resource, scopes: scope === undefined ? undefined : scopesIn(scope), expiresAt: exp }
}

/** Scopes that the identity provider permits and the client asks for. Unknown ones are dropped. */
function scopesOf({ resources }: AuthorizationParts, { scopes: permitted }: Assertion, asked: string | undefined): string[] {
  const offered = resources.scopes.map(({ name }) => name)
  const wanted = asked === undefined ? (permitted ?? []) : scopesIn(asked)
  return offered.filter((scope) => wanted.includes(scope) && (permitted === undefined || permitted.includes(scope)))
}

/** Throws for an assertion that was already used on any replica. */
async function useOnce({ state: { locks, records }, clock }: AuthorizationParts, { id, expiresAt }: Assertion): Promise<void> {
  const name = digest(id)
  await locks.withLock(`oauth assertion ${name}`, async () => {
    if ((await records.get(recordKey('oauth assertion', name))) !== undefined)
      throw new errors.InvalidGrant('assertion has already been used')
    const ms = expiresAt * 1_000 - clock.now() + 2 * clockTolerance * 1_000
    await records.set(recordKey('oauth assertion', name), 'used', ms)
  })
}
