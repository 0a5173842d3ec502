import type { AuthorizationServer } from '@mcp-toolkits/auth/authorization-server'
import { openTokenVerifier, type TokenVerifier } from '@mcp-toolkits/auth/people/token-verifier'
import { systemClock } from '@mcp-toolkits/core/clock'
import type { PeopleState, Permission } from '@mcp-toolkits/core/people'
import type { ServerDefinition } from '../definition.ts'
import type { Log } from '../log.ts'
import { allPermissions } from '../people/permissions.ts'
import type { PeopleOptions } from './people-options.ts'

/** Who issues the tokens of people, and what verifies them. */
export interface Tokens {
  readonly verifier: TokenVerifier
  /** Present when the server issues them itself. */
  readonly authorization?: AuthorizationServer
}

export interface TokensOptions {
  readonly state: PeopleState
  readonly log: Log
}

/** What the permissions mean, for people. */
const meanings: Readonly<Record<Permission, string>> = {
  read: 'look at what you can see',
  write: 'create and change things, and look',
  delete: 'delete things, create, change and look',
}

/** The code of the authorization server is loaded only with its option. */
export async function openTokens(
  definition: Pick<ServerDefinition<never>, 'name' | 'title'>,
  { issuer, publicUrl, audiences, subjectClaim, scopeNames, authorizationServer: signIn }: PeopleOptions,
  { state, log }: TokensOptions,
): Promise<Tokens> {
  if (!signIn) {
    const onFailure = (problem: string) => {
      log.warn('identity provider', { problem })
    }
    return { verifier: openTokenVerifier({ issuer, audiences, subjectClaim, clock: systemClock, onFailure }) }
  }
  const { openAuthorizationServer } = await import('@mcp-toolkits/auth/authorization-server')
  const authorization = openAuthorizationServer({
    publicUrl,
    server: { name: definition.name, title: definition.title },
    state,
    identityProvider: { issuer, subjectClaim, ...signIn },
    scopes: allPermissions.map((permission) => ({ name: scopeNames[permission], meaning: meanings[permission] })),
    log,
  })
  return { verifier: authorization.verifier, authorization }
}
