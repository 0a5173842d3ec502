import { describe, expect, it } from 'vitest'
import { localClient } from '../src/index.ts'
import { browse, openOAuthEmulator, redirectUri, ticketIn } from './oauth-emulator.ts'
import { covers } from './emulator.ts'

const day = 86_400_000
const minute = 60_000

describe('the consent page', () => {
  it('shows the application and its scopes without scripts', async () => {
    const { open } = await openOAuthEmulator()
    const { status, headers, body } = await open({ scope: 'read,initiative:read' })
    expect(status).toBe(200)
    expect(body).toContain('<html lang="en">')
    expect(body).toContain('<h1>Give A &lt;b&gt;client&lt;/b&gt; access?</h1>')
    expect(body).toContain('<code>initiative:read</code>')
    expect(body).toContain('127.0.0.1:51234')
    expect(body).toContain("not the vendor's service")
    expect(body).not.toMatch(/<script|<b>|style=/)
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'same-origin', 'x-content-type-options': 'nosniff' })
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; base-uri 'none'; form-action 'self' http:\/\/127\.0\.0\.1:51234; frame-ancestors 'none'$/,
    )
  })

  it('redirects with a code and the state, or with the refusal', covers('authorize/code-and-state'), async () => {
    const { open, answer, exchange } = await openOAuthEmulator()
    const allowed = await answer(ticketIn((await open()).body))
    const back = new URL(allowed.location)
    expect([allowed.status, back.origin + back.pathname, back.searchParams.get('state')]).toEqual([303, redirectUri, 'st&te'])
    expect(await exchange(back.searchParams.get('code'))).toMatchObject({ status: 200 })
    const refused = new URL((await answer(ticketIn((await open()).body), 'refuse')).location)
    expect(Object.fromEntries(refused.searchParams)).toMatchObject({ error: 'access_denied', state: 'st&te' })
    expect(refused.searchParams.has('code')).toBe(false)
  })

  it('is shown every time and can be answered once, within ten minutes', covers('authorize/prompt'), async () => {
    const { open, answer, pass, store } = await openOAuthEmulator()
    const [first, second, third] = [await open(), await open(), await open()].map(({ body }) => ticketIn(body))
    expect(new Set([first, second, third]).size).toBe(3)
    expect((await answer(first ?? '')).status).toBe(303)
    expect((await answer(first ?? '')).status).toBe(400)
    expect((await answer('guessed')).status).toBe(400)
    expect((await answer('')).status).toBe(400)
    pass(10 * minute - 1)
    expect((await answer(second ?? '')).status).toBe(303)
    pass(1)
    expect((await answer(third ?? '')).status).toBe(400)
    expect(store.grants()).toHaveLength(2)
  })

  it.each([{ client_id: 'nobody' }, { client_id: undefined }])('does not redirect for an unknown application: %j', async (changed) => {
    const { open } = await openOAuthEmulator()
    expect(await open(changed)).toMatchObject({ status: 400, location: '' })
  })

  it.each([
    'https://evil.example/callback',
    'http://127.0.0.1.evil.example/callback',
    'http://127.0.0.1@evil.example/callback',
    'http://127.0.0.1:80@evil.example/callback',
    'http://127.0.0.1:51234/other',
    'http://127.0.0.1:51234/callback?more=1',
    'http://127.0.0.1:51234/callback#more',
    'http://127.0.0.1:51234/callback/',
    'http://127.0.0.1:51234/../callback',
    'https://127.0.0.1:51234/callback',
    'http://localhost:51234/callback',
    'https://site.example:8443/back',
    'http://127.0.0.1:99999/callback',
    '',
  ])('redirects only to addresses of the application, not to %s', covers('authorize/redirect-uri'), async (address) => {
    const { open } = await openOAuthEmulator()
    for (const client of ['cli', 'web']) {
      expect(await open({ redirect_uri: address, client_id: client })).toMatchObject({ status: 400, location: '' })
    }
  })

  it('lets programs and servers on this machine use its default client', async () => {
    const { open } = await openOAuthEmulator({ clients: [localClient] })
    const pageFor = async (path: string) => open({ client_id: localClient.id, redirect_uri: `http://127.0.0.1:3000${path}` })
    for (const path of ['/callback', '/connect/callback']) expect(await pageFor(path)).toMatchObject({ status: 200 })
    expect(await pageFor('/other')).toMatchObject({ status: 400 })
  })

  it('redirects to any loopback port, and to exact addresses otherwise', covers('authorize/loopback-port'), async () => {
    const { open } = await openOAuthEmulator()
    for (const address of ['http://127.0.0.1/callback', 'http://127.0.0.1:1/callback', 'http://127.0.0.1:65535/callback']) {
      expect((await open({ redirect_uri: address })).status).toBe(200)
    }
    expect((await open({ client_id: 'web', redirect_uri: 'https://site.example/back' })).status).toBe(200)
  })

  it.each([
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ code_challenge: undefined }, 'invalid_request'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ code_challenge_method: undefined }, 'invalid_request'],
    [{ actor: 'app' }, 'invalid_request'],
    [{ scope: 'read,offline_access' }, 'invalid_scope'],
    [{ scope: 'read write' }, 'invalid_scope'],
  ])(
    'redirects the error of %j at once',
    covers('authorize/scope-list', 'authorize/unknown-scope', 'authorize/error-redirect', 'authorize/actor', 'authorize/pkce'),
    async (changed, error) => {
      const { open, store } = await openOAuthEmulator()
      const { status, location } = await open(changed)
      const parameters = Object.fromEntries(new URL(location).searchParams)
      expect([status, parameters]).toMatchObject([302, { error, state: 'st&te' }])
      expect(parameters).not.toHaveProperty('code')
      expect(store.grants()).toEqual([])
    },
  )

  it('accepts answers only from its own origin', covers('authorize/own-page-only'), async () => {
    const { open, answer, url, store } = await openOAuthEmulator()
    const ticket = ticketIn((await open()).body)
    const localhost = url.replace('127.0.0.1', 'localhost')
    for (const origin of ['https://evil.example', 'null', localhost, `${url}0`]) {
      expect((await answer(ticket, 'allow', { origin })).status).toBe(403)
    }
    expect((await answer(ticket, 'allow', {})).status).toBe(403)
    expect((await answer(ticket, 'allow', { origin: 'http://evil.example', host: 'evil.example' })).status).toBe(403)
    expect(store.grants()).toEqual([])
    expect((await answer(ticket)).status).toBe(303)
  })

  it.each(['evil.example', '127.0.0.1.evil.example', 'evil.example:80'])('is not shown to the Host %s', async (host) => {
    const { open } = await openOAuthEmulator()
    expect((await open({}, { host })).status).toBe(403)
  })

  it('is closed to a process that only has fetch', async () => {
    const { fetch } = await openOAuthEmulator()
    for (const origin of ['https://linear.app', 'http://localhost', 'http://127.0.0.1']) {
      expect((await fetch(`${origin}/oauth/authorize?client_id=cli`)).status).toBe(403)
    }
  })
})

