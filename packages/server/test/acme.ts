import { text } from '../src/cli/options/option.ts'
import type { FileOption } from '../src/mcp/extension.ts'
import type { AccountConfig } from '../src/account/account.ts'
import type { Connection, Loaders, ServerDefinition } from '../src/mcp/definition.ts'

const notExpected = () => Promise.reject(new Error('Not expected here.'))

/** The account of a server that exists only in tests. */
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

/** Parts of every test server: no tools, and nothing to connect to. */
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
  upstream: () => ({ kind: 'embedded' }),
  load: { tools: () => Promise.resolve([]), connector: notExpected },
} satisfies ServerDefinition<never>

/** Loaders whose connector always provides this context. */
export const connecting =
  <Context>(context: Context, more: Partial<Connection<Context>> = {}): Loaders<Context>['connector'] =>
  () => {
    const connection = { context, status: () => Promise.resolve({}), close: () => Promise.resolve(), ...more }
    return Promise.resolve({ connect: () => connection, emulator: notExpected })
  }

/** A `call` option that takes a file, for the Get tool. */
export const fileOption = (name: string): FileOption => ({
  name,
  kind: text,
  help: 'the file of a book',
  tools: ['Get'],
  usage: [`call Get --${name} FILE`, 'moves a book'],
  toolHelp: 'Moves a book.',
  replaces: [],
  load: notExpected,
})
