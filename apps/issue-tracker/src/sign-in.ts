import type { SignIn } from '@mcp-toolkits/server'
import { apiUrlFrom } from '@mcp-toolkits/server/account-source'
import { source } from './upstream.ts'

/** How people sign in to Linear: https://linear.app/developers/oauth-2-0-authentication */
export const signIn: SignIn = {
  provider: {
    name: 'Linear',
    endpoints: {
      authorization: 'https://linear.app/oauth/authorize',
      token: 'https://api.linear.app/oauth/token',
      revocation: 'https://api.linear.app/oauth/revoke',
    },
    scopeSeparator: ',',
    scopes: {
      asked: ['read', 'write', 'initiative:read', 'initiative:write'],
      always: ['read'],
      within: { write: ['issues:create', 'comments:create'] },
    },
    // Without it, whoever has consented before is not shown what is asked for now.
    parameters: { prompt: 'consent' },
    redirectPath: '/callback',
  },
  variables: {
    clientId: 'ISSUE_TRACKER_CLIENT_ID',
    clientSecret: 'ISSUE_TRACKER_CLIENT_SECRET',
    authUrl: 'ISSUE_TRACKER_AUTH_URL',
    before: ['ISSUE_TRACKER_API_KEY', 'ISSUE_TRACKER_ACCESS_TOKEN'],
  },
  registration:
    'It is the client id of an OAuth application, which you register in Linear (Settings, API) with the redirect address http://127.0.0.1/callback; where Linear wants a port in it, choose one and give it with --port.',
  apiUrl: (settings, otherwise) => apiUrlFrom(source, settings, otherwise),
  whoAmI: async (api, signal) => (await import('./connect.ts')).whoIsAt(api, signal),
  neverRefused: ['WhoAmI'],
}
