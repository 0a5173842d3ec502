import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import Provider, { type Adapter, type AdapterPayload, type Configuration, type JWK } from 'oidc-provider'
import { answerSignIn, type KnownPerson } from './sign-in.ts'
import { createSigningKeys, type SigningKeys, signToken, type TokenOptions } from './signed-tokens.ts'

export type { KnownPerson } from './sign-in.ts'
export type { TokenOptions } from './signed-tokens.ts'

export interface IdentityProviderOptions {
  /** The company's people; by default the emulators' Robin Vance and Ada Okafor. */
  readonly people?: readonly KnownPerson[]
  /** The scopes that clients may ask for; by default, the scopes of all servers. */
  readonly scopes?: readonly string[]
  /** Our sign-in client's redirect addresses, besides `/connect/signed-in` on any loopback port. */
  readonly signInRedirects?: readonly string[]
  /** Gives each client a different subject for the same person, as Entra does. */
  readonly pairwise?: boolean
}

/** An OAuth client known to the provider. */
export interface KnownClient {
  readonly id: string
  /** Absent for a public client, which needs PKCE. */
  readonly secret?: string
}

/** A company's identity provider: OpenID Connect and OAuth 2.1 on the loopback address. */
export interface IdentityProvider extends AsyncDisposable {
  readonly issuer: string
  /** People who can sign in; removed people no longer can. */
  readonly people: Map<string, KnownPerson>
  /** The client with which our servers sign people in. */
  readonly signInClient: Required<KnownClient>
  /** The client for MCP programs, with `/callback` on any loopback port. */
  readonly mcpClient: KnownClient
  /** A program without a person, which gets tokens with its secret alone. */
  readonly serviceClient: Required<KnownClient>
  /** From now on, signs this person in without a page; undefined brings the page back. */
  readonly signIn: (subject: string | undefined) => void
  /** An access token as the provider would issue it. It need not be valid. */
  readonly tokenFor: (subject: string, options?: TokenOptions) => string
  /** Counts requests to a path, such as `/jwks`; to all paths if absent. */
  readonly requests: (path?: string) => number
  /** From now on, refuses connections. */
  readonly stop: () => Promise<void>
  /** Serves again, with the same keys and sessions at the same address. */
  readonly start: () => Promise<void>
}

const apps = ['file-storage', 'event-pipeline', 'issue-tracker']
const allScopes = apps.flatMap((app) => ['read', 'write', 'delete'].map((permission) => `${app}:${permission}`))
const robinAndAda: readonly KnownPerson[] = [
  { subject: 'robin', name: 'Robin Vance', email: 'robin.vance@lodestar.example' },
  { subject: 'ada', name: 'Ada Okafor', email: 'ada.okafor@lodestar.example' },
]
const hour = 3600

/** Starts an identity provider. Access tokens are JWTs for the resource that the client names. */
export async function startIdentityProvider(options: IdentityProviderOptions = {}): Promise<IdentityProvider> {
  const people = new Map((options.people ?? robinAndAda).map((person) => [person.subject, person]))
  const keys = await createSigningKeys()
  const server = createServer()
  const port = await listen(server, 0)
  const issuer = `http://127.0.0.1:${port}`
  const signInClient = { id: 'mcp-toolkits', secret: randomBytes(16).toString('base64url') }
  const mcpClient = { id: 'mcp-client' }
  const serviceClient = { id: 'triage-agent', secret: randomBytes(16).toString('base64url') }
  const provider = new Provider(issuer, configurationOf({ ...options, people, keys, signInClient, mcpClient, serviceClient }))
  const handle = provider.callback()
  const counts = new Map<string, number>()
  let automatic: string | undefined
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const [path = ''] = (request.url ?? '').split('?')
    counts.set(path, (counts.get(path) ?? 0) + 1)
    if (!path.startsWith('/interaction/')) return handle(request, response)
    return answerSignIn(request, response, { provider, people, automatic: () => automatic })
  }
  server.on('request', (request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.writeHead(400, { 'content-type': 'text/plain' }).end(String(error))
    })
  })
  const stop = async () => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }
  return {
    issuer,
    people,
    signInClient,
    mcpClient,
    serviceClient,
    signIn(subject) {
      automatic = subject
    },
    tokenFor: (subject, token = {}) => signToken(tokenOf({ issuer, subject, person: people.get(subject), keys }, token), keys),
    requests: (path) => (path === undefined ? [...counts.values()].reduce((sum, count) => sum + count, 0) : (counts.get(path) ?? 0)),
    stop,
    async start() {
      if (!server.listening) await listen(server, port)
    },
    [Symbol.asyncDispose]: stop,
  }
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('The server is not listening on a port.')
  return address.port
}

interface TokenSource {
  readonly issuer: string
  readonly subject: string
  readonly person: KnownPerson | undefined
  readonly keys: SigningKeys
}

