import { describe, expect, it } from 'vitest'
import { acme, acmeServer } from '../../../server/test/acme.ts'
import { UsageError } from '../../../server/src/cli/command.ts'
import { readCommandLine } from '../../../server/src/cli/options/command-line.ts'
import { readPeopleOptions } from './people-options.ts'

type Environment = Readonly<Record<string, string>>

const accounts = { ...acmeServer, account: acme }
const keys = { ...acmeServer, extensions: [{ key: { variable: 'ACME_API_KEY' } }] }
const issuer = { MCP_TOOLKITS_ISSUER: 'https://id.example/realms/acme' }
const base = { ...issuer, MCP_TOOLKITS_PUBLIC_URL: 'https://acme.example', MCP_TOOLKITS_SIGN_IN_CLIENT_ID: 'acme-server' }
const complete = { ...base, ACME_CLIENT_ID: 'client' }
const deployment = { ...issuer, MCP_TOOLKITS_PUBLIC_URL: 'https://acme.example', ACME_API_KEY: 'canary-key' }

async function read(
  environment: Environment,
  { args = [], definition = accounts }: { args?: string[]; definition?: typeof accounts | typeof keys } = {},
) {
  return readPeopleOptions(definition, await readCommandLine(['http', ...args], environment))
}

describe('the options of people', () => {
  it('are absent without an issuer', async () => {
    expect(await read({})).toBeUndefined()
  })

  it('have defaults', async () => {
    expect(await read(complete)).toMatchObject({
      issuer: 'https://id.example/realms/acme',
      publicUrl: 'https://acme.example',
      audiences: ['https://acme.example/mcp'],
      scopeNames: { read: 'acme:read', write: 'acme:write', delete: 'acme:delete' },
      subjectClaim: 'sub',
      accounts: { kind: 'person', signIn: { clientId: 'acme-server' }, vendor: { target: { client: { id: 'client' } } } },
    })
  })

  it('can be given as options, with a slash at the end of an origin and of an issuer', async () => {
    const args = ['--issuer', 'http://localhost:8080/', '--public-url', 'http://127.0.0.1:3000/', '--audience', 'api://acme, acme']
    expect(await read({ ...complete, MCP_TOOLKITS_SCOPES: 'write=acme.all', MCP_TOOLKITS_SUBJECT_CLAIM: 'oid' }, { args })).toMatchObject({
      issuer: 'http://localhost:8080/',
      publicUrl: 'http://127.0.0.1:3000',
      audiences: ['api://acme', 'acme'],
      scopeNames: { read: 'acme:read', write: 'acme.all', delete: 'acme:delete' },
      subjectClaim: 'oid',
    })
  })

  it('name the client with which people sign in if the server issues the tokens', async () => {
    const option = { args: ['--authorization-server'] }
    expect(await read(complete)).toMatchObject({ authorizationServer: undefined })
    expect(await read(complete, option)).toMatchObject({ authorizationServer: { clientId: 'acme-server' } })
    const shared = { ...deployment, MCP_TOOLKITS_SIGN_IN_CLIENT_ID: 'acme-server', MCP_TOOLKITS_AUTHORIZATION_SERVER: '1' }
    expect(await read(shared, { definition: keys })).toMatchObject({
      authorizationServer: { clientId: 'acme-server' },
      accounts: { kind: 'deployment' },
    })
  })

  it('name one key for all people, or pages where each person enters a key', async () => {
    expect((await read(deployment, { definition: keys }))?.accounts).toEqual({ kind: 'deployment' })
    const own = { ...base, MCP_TOOLKITS_KEYS: 'person', MCP_TOOLKITS_SIGN_IN_CLIENT_SECRET: 'canary-secret' }
    const options = await read(own, { definition: keys })
    expect(options?.accounts).toMatchObject({ kind: 'person', signIn: { clientId: 'acme-server' } })
    expect(JSON.stringify(options)).not.toContain('canary')
  })
})

