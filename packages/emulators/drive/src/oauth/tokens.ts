import { isSameSecret } from '@mcp-toolkits/emulator'
import {
  type ActiveToken,
  addPost,
  addTokenRoute,
  type Grants,
  isClientSecret,
  type OAuthError,
  refuse,
  type RegisteredClient,
  type TokenEndpoint,
} from '@mcp-toolkits/emulator/oauth'
import type { Store } from '@mcp-toolkits/sqlite'
import { type Context, Hono } from 'hono'
import { badToken, noToken, scopeMissing } from '../http/errors.ts'
import { permissionIdFor } from '../store/ids.ts'
import { firstViewer, type GoogleAccount, personById, viewerOf } from '../people/people.ts'
import type { Viewer } from '../store/viewers.ts'

/** An OAuth client: https://developers.google.com/identity/protocols/oauth2. */
export type GoogleClient = RegisteredClient &
  (
    | {
        /** Runs on the person's machine. Its redirect URIs need no registration but must be on loopback. */
        readonly kind: 'installed'
      }
    | {
        readonly kind: 'web'
        /** Exact addresses. */
        readonly redirectUris: readonly string[]
      }
  )

/** A client for programs on this machine. Google gives desktop clients a secret that is not confidential. */
export const localClient: GoogleClient = {
  kind: 'installed',
  id: 'lodestar-desktop.apps.googleusercontent.com',
  name: 'Lodestar Desktop',
  secret: 'GOCSPX-lodestar-desktop',
}

/** True if a client may be redirected to this URI. */
export function isAllowedRedirect(client: GoogleClient, address: string): boolean {
  if (client.kind === 'web') return client.redirectUris.includes(address)
  const url = URL.parse(address)
  const isBare = url?.username === '' && url.password === '' && !address.includes('#')
  return isBare && url.protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname)
}

export interface TokenRouteOptions {
  readonly store: Store
  readonly clients: readonly GoogleClient[]
  readonly grants: Grants
  /** Grant types beyond those that clients use. */
  readonly further: Required<TokenEndpoint<GoogleClient>>['further']
  readonly now: () => number
}

/** Token, revocation, tokeninfo and userinfo endpoints: https://developers.google.com/identity/protocols/oauth2/native-app#exchange-authorization-code. */
export function tokenRoutes({ store, clients, grants, further, now }: TokenRouteOptions): Hono {
  const app = new Hono()
  addTokenRoute<GoogleClient>(app, {
    path: '/token',
    grants,
    identifyClient: (form) => identifyClient(clients, form),
    further,
    answer: (_client, { accessToken, refreshToken, expiresIn, scopes }) => ({
      access_token: accessToken,
      expires_in: expiresIn,
      ...(refreshToken !== null && { refresh_token: refreshToken }),
      scope: scopes.join(' '),
      token_type: 'Bearer',
    }),
  })
  addPost(app, '/revoke', async (context, form) => {
    const token = form?.get('token') ?? context.req.query('token') ?? ''
    return (await grants.revoke(token)) ? context.json({}) : refuse(context, 'invalid_token', 'Token expired or revoked')
  })
  app.on(['GET', 'POST'], '/tokeninfo', (context) => {
    const active = grants.findAccessToken(context.req.query('access_token') ?? readBearerToken(context))
    return active === undefined
      ? refuse(context, 'invalid_token', 'Invalid Value')
      : context.json(tokenInfo(active, personOf(store, active), now()))
  })
  for (const path of ['/v1/userinfo', '/oauth2/v3/userinfo']) app.get(path, (context) => userInfo(context, grants, store))
  return app
}

function identifyClient(clients: readonly GoogleClient[], form: URLSearchParams): GoogleClient | OAuthError {
  const client = clients.find(({ id }) => id === form.get('client_id'))
  const refused = (error: string, description: string): OAuthError => ({ error, error_description: description })
  if (client === undefined) return refused('invalid_client', 'The OAuth client was not found.')
  const secret = form.get('client_secret') ?? ''
  if (client.secret !== undefined && secret === '') return refused('invalid_request', 'client_secret is missing.')
  const isRight = client.secret === undefined ? secret === '' : isClientSecret(client, secret)
  return isRight ? client : refused('invalid_client', 'The provided client secret is invalid.')
}

const readBearerToken = (context: Context) => (context.req.header('authorization') ?? '').replace(/^Bearer /, '')
const hasScope = ({ scopes }: ActiveToken, name: string) => scopes.some((scope) => scope.endsWith(`/userinfo.${name}`))
const subOf = ({ email }: GoogleAccount) => permissionIdFor(`account of ${email}`)

function personOf(store: Store, { person }: ActiveToken): GoogleAccount {
  const found = personById(store, person ?? firstViewer.id)
  if (found === undefined) throw new Error('OAuth grant refers to a missing person.')
  return found
}

/** All values are strings, as in Google's response. */
function tokenInfo(active: ActiveToken, person: GoogleAccount, now: number) {
  const { clientId, scopes, offline, expiresAt } = active
  return {
    azp: clientId,
    aud: clientId,
    ...(scopes.includes('openid') && { sub: subOf(person) }),
    scope: scopes.join(' '),
    exp: String(Math.floor(expiresAt / 1000)),
    expires_in: String(Math.floor((expiresAt - now) / 1000)),
    ...(hasScope(active, 'email') && { email: person.email, email_verified: 'true' }),
    access_type: offline ? 'offline' : 'online',
  }
}

