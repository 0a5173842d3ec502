import { addPost, addTokenRoute, isClientSecret, refuse, type Grants } from '@mcp-toolkits/emulator/oauth'
import { Hono } from 'hono'
import type { OAuthClient } from './oauth-clients.ts'

/** What the endpoints for tokens work on. */
export interface Issuing {
  readonly clients: readonly OAuthClient[]
  readonly grants: Grants
}

/** The endpoints that programs call: form-encoded, answered in JSON: linear.md §3.6. */
export function tokenRoutes({ clients, grants }: Issuing): Hono {
  const app = new Hono()
  addTokenRoute<OAuthClient>(app, {
    path: '/oauth/token',
    grants,
    disabled: ['client_credentials'],
    identifyClient(form) {
      const client = clients.find(({ id }) => id === form.get('client_id'))
      const isKnown = client !== undefined && isClientSecret(client, form.get('client_secret'))
      return isKnown ? client : { error: 'invalid_client', error_description: 'client_id or client_secret is wrong.' }
    },
    answer: ({ scopesAsArray = false }, { accessToken, refreshToken, expiresIn, scopes }) => ({
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: expiresIn,
      scope: scopesAsArray ? scopes : scopes.join(' '),
      refresh_token: refreshToken,
    }),
  })
  addPost(app, '/oauth/revoke', (context, form) => {
    const token = form?.get('token') ?? ''
    if (token === '') return refuse(context, 'invalid_request', 'token must be given, as application/x-www-form-urlencoded.')
    grants.revoke(token)
    return context.json({})
  })
  return app
}
