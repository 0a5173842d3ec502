import { verify } from 'node:crypto'
import { type Grants, type IssuedTokens, refuse } from '@mcp-toolkits/emulator/oauth'
import type { Store } from '@mcp-toolkits/sqlite'
import type { Context } from 'hono'
import { insertPerson, personByAddress } from '../people/people.ts'
import { grantee, type Viewer } from '../store/viewers.ts'
import { parseScopes } from './tokens.ts'

/** A program's account: https://developers.google.com/identity/protocols/oauth2/service-account. */
export interface GoogleServiceAccount {
  /** `name@project.iam.gserviceaccount.com` */
  readonly email: string
  /** `private_key_id` in the key file. */
  readonly keyId: string
  /** The public key that belongs to `private_key`, as PEM. */
  readonly publicKey: string
  /** Scopes with which the account may act for people in the organization; none if absent. */
  readonly delegatedScopes?: readonly string[]
}

export const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

export interface ServiceAccountOptions {
  readonly store: Store
  readonly serviceAccounts: readonly GoogleServiceAccount[]
  readonly grants: Grants
  readonly now: () => number
  /** The viewer for a person, with a My Drive. */
  readonly viewerFor: (personId: string) => Promise<Viewer>
}

/** Seconds by which a program's clock may be ahead. */
const skew = 300
const longestLifetime = 3_600

/** Answers a token request that carries a signed assertion. */
export function answerAssertion(options: ServiceAccountOptions) {
  return async (context: Context, form: URLSearchParams): Promise<Response> => {
    const found = readAssertion(form.get('assertion') ?? '', context.req.url, options)
    if ('error' in found) return refusal(context, found)
    const issued = await issue(options, found)
    if ('error' in issued) return refusal(context, issued)
    context.header('cache-control', 'no-store')
    return context.json({ access_token: issued.accessToken, expires_in: issued.expiresIn, token_type: 'Bearer' })
  }
}

interface Refused {
  readonly error: string
  readonly description: string
}

function refusal(context: Context, { error, description }: Refused): Response {
  if (error !== 'unauthorized_client') return refuse(context, error, description)
  return context.json({ error, error_description: description }, 401)
}

interface Assertion {
  readonly account: GoogleServiceAccount
  readonly scopes: readonly string[]
  /** The person for whom the account acts; undefined if it acts for itself. */
  readonly subject: string | undefined
}

const invalid = (description: string): Refused => ({ error: 'invalid_grant', description })

function readAssertion(text: string, url: string, { serviceAccounts, now }: ServiceAccountOptions): Assertion | Refused {
  const parts = text.split('.')
  const [header, claims] = parts.slice(0, 2).map(readPart)
  if (parts.length !== 3 || !header || !claims) return { error: 'invalid_request', description: 'Invalid JWT: it cannot be read.' }
  const account = serviceAccounts.find(({ email }) => email === claims['iss'])
  if (!account) return invalid('Invalid grant: account not found')
  if (header['alg'] !== 'RS256' || (header['typ'] ?? 'JWT') !== 'JWT' || (header['kid'] ?? account.keyId) !== account.keyId)
    return invalid('Invalid JWT Signature.')
  const [head = '', body = '', signature = ''] = parts
  const isSigned = verify('RSA-SHA256', Buffer.from(`${head}.${body}`), account.publicKey, Buffer.from(signature, 'base64url'))
  if (!isSigned) return invalid('Invalid JWT Signature.')
  const { aud, scope, sub, iat, exp } = claims
  if (aud !== 'https://oauth2.googleapis.com/token' && aud !== withoutQuery(url)) return invalid('Invalid JWT: Failed audience check.')
  const seconds = now() / 1_000
  const isShort =
    typeof iat === 'number' && typeof exp === 'number' && exp - iat <= longestLifetime && iat <= seconds + skew && exp > seconds
  if (!isShort) {
    return invalid(
      'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.',
    )
  }
  const wanted = parseScopes(typeof scope === 'string' ? scope : '')
  if ('unknown' in wanted || wanted.scopes.length === 0)
    return { error: 'invalid_scope', description: 'Invalid OAuth scope or ID token audience provided.' }
  return { account, scopes: wanted.scopes, subject: typeof sub === 'string' && sub !== account.email ? sub : undefined }
}

function readPart(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}

function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}

async function issue(
  { store, grants, viewerFor }: ServiceAccountOptions,
  { account, scopes, subject }: Assertion,
): Promise<IssuedTokens | Refused> {
  if (subject !== undefined && !scopes.every((scope) => account.delegatedScopes?.includes(scope))) {
    return {
      error: 'unauthorized_client',
      description:
        'Client is unauthorized to retrieve access tokens using this method, or client not authorized for any of the scopes requested.',
    }
  }
  const personId = await store.write(() => {
    const person = personByAddress(store, subject ?? account.email)
    if (person?.kind === 'user') return person.permissionId
    return subject === undefined ? insertPerson(store, { name: account.email, email: account.email }) : undefined
  })
  if (personId === undefined) return invalid('Invalid email or User ID')
  const viewer = await viewerFor(personId)
  return grants.issue({ person: grantee(viewer), clientId: account.email, scopes, offline: false })
}
