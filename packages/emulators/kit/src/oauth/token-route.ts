import type { Context, Hono, MiddlewareHandler } from 'hono'
import type { RegisteredClient, OAuthError } from './consent.ts'
import type { Grants, IssuedTokens } from './grants.ts'

/** Options in which vendors' token endpoints differ. */
export interface TokenEndpoint<C extends RegisteredClient> {
  readonly path: string
  readonly grants: Grants
  readonly identifyClient: (form: URLSearchParams) => C | OAuthError
  readonly answer: (client: C, issued: IssuedTokens) => object
  /** More grant types, each with its own authentication. */
  readonly further?: Readonly<Record<string, (context: Context, form: URLSearchParams) => Promise<Response>>>
  /** Grant types that are refused, because they need the vendor's permission. */
  readonly disabled?: readonly string[]
}

const requiredParameters: ReadonlyMap<string, readonly string[]> = new Map([
  ['authorization_code', ['code', 'redirect_uri']],
  ['refresh_token', ['refresh_token']],
])

/** Adds a token endpoint: form-encoded request, JSON response. */
export function addTokenRoute<C extends RegisteredClient>(
  app: Hono,
  { path, grants, identifyClient, answer, further = {}, disabled = [] }: TokenEndpoint<C>,
): void {
  addPost(app, path, async (context, form) => {
    if (form === undefined) return refuse(context, 'invalid_request', 'The body must be application/x-www-form-urlencoded.')
    const kind = form.get('grant_type') ?? ''
    const other = Object.hasOwn(further, kind) ? further[kind] : undefined
    if (other) return other(context, form)
    const client = identifyClient(form)
    if ('error' in client) return refuse(context, client.error, client.error_description)
    if (disabled.includes(kind)) return refuse(context, 'unauthorized_client', `${kind} is not enabled for this application.`)
    const wants = requiredParameters.get(kind)
    if (wants === undefined) return refuse(context, 'unsupported_grant_type', 'grant_type must be authorization_code or refresh_token.')
    const missing = wants.filter((name) => (form.get(name) ?? '') === '')
    if (missing.length > 0) return refuse(context, 'invalid_request', `${missing.join(' and ')} must be given.`)
    const issued = await redeem(grants, client.id, form)
    if (issued === undefined) {
      return refuse(context, 'invalid_grant', 'The code or token has been used, has expired, was revoked, or belongs to another request.')
    }
    return context.json(answer(client, issued))
  })
}

function redeem(grants: Grants, clientId: string, form: URLSearchParams): Promise<IssuedTokens | undefined> {
  if (form.get('grant_type') === 'refresh_token') return grants.refresh(form.get('refresh_token') ?? '', clientId)
  return grants.redeem({
    code: form.get('code') ?? '',
    clientId,
    redirectUri: form.get('redirect_uri') ?? '',
    verifier: form.get('code_verifier') ?? undefined,
  })
}

/** Adds an endpoint for form posts, whose responses must not be cached; the form is undefined for any other content type. */
export function addPost(
  app: Hono,
  path: string,
  answer: (context: Context, form: URLSearchParams | undefined) => Response | Promise<Response>,
): void {
  app.use(path, noStore)
  app.post(path, async (context) => {
    const isForm = /^application\/x-www-form-urlencoded\s*(;|$)/i.test(context.req.header('content-type') ?? '')
    return answer(context, isForm ? new URLSearchParams(await context.req.text()) : undefined)
  })
  app.all(path, (context) => context.text('Method Not Allowed', 405, { allow: 'POST' }))
}

const noStore: MiddlewareHandler = async (context, next) => {
  await next()
  context.header('cache-control', 'no-store')
}

/** An error response: https://www.rfc-editor.org/rfc/rfc6749#section-5.2. */
export function refuse(context: Context, error: string, description: string): Response {
  return context.json({ error, error_description: description }, error === 'invalid_client' ? 401 : 400)
}
