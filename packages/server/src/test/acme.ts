import type { AccountConfig } from '@mcp-toolkits/auth/account'

/** The account of a server that exists in tests only. */
export const acme: AccountConfig = {
  server: 'acme',
  api: { url: 'https://api.acme.example', variable: 'ACME_API_URL' },
  credentials: [{ variable: 'ACME_API_KEY', noun: 'key' }],
  provider: {
    name: 'Acme',
    endpoints: {
      authorization: 'https://acme.example/authorize',
      token: 'https://acme.example/token',
      revocation: 'https://acme.example/revoke',
    },
    scopeSeparator: ' ',
    scopes: { default: ['read'] },
  },
  variables: { clientId: 'ACME_CLIENT_ID', authUrl: 'ACME_AUTH_URL' },
  registration: 'Acme gives it to you.',
  whoAmI: () => Promise.reject(new Error('Not expected here.')),
  scopeExempt: [],
}