/** The header and the claims of an access token: https://www.rfc-editor.org/rfc/rfc9068. */
function tokenOf({ issuer, subject, person, keys }: TokenSource, options: TokenOptions) {
  const { audience, scopes = [], clientId = 'mcp-client', lifetime = hour, header, claims } = options
  const now = Math.floor(Date.now() / 1000)
  return {
    header: { alg: 'RS256', typ: 'at+jwt', kid: keys.keyId, ...header },
    claims: {
      ...person?.claims,
      ...{ iss: issuer, sub: subject, aud: audience, client_id: clientId, scope: scopes.join(' '), jti: randomUUID() },
      ...{ iat: now, exp: now + lifetime },
      ...claims,
    },
  }
}

type ConfigurationOptions = Pick<IdentityProvider, 'people' | 'signInClient' | 'mcpClient' | 'serviceClient'> &
  Pick<IdentityProviderOptions, 'scopes' | 'signInRedirects' | 'pairwise'> & { readonly keys: SigningKeys }

function configurationOf(options: ConfigurationOptions): Configuration {
  const { people, keys, scopes = allScopes, pairwise = false } = options
  const key: JWK = { ...keys.privateKey.export({ format: 'jwk' }), kty: 'RSA', kid: keys.keyId, use: 'sig', alg: 'RS256' }
  return {
    adapter: openRecords(),
    clients: clientsOf(options),
    jwks: { keys: [key] },
    cookies: { keys: [randomBytes(16).toString('base64url')] },
    scopes: ['openid', 'offline_access'],
    claims: { openid: ['sub', ...extraClaims(people)], email: ['email'], profile: ['name'] },
    // Access tokens carry the same claims as ID tokens, so that both name the same person.
    extraTokenClaims: (_context, token) => ('accountId' in token ? people.get(token.accountId)?.claims : undefined),
    conformIdTokenClaims: false,
    subjectTypes: pairwise ? ['pairwise'] : ['public'],
    ...(pairwise && { pairwiseIdentifier: (_context, accountId, { clientId }) => `${accountId} of ${clientId}` }),
    findAccount(_context, subject) {
      const person = people.get(subject)
      if (!person) return undefined
      const { name, email, claims } = person
      return { accountId: subject, claims: () => ({ sub: subject, name, email, ...claims }) }
    },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context, resource) => ({
          scope: scopes.join(' '),
          audience: resource,
          accessTokenFormat: 'jwt',
          accessTokenTTL: hour,
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
    ttl: {
      AccessToken: hour,
      ClientCredentials: hour,
      IdToken: hour,
      Interaction: hour,
      Session: hour,
      Grant: hour,
      RefreshToken: 24 * hour,
    },
    renderError(context, { error, error_description: description }) {
      context.type = 'text/plain'
      context.body = `${error}: ${description ?? ''}`
    },
  }
}

const extraClaims = (people: ReadonlyMap<string, KnownPerson>) => [
  ...new Set([...people.values()].flatMap(({ claims = {} }) => Object.keys(claims))),
]

/** Clients with redirect addresses count as native applications, which may use any loopback port. */
function clientsOf({
  signInClient,
  mcpClient,
  serviceClient,
  signInRedirects = [],
  pairwise = false,
}: ConfigurationOptions): Configuration['clients'] {
  // Clients with redirect addresses on several hosts would need a sector identifier for pairwise subjects.
  const hosts = pairwise ? ['127.0.0.1'] : ['127.0.0.1', 'localhost']
  const onLoopback = (path: string) => hosts.map((host) => `http://${host}${path}`)
  return [
    {
      client_id: signInClient.id,
      client_secret: signInClient.secret,
      application_type: 'native',
      redirect_uris: [...onLoopback('/connect/signed-in'), ...signInRedirects],
      grant_types: ['authorization_code'],
    },
    {
      client_id: mcpClient.id,
      token_endpoint_auth_method: 'none',
      application_type: 'native',
      redirect_uris: onLoopback('/callback'),
      grant_types: ['authorization_code', 'refresh_token'],
    },
    {
      client_id: serviceClient.id,
      client_secret: serviceClient.secret,
      redirect_uris: [],
      response_types: [],
      grant_types: ['client_credentials'],
    },
  ]
}

/** Opens a provider's storage, in memory. */
export function openRecords(): (model: string) => Adapter {
  const records = new Map<string, AdapterPayload>()
  const done = Promise.resolve()
  return (model) => {
    const find = (matches: (payload: AdapterPayload) => boolean) =>
      Promise.resolve([...records].find(([key, payload]) => key.startsWith(`${model} `) && matches(payload))?.[1])
    return {
      upsert(id, payload) {
        records.set(`${model} ${id}`, payload)
        return done
      },
      find: (id) => Promise.resolve(records.get(`${model} ${id}`)),
      findByUid: (uid) => find((payload) => payload.uid === uid),
      findByUserCode: (userCode) => find((payload) => payload.userCode === userCode),
      consume(id) {
        const found = records.get(`${model} ${id}`)
        if (found) records.set(`${model} ${id}`, { ...found, consumed: Math.floor(Date.now() / 1000) })
        return done
      },
      destroy(id) {
        records.delete(`${model} ${id}`)
        return done
      },
      revokeByGrantId(grantId) {
        for (const [key, payload] of records) if (key.startsWith(`${model} `) && payload.grantId === grantId) records.delete(key)
        return done
      },
    }
  }
}