describe('the token endpoint', () => {
  it(
    'exchanges a code for an access token of one day and a refresh token',
    covers('token/lifetime', 'token/expired', 'token/scope-text'),
    async () => {
      const { consent, exchange, use, pass } = await openOAuthEmulator()
      const pair = await exchange((await consent()).searchParams.get('code'))
      expect(pair).toMatchObject({ status: 200, token_type: 'Bearer', expires_in: 86_399, scope: 'read write' })
      const access = String(pair['access_token'])
      expect(await use(access)).toBe(200)
      pass(day - 1)
      expect(await use(access)).toBe(200)
      pass(1)
      expect(await use(access)).toBe(401)
    },
  )

  it('gives a token the granted scopes, and always read', covers('token/granted-scopes'), async () => {
    const { login, use, store } = await openOAuthEmulator()
    const { access, ...pair } = await login('comments:create')
    expect(pair).toMatchObject({ scope: 'read comments:create' })
    expect(await use(access)).toBe(200)
    expect(await use(access, 'mutation { commentCreate(input: { issueId: "ENG-1", body: "Hello" }) { success } }')).toBe(200)
    expect(await use(access, 'mutation { issueArchive(id: "ENG-1") { success } }')).toBe(400)
    expect(await use(access, '{ initiatives { nodes { id } } }')).toBe(400)
    expect(store.mutations().map(({ field }) => field)).toEqual(['commentCreate'])
    expect(store.grants()).toMatchObject([{ clientId: 'cli', scopes: ['read', 'comments:create'], revokedAt: null, issued: 1 }])
  })

  it('accepts a code once and revokes its tokens at the second use', covers('token/code-reuse'), async () => {
    const { consent, exchange, use, refresh } = await openOAuthEmulator()
    const code = (await consent()).searchParams.get('code')
    const pair = await exchange(code)
    expect(await exchange(code)).toMatchObject({ status: 400, error: 'invalid_grant' })
    expect(await use(String(pair['access_token']))).toBe(401)
    expect(await refresh(String(pair['refresh_token']))).toMatchObject({ status: 400, error: 'invalid_grant' })
  })

  it.each([
    { code_verifier: 'another verifier, long enough to be one: 43 characters' },
    { code_verifier: '' },
    { code_verifier: undefined },
    { redirect_uri: 'http://127.0.0.1:51235/callback' },
    { client_id: 'web', client_secret: 'hush' },
    { code: 'lin_code_guessed' },
  ])('refuses a code with %j, even when corrected', covers('token/verifier', 'token/code-wrong-use'), async (changed) => {
    const { consent, exchange } = await openOAuthEmulator()
    const code = (await consent()).searchParams.get('code')
    expect(await exchange(code, changed)).toMatchObject({ status: 400, error: 'invalid_grant' })
    expect((await exchange(code))['status']).toBe('code' in changed ? 200 : 400)
  })

  it('accepts a code for ten minutes', covers('token/code-lifetime'), async () => {
    const { consent, exchange, pass } = await openOAuthEmulator()
    const [first, second] = [await consent(), await consent()].map(({ searchParams }) => searchParams.get('code'))
    pass(10 * minute - 1)
    expect((await exchange(first ?? ''))['status']).toBe(200)
    pass(1)
    expect((await exchange(second ?? ''))['status']).toBe(400)
  })

  it('accepts a form but not JSON', covers('token/form-encoded'), async () => {
    const { fetch, consent, exchange } = await openOAuthEmulator()
    const code = (await consent()).searchParams.get('code')
    const body = JSON.stringify({ grant_type: 'authorization_code', client_id: 'cli', redirect_uri: redirectUri, code })
    for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x']) {
      const response = await fetch('https://api.linear.app/oauth/token', { method: 'POST', headers: { 'content-type': type }, body })
      expect([response.status, await response.json()]).toEqual([400, expect.objectContaining({ error: 'invalid_request' })])
    }
    expect((await fetch('https://api.linear.app/oauth/token')).status).toBe(405)
    expect((await exchange(code))['status']).toBe(200)
  })

  it.each([
    [{ grant_type: 'password' }, 400, 'unsupported_grant_type'],
    [{ grant_type: 'constructor' }, 400, 'unsupported_grant_type'],
    [{ grant_type: 'client_credentials' }, 400, 'unauthorized_client'],
    [{ client_id: 'nobody' }, 401, 'invalid_client'],
    [{ client_id: 'web' }, 401, 'invalid_client'],
    [{ client_id: 'web', client_secret: 'wrong' }, 401, 'invalid_client'],
    [{ code: '' }, 400, 'invalid_request'],
    [{ redirect_uri: '' }, 400, 'invalid_request'],
  ])('refuses %j', covers('token/errors', 'token/client-credentials'), async (changed, status, error) => {
    const { exchange } = await openOAuthEmulator()
    const response = await exchange('x', changed)
    expect(response).toMatchObject({ status, error })
    expect(response['headers']).toSatisfy((headers: Headers) => headers.get('cache-control') === 'no-store')
  })

  it(
    'accepts a client secret instead of PKCE and returns scopes of old applications as an array',
    covers('token/client-secret', 'token/scope-array'),
    async () => {
      const { consent, exchange } = await openOAuthEmulator()
      const back = 'https://site.example/back'
      const redirected = await consent({
        client_id: 'web',
        redirect_uri: back,
        code_challenge: undefined,
        code_challenge_method: undefined,
      })
      expect(redirected.origin + redirected.pathname).toBe(back)
      const asSite = { client_id: 'web', client_secret: 'hush', redirect_uri: back, code_verifier: undefined }
      expect(await exchange(redirected.searchParams.get('code'), asSite)).toMatchObject({ status: 200, scope: ['read', 'write'] })
    },
  )
})

