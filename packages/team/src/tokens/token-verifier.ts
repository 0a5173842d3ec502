import type { Clock, Person } from '@mcp-toolkits/core/base'
import type { Fetch } from '@mcp-toolkits/core/upstream'
import { errors, jwtVerify, type JWTHeaderParameters, type JWTPayload } from 'jose'
import { IssuerKeys } from './issuer-keys.ts'
import { isUnverifiedEmail } from './subject-claim.ts'

/** Algorithms with key pairs only: anyone who can verify an HMAC can also sign. */
export const signatureAlgorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

/** Seconds by which the provider's and this machine's clocks may differ. */
const clockTolerance = 5

/** Types of access tokens: https://www.rfc-editor.org/rfc/rfc9068#section-2.1; many providers give no type, or the general one. */
const accessTokenTypes = ['at+jwt', 'application/at+jwt', 'jwt']

/** Claims in tokens that a provider issues for other purposes: ID tokens, and notices such as logout tokens. */
const foreignClaims = ['nonce', 'at_hash', 'c_hash', 'events']

/** Maximum length of a subject, in characters. */
const maxSubjectLength = 255

/** Content of a token with a valid signature and valid claims. */
export interface VerifiedToken extends Person {
  /** Empty if the token does not name its client. */
  readonly clientId: string
  readonly scopes: readonly string[]
  /** In seconds since 1970. */
  readonly expiresAt: number
}

/** A token that must not be accepted. The message is for the client and repeats nothing from the token. */
export class InvalidToken extends Error {
  override readonly name = 'InvalidToken'
}

export interface TokenVerifier {
  /** Throws `InvalidToken`, and `Unavailable` if the provider's keys cannot be fetched. */
  readonly verify: (token: string) => Promise<VerifiedToken>
  /** Resolves once the provider's keys have been fetched. Throws `Unavailable` if they cannot be. */
  readonly ready: () => Promise<void>
}

export interface TokenVerifierOptions {
  /** The issuer, exactly as in tokens. */
  readonly issuer: string
  /** A token must be for one of these audiences. */
  readonly audiences: readonly string[]
  /** The claim that identifies the person: `sub`, unless `sub` differs per client. */
  readonly subjectClaim: string
  readonly clock: Clock
  readonly fetch?: Fetch
  /** Called when keys cannot be fetched, like `onFailure` in `IssuerKeys`. */
  readonly onFailure?: (problem: string, isMistake: boolean) => void
}

/** Verifies JWT access tokens with the keys that the identity provider publishes. */
export function openTokenVerifier({ issuer, audiences, subjectClaim, clock, fetch, onFailure }: TokenVerifierOptions): TokenVerifier {
  const keys = new IssuerKeys({ issuer, fetch, clock, onFailure })
  return {
    async verify(token) {
      const options = { issuer, audience: [...audiences], algorithms: signatureAlgorithms, clockTolerance, requiredClaims: ['exp', 'sub'] }
      const check = () => jwtVerify(token, (...found) => keys.find(...found), { ...options, currentDate: new Date(clock.now()) })
      try {
        const verified = await check().catch(async (error: unknown) => {
          if (error instanceof errors.JWSSignatureVerificationFailed && (await keys.fetchAgain())) return check()
          throw error
        })
        return readClaims(verified, { issuer, subjectClaim })
      } catch (error) {
        throw error instanceof errors.JOSEError || error instanceof TypeError ? new InvalidToken(problemOf(error)) : error
      }
    },
    ready: () => keys.ready(),
  }
}

function readClaims(
  { payload, protectedHeader }: { readonly payload: JWTPayload; readonly protectedHeader: JWTHeaderParameters },
  { issuer, subjectClaim }: Pick<TokenVerifierOptions, 'issuer' | 'subjectClaim'>,
): VerifiedToken {
  const type = protectedHeader.typ
  const isOther = type !== undefined && !accessTokenTypes.includes(type.toLowerCase())
  if (isOther || foreignClaims.some((claim) => claim in payload)) throw new InvalidToken('This is not an access token.')
  const clientId = clientOf(payload)
  const expiresAt = payload.exp ?? 0
  if (isService(payload, clientId)) {
    // Entra gives roles instead of scopes if there is no person:
    // https://learn.microsoft.com/en-us/entra/identity-platform/access-token-claims-reference
    return { issuer, subject: clientId, isService: true, clientId, scopes: [...scopesOf(payload), ...rolesOf(payload)], expiresAt }
  }
  const subject = payload[subjectClaim]
  if (subject === undefined) throw new InvalidToken(`The token lacks the claim ${subjectClaim}.`)
  if (isUnverifiedEmail(payload, subjectClaim))
    throw new InvalidToken('The identity provider has not verified the email address in the token.')
  if (typeof subject !== 'string' || subject.trim() === '' || subject.length > maxSubjectLength)
    throw new InvalidToken(`The token's ${subjectClaim} claim names no person.`)
  return { issuer, subject, clientId, scopes: scopesOf(payload), expiresAt }
}

/**
 * True if a token was issued to a client for itself: `sub` is the client in RFC 9068 and Okta, and has a suffix in Auth0; Entra says so in
 * `idtyp`. The decision uses only values that the provider sets, not names that a person can choose.
 */
function isService({ sub, idtyp }: JWTPayload, clientId: string): boolean {
  if (clientId === '' || clientId.length > maxSubjectLength) return false
  return sub === clientId || sub === `${clientId}@clients` || idtyp === 'app'
}

/** `client_id` in RFC 9068; `azp`, `cid` and `appid` in Keycloak, Okta and Entra. */
function clientOf({ client_id, azp, cid, appid }: JWTPayload): string {
  return [client_id, azp, cid, appid].find((value) => typeof value === 'string') ?? ''
}

/** `scope` in RFC 9068; `scp` in Okta, as a list, and in Entra, as a string. */
function scopesOf({ scope, scp }: JWTPayload): string[] {
  return [scope, scp].flatMap((value) => {
    const texts: unknown[] = Array.isArray(value) ? value : [value]
    return texts.flatMap((text) => (typeof text === 'string' ? text.split(' ').filter((name) => name !== '') : []))
  })
}

function rolesOf({ roles }: JWTPayload): string[] {
  const names: unknown[] = Array.isArray(roles) ? roles : []
  return names.filter((name) => typeof name === 'string')
}

/** The reason a token was refused, without anything from the token. */
export function problemOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired.'
  if (error instanceof errors.JWTClaimValidationFailed) return claimProblem(error)
  if (error instanceof errors.JWKSNoMatchingKey) return 'The token is signed with a key that the identity provider does not publish.'
  if (error instanceof errors.JOSEAlgNotAllowed) return 'The token is signed in a way that is not accepted here.'
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'The signature of the token is wrong.'
  return 'The token is not a JWT that can be verified.'
}

function claimProblem({ claim, reason }: errors.JWTClaimValidationFailed): string {
  if (reason === 'missing') return `The token lacks the claim ${claim}.`
  if (claim === 'aud') return 'The token was issued for another audience.'
  if (claim === 'iss') return 'The token comes from another issuer.'
  if (claim === 'nbf') return 'The token is not valid yet.'
  return `The token's ${claim} claim is invalid.`
}
