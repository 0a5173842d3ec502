import { createHash, randomBytes } from 'node:crypto'
import type { Fetch } from '../http.ts'
import type { Secret } from '../credentials.ts'
import type { Client, Tokens } from './login.ts'
import type { ScopeRules } from './scopes.ts'

export interface Endpoints {
  readonly authorization: string
  readonly token: string
  readonly revocation: string
}

/** Who lets people sign in: the facts in which one provider differs from another. */
export interface Provider {
  /** Who is signed in to: `Linear`. */
  readonly name: string
  readonly endpoints: Endpoints
  /** What stands between two scopes in a request. */
  readonly scopeSeparator: ',' | ' '
  readonly scopes: ScopeRules & { readonly asked: readonly string[] }
  /** How a scope is written to the provider and read from it, where that is not its name here. */
  readonly spelling?: { readonly written: (scope: string) => string; readonly read: (written: string) => string }
  /** Further parameters of the address where a person consents. */
  readonly parameters?: Readonly<Record<string, string>>
  /** The path that the browser returns to, where it has to be registered; otherwise one that nobody can guess. */
  readonly redirectPath?: string
  /** How tokens are got, where that is not the protocol as it is written. */
  readonly issuer?: (options: IssuerOptions) => Issuer
}

/** Gets tokens and gives them back. */
export interface Issuer {
  /** Tokens for the code that the browser brought. Throws `Unauthenticated` when it is refused. */
  readonly redeem: (answer: BroughtCode, signal: AbortSignal) => Promise<Tokens>
  /** New tokens; undefined when the provider has ended the login. Never sends the refresh token twice. */
  readonly renew: (refreshToken: Secret, signal: AbortSignal) => Promise<Tokens | undefined>
  /** Tells the provider that a token is no longer wanted; one that has ended already is none the less. */
  readonly revoke: (token: Secret, signal: AbortSignal) => Promise<void>
}

export interface IssuerOptions {
  readonly fetch: Fetch
  readonly provider: Provider
  readonly client: Client
  readonly tokenUrl: string
  readonly revocationUrl: string
  readonly now: () => number
}

/** What the browser brought back, and what it takes to redeem it. */
export interface BroughtCode {
  readonly code: string
  readonly verifier: string
  readonly redirectUri: string
}

/** The provider's endpoints, or those of the same paths elsewhere. `base` has no slash at its end. */
export function endpointsAt({ endpoints }: Provider, base: string | undefined): Endpoints {
  if (base === undefined) return endpoints
  const moved = (url: string) => `${base}${new URL(url).pathname}`
  return { authorization: moved(endpoints.authorization), token: moved(endpoints.token), revocation: moved(endpoints.revocation) }
}

/** What one sign-in is told apart by: https://www.rfc-editor.org/rfc/rfc7636 and https://www.rfc-editor.org/rfc/rfc9700#section-2.1 */
export interface Attempt {
  readonly state: string
  readonly verifier: string
}

export function newAttempt(): Attempt {
  return { state: randomBytes(24).toString('base64url'), verifier: randomBytes(32).toString('base64url') }
}

export interface Asking extends Attempt {
  readonly endpoint: string
  readonly clientId: string
  readonly redirectUri: string
  readonly scopes: readonly string[]
}

/** The address where a person consents. */
export function consentUrl(provider: Provider, { endpoint, clientId, redirectUri, scopes, state, verifier }: Asking): string {
  const written = provider.spelling?.written ?? ((scope: string) => scope)
  const url = new URL(endpoint)
  const parameters = {
    ...provider.parameters,
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: scopes.map((scope) => written(scope)).join(provider.scopeSeparator),
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}
