import type { AccountConfig } from '@mcp-toolkits/server/account'
import { Secret } from '@mcp-toolkits/core/upstream'

/** The API key of the built-in emulator; nothing else accepts it. */
export const embeddedKey = new Secret('lin_api_embedded', { isRedacted: false })

/** Environment variables for credentials, by prefix. */
const prefixes = { lin_api_: 'ISSUE_TRACKER_API_KEY', lin_oauth_: 'ISSUE_TRACKER_ACCESS_TOKEN' } as const

/** Account access to Linear. OAuth: https://linear.app/developers/oauth-2-0-authentication */
export const account: AccountConfig = {
  server: 'issue-tracker',
  // https://linear.app/developers/graphql
  api: {
    url: 'https://api.linear.app/graphql',
    variable: 'ISSUE_TRACKER_API_URL',
    // https://linear.app/developers/file-storage-authentication
    files: 'https://uploads.linear.app',
  },
  // A personal key goes into the header as is: https://linear.app/developers/graphql#authentication
  credentials: [
    { variable: 'ISSUE_TRACKER_API_KEY', noun: 'key', prefixes },
    { variable: 'ISSUE_TRACKER_ACCESS_TOKEN', noun: 'token', scheme: 'Bearer', prefixes },
  ],
  provider: {
    name: 'Linear',
    endpoints: {
      authorization: 'https://linear.app/oauth/authorize',
      token: 'https://api.linear.app/oauth/token',
      revocation: 'https://api.linear.app/oauth/revoke',
    },
    // A used refresh token is accepted again for 30 minutes: https://linear.app/developers/oauth-2-0-authentication
    canRepeatRefresh: true,
    revokesOneGrant: true,
    scopeSeparator: ',',
    scopes: {
      default: ['read', 'write', 'initiative:read', 'initiative:write'],
      always: ['read'],
      includes: { write: ['issues:create', 'comments:create'] },
    },
    // Without this, a person who has consented before does not see newly requested scopes.
    authorizationParameters: { prompt: 'consent' },
    redirectPath: '/callback',
  },
  variables: {
    clientId: 'ISSUE_TRACKER_CLIENT_ID',
    clientSecret: 'ISSUE_TRACKER_CLIENT_SECRET',
    authUrl: 'ISSUE_TRACKER_AUTH_URL',
  },
  registration:
    'It is the client id of an OAuth application, which you register in Linear (Settings, API) with the redirect address http://127.0.0.1/callback; if Linear requires a port in the address, choose one and pass it with --port.',
  webRegistration: 'Create it in Linear (Settings, API).',
  whoAmI: async (api, signal) => (await import('./linear/workspace.ts')).whoAmIAt(api, signal),
  scopeExempt: ['WhoAmI'],
}
