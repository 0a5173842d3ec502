import type { AccountConfig, OAuthProvider } from '../../src/account/account.ts'

/** A provider without peculiarities. */
export const acme: OAuthProvider = {
  name: 'Acme',
  endpoints: {
    authorization: 'https://acme.example/authorize',
    token: 'https://acme.example/token',
    revocation: 'https://acme.example/revoke',
  },
  scopeSeparator: ' ',
  scopes: { default: ['read'] },
}

export const acmeAccount: AccountConfig = {
  server: 'acme',
  api: { url: 'https://api.acme.example', variable: 'ACME_API_URL' },
  credentials: [
    { variable: 'ACME_API_KEY', noun: 'key' },
    { variable: 'ACME_ACCESS_TOKEN', noun: 'token', scheme: 'Bearer' },
  ],
  provider: acme,
  variables: { clientId: 'ACME_CLIENT_ID', authUrl: 'ACME_AUTH_URL' },
  registration: 'Acme gives it to you.',
  webRegistration: 'Acme registers it for you.',
  whoAmI: () => Promise.resolve({ account: 'Ada' }),
  scopeExempt: [],
}
