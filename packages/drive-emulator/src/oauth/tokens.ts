import {
  addPost,
  addTokenRoute,
  type Grants,
  type ActiveToken,
  isClientSecret,
  type RegisteredClient,
  type OAuthError,
  refuse,
} from '@mcp-toolkits/emulator/oauth'
import { type Context, Hono } from 'hono'
import { permissionIdFor } from '../ids.ts'
import { viewer } from '../people.ts'

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

/** Whether a client may be redirected to this URI. */
export function isAllowedRedirect(client: GoogleClient, address: string): boolean {
  if (client.kind === 'web') return client.redirectUris.includes(address)
  const url = URL.parse(address)
  const isBare = url?.username === '' && url.password === '' && !address.includes('#')
  return isBare && url.protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname)
}

/** What the token endpoints depend on. */
export interface TokenRouteOptions {
  readonly clients: readonly GoogleClient[]
  readonly grants: Grants
  readonly now: () => number
}

/** Token, revocation, tokeninfo and userinfo endpoints: https://developers.google.com/identity/protocols/oauth2/native-app#exchange-authorization-code. */
export function tokenRoutes({ clients, grants, now }: TokenRouteOptions): Hono {
  const app = new Hono()
  addTokenRoute<GoogleClient>(app, {
    path: '/token',
    grants,
    identifyClient: (form) => identify(clients, form),
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
    return active === undefined ? refuse(context, 'invalid_token', 'Invalid Value') : context.json(tokenInfo(active, now()))
  })
  for (const path of ['/v1/userinfo', '/oauth2/v3/userinfo']) app.get(path, (context) => userInfo(context, grants))
  return app
}

function identify(clients: readonly GoogleClient[], form: URLSearchParams): GoogleClient | OAuthError {
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
const sub = permissionIdFor(`account of ${viewer.email}`)

/** All values are strings, as at Google. */
function tokenInfo(active: ActiveToken, now: number) {
  const { clientId, scopes, offline, expiresAt } = active
  return {
    azp: clientId,
    aud: clientId,
    ...(scopes.includes('openid') && { sub }),
    scope: scopes.join(' '),
    exp: String(Math.floor(expiresAt / 1000)),
    expires_in: String(Math.floor((expiresAt - now) / 1000)),
    ...(hasScope(active, 'email') && { email: viewer.email, email_verified: 'true' }),
    access_type: offline ? 'offline' : 'online',
  }
}

/** https://openid.net/specs/openid-connect-core-1_0.html#UserInfo */
function userInfo(context: Context, grants: Grants): Response {
  const active = grants.findAccessToken(readBearerToken(context))
  if (active === undefined) return context.json({ error: 'invalid_request', error_description: 'Invalid Credentials' }, 401)
  const [withEmail, withProfile] = [hasScope(active, 'email'), hasScope(active, 'profile')]
  if (!withEmail && !withProfile && !active.scopes.includes('openid')) {
    return context.json({ error: 'insufficient_scope', error_description: 'Request had insufficient authentication scopes.' }, 403)
  }
  const [given = '', family = ''] = viewer.displayName.split(' ')
  return context.json({
    sub,
    ...(withProfile && { name: viewer.displayName, given_name: given, family_name: family }),
    ...(withEmail && { email: viewer.email, email_verified: true }),
  })
}
