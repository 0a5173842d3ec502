import { createHash } from 'node:crypto'
import { inspect } from 'node:util'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { describe, expect, it } from 'vitest'
import { type Fetch, Secret } from '@mcp-toolkits/core/upstream'
import type { OAuthProvider } from '../account.ts'
import { authorizationUrl, newAuthorizationSecrets, oauthClient } from './oauth-client.ts'
import { minute, noon } from '../../../test/account/logins.ts'

const provider: OAuthProvider = {
  name: 'Acme',
  endpoints: {
    authorization: 'https://acme.example/authorize',
    token: 'https://acme.example/token',
    revocation: 'https://acme.example/revoke',
  },
  scopeSeparator: ',',
  scopes: { default: ['read'] },
  scopeSpelling: { encode: (scope) => `acme:${scope}`, decode: (spelled) => spelled.replace(/^acme:/, '') },
}

interface Sent {
  readonly url: string
  readonly type: string | null
  readonly redirect: string
  readonly form: Readonly<Record<string, string>>
}

/** A client whose provider sends one response, and the requests that the client sent. */
function clientFor(respond: () => Response, more: Partial<OAuthProvider> = {}) {
  const sent: Sent[] = []
  const fetch: Fetch = async (input, init) => {
    const request = new Request(input, init)
    const form = Object.fromEntries(new URLSearchParams(await request.text()))
    sent.push({ url: request.url, type: request.headers.get('content-type'), redirect: request.redirect, form })
    return respond()
  }
  const { token: tokenUrl, revocation: revocationUrl } = provider.endpoints
  const client = { id: 'desktop', secret: new Secret('canary-secret') }
  const clock = new ManualClock({ start: noon })
  return { sent, ...oauthClient({ fetch, provider: { ...provider, ...more }, target: { client, tokenUrl, revocationUrl }, clock }) }
}

const never = new AbortController().signal
const json = (status: number, body: unknown) => () => Response.json(body, { status })
const full = { access_token: 'a-1', token_type: 'bearer', expires_in: 3600, refresh_token: 'r-1', scope: 'acme:read acme:write' }
const code = { code: 'c', verifier: 'v', redirectUri: 'http://127.0.0.1:1/back' }
const refreshed = (respond: () => Response) => clientFor(respond).refresh(new Secret('canary-refresh'), never)

it('exchanges a code with its verifier, form-encoded', async () => {
  const { exchangeCode, sent } = clientFor(json(200, full))
  const { tokens, scopes } = await exchangeCode(code, never)
  const { accessToken, refreshToken, expiry } = tokens
  expect([accessToken.reveal(), refreshToken?.reveal(), scopes]).toEqual(['a-1', 'r-1', ['read', 'write']])
  expect(expiry).toEqual({ expiresAt: noon + 60 * minute, refreshAt: noon + 59 * minute })
  const form = { grant_type: 'authorization_code', code: 'c', code_verifier: 'v', redirect_uri: code.redirectUri }
  expect(sent).toEqual([
    {
      url: 'https://acme.example/token',
      type: 'application/x-www-form-urlencoded;charset=UTF-8',
      redirect: 'manual',
      form: { ...form, client_id: 'desktop', client_secret: 'canary-secret' },
    },
  ])
})

describe('a token response', () => {
  it.each([
    ['acme:read,acme:write', ['read', 'write']],
    [
      ['acme:read', 'acme:write'],
      ['read', 'write'],
    ],
    ['', undefined],
    [[], undefined],
    [undefined, undefined],
  ])('with the scope %j gives %j', async (scope, scopes) => {
    expect((await refreshed(json(200, { ...full, scope })))?.scopes).toEqual(scopes)
  })

  it.each([
    [20, 2],
    ['600', 60],
    [86_399, 60],
  ])('with a lifetime of %j seconds is refreshed %i seconds early', async (lifetime, early) => {
    const expiry = (await refreshed(json(200, { ...full, expires_in: lifetime })))?.tokens.expiry
    expect(expiry).toEqual({ expiresAt: noon + Number(lifetime) * 1000, refreshAt: noon + (Number(lifetime) - early) * 1000 })
  })

  it.each([undefined, null, 'soon', '', ' ', '1e3', -1, 0, '0', {}, [], [60], true])(
    'with the lifetime %j has no known end',
    async (lifetime) => {
      expect((await refreshed(json(200, { ...full, expires_in: lifetime })))?.tokens).not.toHaveProperty('expiry')
    },
  )

  it.each([
    {},
    [],
    'text',
    { ...full, access_token: '' },
    { ...full, access_token: 7 },
    { ...full, access_token: 'two words' },
    { ...full, access_token: 'line\r\nx-header: 1' },
    { ...full, token_type: 'mac' },
    { ...full, token_type: 'dpop' },
  ])('without a usable token is refused: %j', async (body) => {
    await expect(refreshed(json(200, body))).rejects.toMatchObject({ code: 'unavailable', details: { retryable: false } })
  })
})