const refusals: readonly (readonly [title: string, environment: Environment, args: string[], says: RegExp])[] = [
  ['a public URL alone', { MCP_TOOLKITS_PUBLIC_URL: 'https://acme.example' }, [], /--public-url .* requires --issuer, which is not given/],
  ['an audience alone', {}, ['--audience', 'x'], /--audience \(MCP_TOOLKITS_AUDIENCE\) requires --issuer/],
  [
    'an authorization server alone',
    {},
    ['--authorization-server'],
    /--authorization-server \(MCP_TOOLKITS_AUTHORIZATION_SERVER\) requires --issuer/,
  ],
  [
    'an authorization server for others',
    complete,
    ['--authorization-server', '--audience', 'x'],
    /--authorization-server cannot be combined with --audience.*acme\.example\/mcp/,
  ],
  ['an empty issuer', { ...complete, MCP_TOOLKITS_ISSUER: '', MCP_TOOLKITS_PUBLIC_URL: '' }, [], /MCP_TOOLKITS_ISSUER is empty/],
  ['no public URL', issuer, [], /--issuer needs --public-url/],
  ['an issuer without https', { ...complete, MCP_TOOLKITS_ISSUER: 'http://id.example' }, [], /MCP_TOOLKITS_ISSUER must be an https URL/],
  ['an issuer that is no URL', complete, ['--issuer', 'id.example'], /--issuer must be an https URL/],
  ['an issuer with a query', complete, ['--issuer', 'https://id.example/?x'], /--issuer must be an https URL/],
  ['a public URL without https', complete, ['--public-url', 'http://acme.example'], /--public-url must be an https URL without a path/],
  ['a public URL with a path', complete, ['--public-url', 'https://acme.example/mcp'], /--public-url must be an https URL without a path/],
  [
    'a public URL with a password',
    complete,
    ['--public-url', 'https://a:b@acme.example'],
    /--public-url must be an https URL without a path/,
  ],
  ['an empty audience', complete, ['--audience', ' , '], /--audience must be comma-separated values/],
  [
    'a shared token',
    { ...complete, MCP_TOOLKITS_HTTP_TOKEN: 'canary-token-0123456789abcdefghij' },
    [],
    /cannot be combined with MCP_TOOLKITS_HTTP_TOKEN/,
  ],
  ['the embedded default', complete, ['--embedded'], /cannot be combined with --embedded/],
  ['its variable', { ...complete, MCP_TOOLKITS_EMBEDDED: '1' }, [], /cannot be combined with --embedded/],
  ['a profile', complete, ['--profile', 'work'], /cannot be combined with --profile.*\/mcp\/<name>/],
  ['a credential of the vendor', { ...complete, ACME_API_KEY: 'canary-key' }, [], /cannot be combined with ACME_API_KEY/],
  [
    'no client at the vendor',
    base,
    [],
    /needs ACME_CLIENT_ID.*web application.*https:\/\/acme\.example\/connect\/callback\. Acme registers it for you\.$/m,
  ],
  [
    'no client at the identity provider',
    { ...complete, MCP_TOOLKITS_SIGN_IN_CLIENT_ID: '' },
    [],
    /_SIGN_IN_CLIENT_ID.*\/connect\/signed-in/,
  ],
  ['a placeholder for it', { ...complete, MCP_TOOLKITS_SIGN_IN_CLIENT_ID: '${ID}' }, [], /still holds a placeholder/],
  ['a permission that does not exist', { ...complete, MCP_TOOLKITS_SCOPES: 'admin=x' }, [], /MCP_TOOLKITS_SCOPES must be read=/],
  ['a permission without a scope', { ...complete, MCP_TOOLKITS_SCOPES: 'read=' }, [], /MCP_TOOLKITS_SCOPES must be read=/],
  ['a scope with a blank', { ...complete, MCP_TOOLKITS_SCOPES: 'read=a b' }, [], /MCP_TOOLKITS_SCOPES must be read=/],
  ['one scope for two permissions', { ...complete, MCP_TOOLKITS_SCOPES: 'delete=acme:read' }, [], /must name three different scopes/],
  ['a permission with two scopes', { ...complete, MCP_TOOLKITS_SCOPES: 'read=a,read=b' }, [], /MCP_TOOLKITS_SCOPES must be read=/],
]

const keyRefusals: typeof refusals = [
  ['no key for all people', base, [], /needs ACME_API_KEY.*MCP_TOOLKITS_KEYS=person/],
  [
    'a key for all where each enters one',
    { ...deployment, ...base, MCP_TOOLKITS_KEYS: 'person' },
    [],
    /cannot be combined with ACME_API_KEY/,
  ],
  ['an authorization server without a client', deployment, ['--authorization-server'], /_SIGN_IN_CLIENT_ID.*\/connect\/signed-in/],
  ['keys of neither kind', { ...deployment, MCP_TOOLKITS_KEYS: 'team' }, [], /must be deployment or person, not "team"/],
  [
    'no client at the identity provider',
    { ...base, MCP_TOOLKITS_SIGN_IN_CLIENT_ID: '', MCP_TOOLKITS_KEYS: 'person' },
    [],
    /_SIGN_IN_CLIENT_ID/,
  ],
]

async function expectRefusal(definition: typeof accounts | typeof keys, environment: Environment, args: string[]) {
  const error: unknown = await read(environment, { args, definition }).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(UsageError)
  return String(error)
}

describe('a server to whose vendor people sign in is not started with', () => {
  it.each(refusals)('%s', async (_, environment, args, says) => {
    const message = await expectRefusal(accounts, environment, args)
    expect(message).toMatch(says)
    expect(message).not.toContain('canary')
  })
})

describe('a server with keys is not started with', () => {
  it.each(keyRefusals)('%s', async (_, environment, args, says) => {
    const message = await expectRefusal(keys, environment, args)
    expect(message).toMatch(says)
    expect(message).not.toContain('canary')
  })
})
