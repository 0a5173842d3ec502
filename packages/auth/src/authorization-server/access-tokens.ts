import { Unavailable } from '@mcp-toolkits/core'
import type { Clock } from '@mcp-toolkits/core/clock'
import { storageFailure } from '@mcp-toolkits/core/system-error'
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

/** When a request is worth repeating while the store is down, in seconds. */
const retryAfterSeconds = 5

/** How far the clocks of replicas may differ, in seconds. */
const clockTolerance = 5

/**
 * Verifies the access tokens that this server has issued. The person of a token is the one whom the identity provider signed in, so
 * what they have connected stays theirs no matter who issues the tokens. The keys come from the store, and nothing is asked of another server.
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
        if (storageFailure(error)) throw unavailable()
        throw error instanceof errors.JOSEError || error instanceof TypeError ? new InvalidToken(problemOf(error)) : error
      }
    },
    async ready() {
      await keys.current()
    },
  }
}

/** The store's own error names the database, which is not for clients. */
function unavailable(): Unavailable {
  const problem = `The database cannot be reached, so no token can be verified now. Make this request again in ${retryAfterSeconds} s.`
  return new Unavailable(problem, { retryAfterSeconds })
}
