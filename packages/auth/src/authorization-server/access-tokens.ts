import type { Clock } from '@mcp-toolkits/core/clock'
import { errors, jwtVerify } from 'jose'
import { InvalidToken, problemOf, type TokenVerifier } from '../people/token-verifier.ts'
import { signingAlgorithm, type SigningKeys } from './signing-keys.ts'

export interface OwnTokensOptions {
  /** The authorization server, which is this server. */
  readonly issuer: string
  readonly audience: string
  /** The issuer of the people to whom tokens are issued. */
  readonly identityProvider: string
  readonly keys: SigningKeys
  readonly clock: Clock
}

/** The claim of a token that names the identity provider of its person. */
export const identityProviderClaim = 'idp'

/** How far the clocks of replicas may differ, in seconds. */
const clockTolerance = 5

/**
 * Verifies the access tokens that this server has issued. The person of a token is the one whom the identity provider signed in, so
 * what they have connected stays theirs whoever issues the tokens. Asks no one but the store.
 */
export function ownTokenVerifier({ issuer, audience, identityProvider, keys, clock }: OwnTokensOptions): TokenVerifier {
  return {
    async verify(token) {
      const rules = { issuer, audience, algorithms: [signingAlgorithm], typ: 'at+jwt', clockTolerance }
      const requiredClaims = ['exp', 'sub', 'client_id', identityProviderClaim]
      try {
        const { payload } = await jwtVerify(token, keys.find, { ...rules, requiredClaims, currentDate: new Date(clock.now()) })
        const { sub = '', exp = 0, client_id: clientId, scope, [identityProviderClaim]: provider } = payload
        if (provider !== identityProvider) throw new InvalidToken('The person of the token belongs to another identity provider.')
        return {
          issuer: identityProvider,
          subject: sub,
          clientId: typeof clientId === 'string' ? clientId : '',
          scopes: typeof scope === 'string' ? scope.split(' ') : [],
          expiresAt: exp,
        }
      } catch (error) {
        throw error instanceof errors.JOSEError || error instanceof TypeError ? new InvalidToken(problemOf(error)) : error
      }
    },
    async ready() {
      await keys.current()
    },
  }
}
