import { covers } from './covers.ts'
import { auth, drive } from '@googleapis/drive'
import { describe, expect, it } from 'vitest'
import { someText } from './connected.ts'
import { base, browse, consenting, phone, redirectUri, site, ticketIn } from './consenting.ts'

const hour = 3_600_000
const minute = 60_000
const file = `${base}drive.file`

describe('the token endpoint', () => {
  it('issues an access token with its scopes for an hour', covers('oauth/token-lifetime'), async () => {
    const { login, use, pass, refusal } = await consenting()
    const { access, ...tokens } = await login({ scope: `email ${file}` })
    expect(tokens).toMatchObject({ status: 200, token_type: 'Bearer', expires_in: 3599, scope: `${base}userinfo.email ${file}` })
    expect(access).toMatch(/^ya29\./)
    expect(await use(access)).toBe(200)
    expect(await refusal('GET /drives', { token: access })).toEqual([403, 'insufficientPermissions'])
    pass(hour - 1)
    expect(await use(access)).toBe(200)
    pass(1)
    expect(await refusal('GET /files', { token: access })).toEqual([401, 'authError'])
  })

  it('issues a refresh token for offline access, and another only with prompt=consent', covers('oauth/offline'), async () => {
    const { login } = await consenting()
    expect(await login({ access_type: undefined })).not.toHaveProperty('refresh_token')
    expect((await login()).refresh).toMatch(/^1\/\/0/)
    expect(await login()).not.toHaveProperty('refresh_token')
    const again = await login({ prompt: 'select_account consent' })
    expect(again).toHaveProperty('refresh_token')
  })

  it('includes earlier scopes with include_granted_scopes', covers('oauth/granted-scopes'), async () => {
    const { login } = await consenting()
    await login({ scope: `${base}drive.readonly` })
    expect(await login({ prompt: 'consent' })).toMatchObject({ scope: file })
    expect(await login({ include_granted_scopes: 'true' })).toMatchObject({ scope: `${file} ${base}drive.readonly` })
  })

  it('accepts a code once and revokes its tokens on reuse', covers('oauth/code-twice'), async () => {
    const { consent, exchange, use, refresh } = await consenting()
    const code = (await consent()).searchParams.get('code')
    const tokens = await exchange(code)
    expect(await exchange(code)).toMatchObject({ status: 400, error: 'invalid_grant' })
    expect(await use(String(tokens['access_token']))).toBe(401)
    expect(await refresh(String(tokens['refresh_token']))).toMatchObject({ status: 400, error: 'invalid_grant' })
  })

  it.each([
    { code_verifier: 'another verifier, long enough to be one: 43 characters' },
    { code_verifier: undefined },
    { redirect_uri: 'http://127.0.0.1:51234/back' },
    { client_id: phone.id, client_secret: undefined },
    { client_id: site.id, client_secret: 'whisper' },
  ])('refuses a code with %j, also when it is corrected', covers('oauth/code-binding'), async (changed) => {
    const { consent, exchange } = await consenting()
    const code = (await consent()).searchParams.get('code')
    expect(await exchange(code, changed)).toMatchObject({ status: 400, error: 'invalid_grant' })
    expect(await exchange(code)).toMatchObject({ status: 400, error: 'invalid_grant' })
  })

  it('needs no verifier without a challenge', covers('oauth/pkce-optional'), async () => {
    const { consent, exchange } = await consenting()
    const back = await consent({ code_challenge: undefined, code_challenge_method: undefined })
    expect(await exchange(back.searchParams.get('code'), { code_verifier: undefined })).toMatchObject({ status: 200 })
  })

  it.each([
    [{ client_secret: undefined }, [400, 'invalid_request', 'client_secret is missing.']],
    [{ client_secret: 'wrong' }, [401, 'invalid_client', 'The provided client secret is invalid.']],
    [{ client_id: 'phone' }, [401, 'invalid_client', 'The provided client secret is invalid.']],
    [{ client_id: 'nobody' }, [401, 'invalid_client', 'The OAuth client was not found.']],
    [{ grant_type: 'client_credentials' }, [400, 'unsupported_grant_type', someText]],
    [{ code: '' }, [400, 'invalid_request', 'code must be given.']],
    [{ code: '4/0Aguessed' }, [400, 'invalid_grant', someText]],
  ])('refuses %j', covers('oauth/client-secret'), async (changed, refused) => {
    const { exchange } = await consenting()
    const answered = await exchange('x', changed)
    expect([answered['status'], answered['error'], answered['error_description']]).toEqual(refused)
    expect(answered['headers']).toSatisfy((headers: Headers) => headers.get('cache-control') === 'no-store')
  })

  it('supports public clients', covers('oauth/no-secret'), async () => {
    const { login, consent, exchange } = await consenting()
    expect(await login()).toMatchObject({ status: 200 })
    const code = (await consent({ client_id: 'phone' })).searchParams.get('code')
    expect(await exchange(code, { client_id: 'phone', client_secret: undefined })).toMatchObject({ status: 200 })
  })

  it('rejects JSON bodies', covers('oauth/token-form'), async () => {
    const { post } = await consenting()
    const body = JSON.stringify({ grant_type: 'refresh_token', client_id: 'desktop', refresh_token: 'x' })
    expect(await post('/token', body)).toMatchObject({ status: 400, error: 'invalid_request' })
  })
})

