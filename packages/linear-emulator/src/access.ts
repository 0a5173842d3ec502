import { createHash, timingSafeEqual } from 'node:crypto'
import { missingScope, notAuthenticated } from './refusals.ts'

/** Who calls, by the `Authorization` header. */
export interface Caller {
  readonly kind: 'key' | 'oauth'
  readonly scopes: readonly string[]
}

/** What opens the API. */
export interface Credentials {
  readonly apiKey: string
  readonly accessToken: string
  readonly scopes: readonly string[]
  /** The scopes of a token that somebody granted, if it is good. */
  readonly scopesOf: (accessToken: string) => readonly string[] | undefined
}

/** Recognises a personal key, which stands alone, or an OAuth token after `Bearer`: linear.md §3.6. */
export function identify(authorization: string | null, { apiKey, accessToken, scopes, scopesOf }: Credentials): Caller {
  if (authorization === null) throw notAuthenticated()
  if (same(authorization, apiKey)) return { kind: 'key', scopes: allScopes }
  if (same(authorization, `Bearer ${accessToken}`)) return { kind: 'oauth', scopes }
  const granted = authorization.startsWith('Bearer ') ? scopesOf(authorization.slice('Bearer '.length)) : undefined
  if (granted === undefined) throw notAuthenticated()
  return { kind: 'oauth', scopes: granted }
}

const same = (given: string, wanted: string) => timingSafeEqual(sha256(given), sha256(wanted))
const sha256 = (value: string) => createHash('sha256').update(value).digest()

/** The scopes that a personal key has, and a token when nothing else is said. */
export const allScopes: readonly string[] = ['read', 'write', 'issues:create', 'comments:create', 'initiative:read', 'initiative:write']

const narrower = new Map([
  ['issueCreate', 'issues:create'],
  ['attachmentCreate', 'issues:create'],
  ['commentCreate', 'comments:create'],
])

/** Refuses a field of the root whose scope the caller lacks; a scope of its own does instead of `write`. */
export function checkScope({ scopes }: Caller, kind: 'Query' | 'Mutation', field: string): void {
  const isInitiative = field.startsWith('initiative')
  const wanted = kind === 'Query' ? (isInitiative ? 'initiative:read' : 'read') : isInitiative ? 'initiative:write' : 'write'
  if (!scopes.includes(wanted) && !scopes.includes(narrower.get(field) ?? wanted)) throw missingScope(wanted)
}

/** Refuses initiatives wherever they are asked for: one such field takes the whole answer with it. */
export function checkNested({ scopes }: Caller, type: string): void {
  if (type.startsWith('Initiative') && !scopes.includes('initiative:read')) throw missingScope('initiative:read')
}