/** https://openid.net/specs/openid-connect-core-1_0.html#UserInfo */
function userInfo(context: Context, grants: Grants, store: Store): Response {
  const active = grants.findAccessToken(readBearerToken(context))
  if (active === undefined) return context.json({ error: 'invalid_request', error_description: 'Invalid Credentials' }, 401)
  const [withEmail, withProfile] = [hasScope(active, 'email'), hasScope(active, 'profile')]
  if (!withEmail && !withProfile && !active.scopes.includes('openid')) {
    return context.json({ error: 'insufficient_scope', error_description: 'Request had insufficient authentication scopes.' }, 403)
  }
  const person = personOf(store, active)
  const [given = '', family = ''] = person.displayName.split(' ')
  return context.json({
    sub: subOf(person),
    ...(withProfile && { name: person.displayName, given_name: given, family_name: family }),
    ...(withEmail && { email: person.email, email_verified: true }),
  })
}

/** A Drive scope without the URL prefix. */
export type Scope = 'drive' | 'drive.readonly' | 'drive.file'

/** The person that a token identifies, and the token's scopes. */
export interface Caller {
  readonly viewer: Viewer
  readonly scopes: readonly Scope[]
  /** True if the caller sees only items that the app created or was given. */
  readonly onlyGranted: boolean
}

/** The access tokens that the API accepts. */
export interface TokenRegistry {
  /** The first person's tokens accepted from the start, each with its scopes. */
  readonly fixed: ReadonlyMap<string, readonly string[]>
  /** A token issued by OAuth; undefined if invalid. */
  readonly find: (token: string) => Pick<ActiveToken, 'scopes' | 'person'> | undefined
}

const scopePrefix = 'https://www.googleapis.com/auth/'
const knownScopes = ['drive', 'drive.readonly', 'drive.file'] as const

/** Authenticates a request: https://developers.google.com/workspace/drive/api/guides/api-specific-auth. */
export function identify(authorization: string | null, tokens: TokenRegistry, store: Store): Caller {
  if (authorization === null) throw noToken()
  let found: readonly string[] | undefined
  for (const [token, scopes] of tokens.fixed) {
    // Compare every token in full so that timing reveals nothing.
    if (isSameSecret(authorization, `Bearer ${token}`)) found = scopes
  }
  const [, token] = /^Bearer (.+)$/.exec(authorization) ?? []
  if (found !== undefined) return callerWithScopes(firstViewer, found)
  const active = token === undefined ? undefined : tokens.find(token)
  const viewer = active === undefined ? undefined : viewerOf(store, active.person)
  if (active === undefined || viewer === undefined) throw badToken()
  return callerWithScopes(viewer, active.scopes)
}

/** A caller with these scopes, with or without the URL prefix. */
export function callerWithScopes(viewer: Viewer, names: readonly string[]): Caller {
  const short = names.map((name) => (name.startsWith(scopePrefix) ? name.slice(scopePrefix.length) : name))
  const scopes = knownScopes.filter((scope) => short.includes(scope))
  return { viewer, scopes, onlyGranted: !scopes.includes('drive') && !scopes.includes('drive.readonly') }
}

/** Throws if the caller has none of these scopes. */
export function checkScope({ scopes }: Caller, wanted: readonly Scope[]): void {
  if (!wanted.some((scope) => scopes.includes(scope))) throw scopeMissing()
}

/** The only scope that a picker request may have. */
export const pickerScope = `${scopePrefix}drive.file`

/** Descriptions of scopes for the consent page. */
const scopeDescriptions: ReadonlyMap<string, string> = new Map([
  [`${scopePrefix}drive`, 'See, edit, create and delete all files in your drive'],
  [`${scopePrefix}drive.readonly`, 'See and download all files in your drive'],
  [pickerScope, 'See, edit, create and delete only the files that you use with it'],
  ['openid', 'Know who you are'],
  [`${scopePrefix}userinfo.email`, 'See your email address'],
  [`${scopePrefix}userinfo.profile`, 'See your name and picture'],
])

const toFullScope: ReadonlyMap<string, string> = new Map([
  ['email', `${scopePrefix}userinfo.email`],
  ['profile', `${scopePrefix}userinfo.profile`],
])

/** The description of a scope for the consent page. */
export const describeScope = (scope: string): string => scopeDescriptions.get(scope) ?? scope

/** True for scopes that a person may deselect; profile scopes are always granted. */
export const isOptionalScope = (scope: string): boolean => scope.startsWith(`${scopePrefix}drive`)

/** Parses a space-separated list of scopes; returns the first unknown one, if any. */
export function parseScopes(list: string): { readonly scopes: readonly string[] } | { readonly unknown: string } {
  const wanted = list.split(/ +/).filter((scope) => scope !== '')
  const scopes = wanted.map((scope) => toFullScope.get(scope) ?? scope)
  const unknown = scopes.find((scope) => !scopeDescriptions.has(scope))
  return unknown === undefined ? { scopes: [...new Set(scopes)] } : { unknown }
}