describe('a refresh token', () => {
  it('does not rotate and works repeatedly', covers('oauth/refresh'), async () => {
    const { login, refresh, use, pass } = await consenting()
    const { refresh: token } = await login()
    for (let time = 0; time < 3; time += 1) {
      pass(2 * hour)
      const renewed = await refresh(token)
      expect(renewed).toMatchObject({ status: 200, expires_in: 3599, scope: file, token_type: 'Bearer' })
      expect(renewed).not.toHaveProperty('refresh_token')
      expect(await use(String(renewed['access_token']))).toBe(200)
    }
  })

  it('works for its own client only, and differs from an access token', covers('oauth/refresh-binding'), async () => {
    const { login, refresh, use } = await consenting()
    const { refresh: token, access } = await login()
    const other = { client_id: 'site', client_secret: 'whisper' }
    expect(await refresh(token, other)).toMatchObject({ status: 400, error: 'invalid_grant' })
    expect(await refresh(access)).toMatchObject({ status: 400, error: 'invalid_grant' })
    expect(await use(token)).toBe(401)
  })
})

describe('the revoke endpoint', () => {
  it.each(['access', 'refresh'] as const)(
    'ends all that an application was granted, by one %s token',
    covers('oauth/revoke'),
    async (which) => {
      const { login, revoke, use, refresh, consent, exchange } = await consenting()
      const [one, other] = [await login(), await login({ prompt: 'consent' })]
      const code = (await consent({ client_id: 'phone' })).searchParams.get('code')
      const elsewhere = await exchange(code, { client_id: 'phone', client_secret: undefined })
      expect((await revoke(one[which]))['status']).toBe(200)
      expect([await use(one.access), await use(other.access), await use(String(elsewhere['access_token']))]).toEqual([401, 401, 200])
      for (const { refresh: token } of [one, other]) expect(await refresh(token)).toMatchObject({ status: 400, error: 'invalid_grant' })
      // A repeated consent gives a new refresh token.
      expect((await login()).refresh).toMatch(/^1\/\/0/)
    },
  )

  it('rejects revoked, expired and unknown tokens', covers('oauth/revoke-other-tokens'), async () => {
    const { login, revoke, expire, refresh } = await consenting()
    const { access, refresh: token } = await login()
    expire(access)
    for (const bad of [access, 'unknown', '']) expect(await revoke(bad)).toMatchObject({ status: 400, error: 'invalid_token' })
    expect(await refresh(token)).toMatchObject({ status: 200 })
    expect((await revoke(token))['status']).toBe(200)
    expect(await revoke(token)).toMatchObject({ status: 400, error: 'invalid_token' })
  })
})