describe('a refresh', () => {
  it('is undefined when the provider has ended the login', async () => {
    expect(await refreshed(json(400, { error: 'invalid_grant' }))).toBeUndefined()
  })

  it.each([
    [401, { error: 'invalid_client' }, 'unauthenticated'],
    [400, { error: 'unauthorized_client' }, 'unauthenticated'],
    [400, { error: 'canary-refresh <b>' }, 'unavailable'],
    [503, { error: 'server_error' }, 'unavailable'],
    [302, {}, 'unavailable'],
    [200, 'canary-refresh', 'unavailable'],
  ])('that gets HTTP %i and %j throws %s and repeats nothing of what was sent', async (status, body, code) => {
    const error: unknown = await refreshed(json(status, body)).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code })
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('canary')
  })

  const lost = () => {
    throw new TypeError('fetch failed')
  }
  const page = () => new Response('<html>Sign in</html>', { headers: { 'content-type': 'text/html' } })

  it('is not retried after a failure if the token may be used up', async () => {
    for (const answer of [json(503, {}), page, lost]) {
      const { refresh, sent } = clientFor(answer)
      await expect(refresh(new Secret('r'), never)).rejects.toMatchObject({ code: 'unavailable', retryable: true })
      expect(sent).toHaveLength(1)
    }
  })

  it.each([
    ['is busy', json(503, {})],
    ['sends a page', page],
    ['is lost', lost],
    ['asks to slow down', json(429, {})],
  ])('is sent again when the provider %s, where the token is accepted again', async (_, fault) => {
    let attempts = 0
    const { refresh, sent } = clientFor(() => ((attempts += 1) === 1 ? fault() : json(200, full)()), { canRepeatRefresh: true })
    expect((await refresh(new Secret('r'), never))?.tokens.accessToken.reveal()).toBe('a-1')
    expect(sent.map(({ form }) => form['refresh_token'])).toEqual(['r', 'r'])
  })

  it('is not sent to a provider that wants no requests for now', async () => {
    const wait = () => Response.json({}, { status: 429, headers: { 'retry-after': '60' } })
    const { refresh, sent } = clientFor(wait)
    for (let call = 0; call < 3; call += 1)
      await expect(refresh(new Secret('r'), never)).rejects.toMatchObject({ code: 'rate_limited', details: { retryAfterSeconds: 60 } })
    expect(sent).toHaveLength(1)
  })
})

describe('an endless response', () => {
  it('is not read further than a token response can be long', async () => {
    let chunks = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        chunks += 1
        // Ends eventually, so that a client that keeps reading does not hang.
        if (chunks > 400) controller.close()
        else controller.enqueue(new Uint8Array(65_536).fill(32))
      },
    })
    const headers = { 'content-type': 'application/json' }
    await expect(refreshed(() => new Response(body, { headers }))).rejects.toThrow('Acme sent more than a token response can contain.')
    expect(chunks).toBeLessThan(40)
  })
})

describe('a revocation', () => {
  it('sends the token, and succeeds for one that has ended', async () => {
    for (const answer of [
      json(200, {}),
      json(400, { error: 'invalid_token' }),
      json(401, { error: 'Unable to authenticate.' }),
      json(401, {}),
    ]) {
      const { revoke, sent } = clientFor(answer)
      await revoke(new Secret('r-1'), never)
      expect(sent).toMatchObject([{ url: 'https://acme.example/revoke', form: { token: 'r-1', client_id: 'desktop' } }])
    }
  })

  it('throws when the provider refuses it', async () => {
    for (const answer of [json(500, {}), json(401, { error: 'invalid_client' }), json(400, { error: 'invalid_request' })])
      await expect(clientFor(answer).revoke(new Secret('r'), never)).rejects.toMatchObject({ code: 'unavailable' })
  })
})

/** A provider with every peculiarity. */
const peculiar: OAuthProvider = {
  name: 'Acme',
  endpoints: {
    authorization: 'https://accounts.acme.example/o/v2/auth',
    token: 'https://oauth.acme.example/token',
    revocation: 'https://oauth.acme.example/revoke',
  },
  scopeSeparator: ' ',
  scopes: { default: ['drive.file'] },
  scopeSpelling: {
    encode: (scope) => `https://acme.example/auth/${scope}`,
    decode: (spelled) => spelled.replace('https://acme.example/auth/', ''),
  },
  authorizationParameters: { access_type: 'offline', prompt: 'consent' },
}

it('builds an authorization request with a challenge and without the verifier', async () => {
  const secrets = newAuthorizationSecrets()
  const endpoint = peculiar.endpoints.authorization
  const request = { endpoint, clientId: 'a&b', redirectUri: 'http://127.0.0.1:1/x?y', scopes: ['drive.file', 'me'], ...secrets }
  const url = new URL(await authorizationUrl(peculiar, request))
  expect(url.origin + url.pathname).toBe(endpoint)
  expect(Object.fromEntries(url.searchParams)).toEqual({
    access_type: 'offline',
    prompt: 'consent',
    response_type: 'code',
    client_id: 'a&b',
    redirect_uri: 'http://127.0.0.1:1/x?y',
    scope: 'https://acme.example/auth/drive.file https://acme.example/auth/me',
    state: secrets.state,
    code_challenge: createHash('sha256').update(secrets.verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  expect(url.href).not.toContain(secrets.verifier)
})

it('generates a state and a verifier for each request', () => {
  const all = Array.from({ length: 50 }, newAuthorizationSecrets)
  expect(new Set(all.flatMap(({ state, verifier }) => [state, verifier])).size).toBe(100)
  for (const { verifier } of all) expect(verifier).toMatch(/^[\w-]{43}$/)
})

it.each(['https://evil.example/token', 'http://acme.example/token'])(
  'sends no token from the token endpoint on to %s',
  async (location) => {
    const { refresh, sent } = clientFor(() => new Response(null, { status: 307, headers: { location } }))
    await expect(refresh(new Secret('canary-refresh'), never)).rejects.toThrow('Acme answered a token request with HTTP 307')
    expect(sent).toMatchObject([{ url: 'https://acme.example/token', redirect: 'manual' }])
  },
)