describe('a refresh token', () => {
  it('returns a new pair and works again for half an hour', covers('refresh/rotation', 'refresh/grace'), async () => {
    const { login, refresh, use, pass, store } = await openOAuthEmulator()
    const { refresh: old } = await login()
    pass(2 * day)
    const renewed = await refresh(old)
    expect(renewed).toMatchObject({ status: 200, expires_in: 86_399, scope: 'read write' })
    expect(renewed['refresh_token']).not.toBe(old)
    expect(await use(String(renewed['access_token']))).toBe(200)
    pass(30 * minute - 1)
    expect(await refresh(old)).toMatchObject({ status: 200 })
    pass(1)
    expect(await refresh(old)).toMatchObject({ status: 400, error: 'invalid_grant' })
    expect(await refresh(String(renewed['refresh_token']))).toMatchObject({ status: 200 })
    expect(store.grants()).toMatchObject([{ issued: 4, revokedAt: null }])
  })

  it('can be limited to one use', async () => {
    const { login, refresh } = await openOAuthEmulator({ lifetimes: { refreshGrace: 0, accessToken: 60 } })
    const { refresh: old, ...pair } = await login()
    expect(pair).toMatchObject({ expires_in: 59 })
    expect(await refresh(old)).toMatchObject({ status: 200 })
    expect(await refresh(old)).toMatchObject({ status: 400, error: 'invalid_grant' })
  })

  it('works only for its own application and is not an access token', covers('refresh/own-client'), async () => {
    const { login, refresh, use } = await openOAuthEmulator()
    const { refresh: mine, access } = await login()
    expect(await refresh(mine, { client_id: 'web', client_secret: 'hush' })).toMatchObject({ status: 400, error: 'invalid_grant' })
    expect(await refresh(access)).toMatchObject({ status: 400, error: 'invalid_grant' })
    expect(await use(mine)).toBe(401)
    expect(await refresh(mine)).toMatchObject({ status: 200 })
  })
})