describe('token information', () => {
  it('comes from tokeninfo while the token is valid', covers('oauth/tokeninfo'), async () => {
    const { login, post, pass } = await consenting()
    const { access } = await login({ scope: `openid email ${file}` })
    pass(minute)
    const query = `?access_token=${access}`
    expect(await post(`/tokeninfo${query}`, '')).toMatchObject({
      status: 200,
      aud: 'desktop',
      scope: `openid ${base}userinfo.email ${file}`,
      expires_in: '3540',
      exp: String(Date.parse('2026-09-16T13:00:00Z') / 1000),
      email: 'robin.vance@lodestar.example',
      access_type: 'offline',
    })
    pass(hour)
    expect(await post(`/tokeninfo${query}`, '')).toMatchObject({ status: 400, error: 'invalid_token' })
  })

  it('comes from userinfo as far as the scopes allow', covers('oauth/userinfo'), async () => {
    const { login, fetch } = await consenting()
    const info = async (access: string) => {
      const headers = { authorization: `Bearer ${access}` }
      const response = await fetch('https://openidconnect.googleapis.com/v1/userinfo', { headers })
      const body: unknown = await response.json()
      return [response.status, body]
    }
    const { access } = await login({ scope: 'openid email profile' })
    expect(await info(access)).toMatchObject([200, { name: 'Robin Vance', email: 'robin.vance@lodestar.example' }])
    const { access: named } = await login({ scope: 'profile', prompt: 'consent' })
    expect((await info(named))[1]).not.toHaveProperty('email')
    const { access: bare } = await login({ scope: file })
    expect(await info(bare)).toMatchObject([403, { error: 'insufficient_scope' }])
    expect(await info('unknown')).toMatchObject([401, {}])
  })
})

describe('a grant', () => {
  it('is stored without its secrets and removed by a reset', covers('oauth/grants'), async () => {
    const { login, url, use, reset, post } = await consenting()
    const { access, refresh } = await login()
    await post(`/tokeninfo?access_token=${access}`, '')
    await post(`/revoke?token=nobodys-${access}`, '')
    const seen = [await browse(url), await browse(`${url}/__emulator/requests`)].map(({ body }) => body).join()
    expect(seen).toContain('/tokeninfo')
    for (const secret of [access, refresh, 'GOCSPX-hush']) expect(seen).not.toContain(secret)
    reset()
    expect(await use(access)).toBe(401)
  })
})

describe('the official library', () => {
  it('signs in with PKCE, calls, refreshes, reads tokeninfo and revokes', covers('oauth/google-auth-library'), async () => {
    const { url, answer, refusal, expire, store } = await consenting({ accessTokenSeconds: 60 })
    const client = new auth.OAuth2({
      clientId: 'desktop',
      clientSecret: 'GOCSPX-hush',
      redirectUri,
      endpoints: {
        oauth2AuthBaseUrl: `${url}/o/oauth2/v2/auth`,
        oauth2TokenUrl: `${url}/token`,
        oauth2RevokeUrl: `${url}/revoke`,
        tokenInfoUrl: `${url}/tokeninfo`,
      },
    })
    const { codeVerifier, codeChallenge = '' } = await client.generateCodeVerifierAsync()
    const asked = { scope: ['email', file], access_type: 'offline', code_challenge: codeChallenge, state: 'abc' }
    // The library exports the class without its enumeration.
    const page = await browse(`${client.generateAuthUrl(asked)}&code_challenge_method=S256`)
    const back = new URL((await answer(ticketIn(page.body), { scopes: [file] })).location)
    const { tokens } = await client.getToken({ code: back.searchParams.get('code') ?? '', codeVerifier })
    expect(tokens).toMatchObject({ scope: `${base}userinfo.email ${file}`, token_type: 'Bearer' })
    client.setCredentials(tokens)
    const first = tokens.access_token ?? ''
    expect(await client.getTokenInfo(first)).toMatchObject({ aud: 'desktop', email: 'robin.vance@lodestar.example' })
    const api = drive({ version: 'v3', auth: client })
    const made = await api.files.create({ requestBody: { name: 'Signed in' }, fields: 'name' }, { rootUrl: `${url}/` })
    expect(made.data).toEqual({ name: 'Signed in' })
    // The library refreshes five minutes early, so one more minute makes it refresh.
    const { token: second } = await client.getAccessToken()
    expect([second === first, client.credentials.refresh_token]).toEqual([false, tokens.refresh_token])
    expire(second ?? '')
    expect(await refusal('GET /files', { token: second ?? '' })).toEqual([401, 'authError'])
    await client.revokeToken(tokens.refresh_token ?? '')
    await expect(client.refreshAccessToken()).rejects.toThrow('invalid_grant')
    expect(store.grants()).toMatchObject([{ clientId: 'desktop', offline: true, revokedAt: '2026-09-16T12:00:00.000Z' }])
  })
})
