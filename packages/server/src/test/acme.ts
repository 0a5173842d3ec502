import type { AccountConfig } from '../account/account.ts'
import type { ServerDefinition } from '../mcp/definition.ts'

const notExpected = () => Promise.reject(new Error('Not expected here.'))

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
  webRegistration: 'Acme registers it for you.',
  whoAmI: notExpected,
  scopeExempt: [],
}

/** Parts of every server of the tests: no tools, and nothing to connect to. */
export const acmeServer = {
  name: 'acme',
  title: 'Acme',
  version: '1.0.0',
  prefix: 'Acme',
  shortName: 'acme',
  vendor: 'Acme',
  instructions: 'Tools of Acme.',
  connectHint: 'Set ACME_API_KEY.',
  listedTools: [],
  loadTools: () => Promise.resolve([]),
  upstream: () => ({ kind: 'embedded' }),
  connect: notExpected,
  emulator: notExpected,
} satisfies ServerDefinition<never>