describe('the revoke endpoint', () => {
  it.each(['access', 'refresh'] as const)('revokes a grant by its %s token', covers('revoke/whole-grant'), async (which) => {
    const { login, revoke, use, refresh, store } = await openOAuthEmulator()
    const [ended, other] = [await login(), await login()]
    expect((await revoke(new URLSearchParams({ token: ended[which] }))).status).toBe(200)
    expect([await use(ended.access), await use(other.access)]).toEqual([401, 200])
    expect(await refresh(ended.refresh)).toMatchObject({ status: 400, error: 'invalid_grant' })
    expect(store.grants().map(({ revokedAt }) => revokedAt)).toEqual(['2026-09-16T12:00:00.000Z', null])
  })

  it('refuses unknown tokens and JSON', covers('revoke/form'), async () => {
    const { revoke, login, use } = await openOAuthEmulator()
    const { access } = await login()
    expect((await revoke(new URLSearchParams({ token: 'unknown' }))).status).toBe(401)
    expect((await revoke(JSON.stringify({ token: access }))).status).toBe(400)
    expect((await revoke(new URLSearchParams())).status).toBe(400)
    expect(await use(access)).toBe(200)
  })
})

describe('a grant', () => {
  it('is stored without its secrets and deleted by a reset', async () => {
    const { login, url, use, reset } = await openOAuthEmulator()
    const { access, refresh } = await login()
    const pageText = [await browse(url), await browse(`${url}/__emulator/requests`)].map(({ body }) => body).join()
    expect(pageText).toContain('/oauth/token')
    for (const secret of [access, refresh, 'hush']) expect(pageText).not.toContain(secret)
    reset()
    expect(await use(access)).toBe(401)
  })
})
