import { createHash, timingSafeEqual } from 'node:crypto'
import { Hono, type Context, type MiddlewareHandler } from 'hono'
import type { Grants, TokenPair } from './grants.ts'
import type { OAuthClient } from './oauth-clients.ts'

/** What the endpoints for tokens work on. */
export interface Issuing {
  readonly clients: readonly OAuthClient[]
  readonly grants: Grants
}

/** The endpoints that programs call: form-encoded, answered in JSON: linear.md §3.6. */
export function tokenRoutes({ clients, grants }: Issuing): Hono {
  const app = new Hono()
  app.use('/oauth/token', uncached)
  app.use('/oauth/revoke', uncached)
  app.post('/oauth/token', async (context) => {
    const form = await formOf(context)
    if (form === undefined) return refused(context, 'invalid_request', 'The body must be application/x-www-form-urlencoded.')
    const client = clients.find(({ id }) => id === form.get('client_id'))
    if (client === undefined || !knowsSecret(client, form.get('client_secret'))) {
      return refused(context, 'invalid_client', 'client_id or client_secret is wrong.')
    }
    const kind = form.get('grant_type') ?? ''
    if (kind === 'client_credentials')
      return refused(context, 'unauthorized_client', 'client_credentials is not enabled for this application.')
    const wants = wanted.get(kind)
    if (wants === undefined) return refused(context, 'unsupported_grant_type', 'grant_type must be authorization_code or refresh_token.')
    const missing = wants.filter((name) => (form.get(name) ?? '') === '')
    if (missing.length > 0) return refused(context, 'invalid_request', `${missing.join(' and ')} must be given.`)
    const pair = redeem(grants, client, form)
    if (pair === undefined)
      return refused(context, 'invalid_grant', 'The code or token is used up, expired, revoked or of another request.')
    return context.json(answerFor(client, pair))
  })
  app.post('/oauth/revoke', async (context) => {
    const form = await formOf(context)
    const token = form?.get('token') ?? ''
    if (token === '') return refused(context, 'invalid_request', 'token must be given, as application/x-www-form-urlencoded.')
    grants.revoke(token)
    return context.json({})
  })
  app.all('/oauth/token', onlyPost)
  app.all('/oauth/revoke', onlyPost)
  return app
}

const onlyPost = (context: Context) => context.text('Method Not Allowed', 405, { allow: 'POST' })

const uncached: MiddlewareHandler = async (context, next) => {
  await next()
  context.header('cache-control', 'no-store')
}

/** What each kind of grant must present. */
const wanted: ReadonlyMap<string, readonly string[]> = new Map([
  ['authorization_code', ['code', 'redirect_uri']],
  ['refresh_token', ['refresh_token']],
])

function redeem(grants: Grants, { id: clientId }: OAuthClient, form: URLSearchParams): TokenPair | undefined {
  if (form.get('grant_type') === 'refresh_token') return grants.refresh(form.get('refresh_token') ?? '', clientId)
  return grants.redeem({
    code: form.get('code') ?? '',
    clientId,
    redirectUri: form.get('redirect_uri') ?? '',
    verifier: form.get('code_verifier') ?? undefined,
  })
}

const answerFor = ({ scopesAsArray = false }: OAuthClient, { accessToken, refreshToken, expiresIn, scopes }: TokenPair) => ({
  access_token: accessToken,
  token_type: 'Bearer',
  expires_in: expiresIn,
  scope: scopesAsArray ? scopes : scopes.join(' '),
  refresh_token: refreshToken,
})

async function formOf({ req }: Context): Promise<URLSearchParams | undefined> {
  const isForm = /^application\/x-www-form-urlencoded\s*(;|$)/i.test(req.header('content-type') ?? '')
  return isForm ? new URLSearchParams(await req.text()) : undefined
}

function knowsSecret({ secret }: OAuthClient, given: string | null): boolean {
  return secret === undefined || (given !== null && timingSafeEqual(sha256(given), sha256(secret)))
}

const sha256 = (value: string) => createHash('sha256').update(value).digest()

function refused(context: Context, error: string, description: string) {
  return context.json({ error, error_description: description }, error === 'invalid_client' ? 401 : 400)
}
