import type { Provider } from '@mcp-toolkits/core/accounts'

/** A provider that is nobody. */
export const acme: Provider = {
  name: 'Acme',
  endpoints: {
    authorization: 'https://acme.example/authorize',
    token: 'https://acme.example/token',
    revocation: 'https://acme.example/revoke',
  },
  scopeSeparator: ' ',
  scopes: { asked: ['read'] },
}
