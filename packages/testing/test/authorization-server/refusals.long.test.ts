import { ManualClock } from '@mcp-toolkits/core/testing'
import { describe, expect, test } from 'vitest'
import { newBrowser, type FormParameters, register, redirectUri } from '../../src/people/oauth-client.ts'
import { titleOf } from '../../src/people/people-servers.ts'
import { type AssertionChanges, metadataOf, startCompany } from './company.ts'

describe('requests for authorization', () => {
  const unsafe: readonly [title: string, changes: FormParameters][] = [
    ['an unknown client', { client_id: 'unknown' }],
    ['a redirect that is not registered', { redirect_uri: 'https://evil.example/callback' }],
    ['another path of this computer', { redirect_uri: 'http://127.0.0.1:33333/other' }],
    ['another name of this computer', { redirect_uri: 'http://localhost:33333/callback' }],
    ['no redirect', { redirect_uri: undefined }],
    ['an answer by a script', { response_mode: 'form_post' }],
    ['an answer after the number sign', { response_mode: 'fragment' }],
  ]

  test('that do not safely say who gets the answer lead to an error page', async () => {
    const company = await startCompany({ replicas: 1 })
    const client = await company.registered()
    for (const [title, changes] of unsafe) {
      const page = await newBrowser().open(client.authorizationUrl(changes))
      expect([title, page.status, titleOf(page)]).toEqual([title, 400, 'The client cannot be connected'])
      expect(page.url.startsWith(company.issuer)).toBe(true)
      expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'.*form-action 'none'/)
    }
    expect(company.identityProvider.requests()).toBe(0)
  })

  const wrong: readonly [title: string, changes: FormParameters, error: string][] = [
    ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['PKCE without a hash', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['PKCE whose method is not named', { code_challenge_method: undefined }, 'invalid_request'],
    ['a token in the answer', { response_type: 'token' }, 'unsupported_response_type'],
    ['an ID token', { response_type: 'code id_token' }, 'unsupported_response_type'],
    ['another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['no scope of ours', { scope: 'other' }, 'access_denied'],
    ['an answer without a page', { prompt: 'none' }, 'login_required'],
    ['a request as a JWT', { request: 'e30.e30.' }, 'request_not_supported'],
  ]

  test('that are invalid redirect to the client with an error', async () => {
    const company = await startCompany({ replicas: 1 })
    const client = await company.registered()
    for (const [title, changes, error] of wrong) {
      const page = await newBrowser().walk(client.authorizationUrl(changes), ({ url }) =>
        url.startsWith(company.issuer) ? {} : { person: 'ada' },
      )
      // If a client asks for a token at once, the answer is in the URL's fragment.
      const { search, hash } = new URL(page.url)
      const answer = new URLSearchParams(search === '' ? hash.slice(1) : search)
      expect([title, answer.get('error'), answer.get('state'), answer.get('iss')]).toEqual([
        title,
        error,
        'state-of-the-client',
        company.issuer,
      ])
      expect([...answer.keys()]).not.toContain('code')
    }
  })

  test('any port of this computer, and the address of a profile, are accepted', async () => {
    const company = await startCompany({ replicas: 1 })
    const client = await company.registered()
    const resource = `${company.resource}/work`
    const answer = await client.authorize('ada', { resource })
    const { status, body } = await client.redeem(answer.get('code') ?? '', { resource })
    expect([status, await company.verifier.verify(String(body['access_token']))]).toMatchObject([200, { subject: 'ada' }])
  })
})

describe('requests for tokens', () => {
  const wrong: readonly [title: string, changes: FormParameters, status: number, error: string][] = [
    ['another verifier', { code_verifier: 'v'.repeat(43) }, 400, 'invalid_grant'],
    ['no verifier', { code_verifier: undefined }, 400, 'invalid_grant'],
    ['another redirect', { redirect_uri: 'http://127.0.0.1:44444/callback' }, 400, 'invalid_grant'],
    ['another resource', { resource: 'https://other.example/mcp' }, 400, 'invalid_target'],
    ['a code that was never issued', { code: 'made-up' }, 400, 'invalid_grant'],
    ['an unknown client', { client_id: 'unknown' }, 401, 'invalid_client'],
    ['the password of a person', { grant_type: 'password' }, 400, 'unsupported_grant_type'],
    ['no person', { grant_type: 'client_credentials' }, 400, 'unsupported_grant_type'],
  ]

  test('that are invalid are refused with an OAuth error', async () => {
    const company = await startCompany({ replicas: 1 })
    const client = await company.registered()
    for (const [title, changes, status, error] of wrong) {
      const code = (await client.authorize('ada')).get('code') ?? ''
      const answer = await client.redeem(code, changes)
      expect([title, answer.status, answer.body['error']]).toEqual([title, status, error])
      expect([title, company.errors.at(-1)]).toEqual([title, error])
      expect(answer.body).not.toHaveProperty('access_token')
    }
  })

  test('from a different client are refused', async () => {
    const company = await startCompany({ replicas: 1 })
    const client = await company.registered()
    const other = await company.registered()
    const code = (await client.authorize('ada')).get('code') ?? ''
    expect((await client.redeem(code, { client_id: other.id })).body['error']).toBe('invalid_grant')
    const { refresh } = await client.signIn('ada')
    expect((await other.refresh(refresh)).body['error']).toBe('invalid_grant')
    expect((await other.revoke(refresh)).status).toBe(200)
    expect((await client.refresh(refresh)).status).toBe(200)
  })
})

describe('assertions', () => {
  const wrong: readonly (readonly [title: string, changes: AssertionChanges & { readonly audience?: string | readonly string[] }])[] = [
    ['for another server', { audience: 'https://other.example' }],
    ['for our resource instead of our issuer', { audience: 'RESOURCE' }],
    ['for others too', { audience: ['ISSUER', 'https://other.example'] }],
    ['of another issuer', { claims: { iss: 'https://id.evil.example' } }],
    ['for another client', { claims: { client_id: 'other' } }],
    ['without a client', { claims: { client_id: undefined } }],
    ['for another resource', { claims: { resource: 'https://other.example/mcp' } }],
    ['without a resource', { claims: { resource: undefined } }],
    ['of another type', { header: { typ: 'JWT' } }],
    ['that is an access token', { header: { typ: 'at+jwt' } }],
    ['without a type', { header: { typ: undefined } }],
    ['without an id', { claims: { jti: undefined } }],
    ...[{}, [], 7, true, ['x']].map((jti) => [`with the id ${JSON.stringify(jti)}`, { claims: { jti } }] as const),
    ...[{}, 7, true, ['files:read']].map((scope) => [`with the scope ${JSON.stringify(scope)}`, { claims: { scope } }] as const),
    ...['sub', 'client_id', 'resource', 'exp', 'iat', 'nbf', 'aud', 'iss'].flatMap((name) =>
      [{}, [{}], true, ''].map((value) => [`with the ${name} ${JSON.stringify(value)}`, { claims: { [name]: value } }] as const),
    ),
    ['without a person', { claims: { sub: undefined } }],
    ['whose person is empty', { claims: { sub: ' ' } }],
    ['that has expired', { lifetime: -60 }],
    ['without an end', { claims: { exp: undefined } }],
    ['that is good for a day', { lifetime: 24 * 3_600 }],
    ['that is not signed', { header: { alg: 'none' } }],
    ['signed with the public key', { header: { alg: 'HS256' } }],
    ['signed with an unknown key', { header: { kid: 'unknown' } }],
  ]

  test('that are invalid are refused', async () => {
    const company = await startCompany()
    const client = await company.registered()
    const names: Readonly<Record<string, string>> = { RESOURCE: company.resource, ISSUER: company.issuer }
    const named = (text: string) => names[text] ?? text
    for (const [title, { audience, claims, ...changes }] of wrong) {
      const aud = typeof audience === 'string' ? named(audience) : audience?.map(named)
      const assertion = company.assertionFor(client.id, { ...changes, claims: { ...claims, ...(aud && { aud }) } })
      const answer = await client.present(assertion)
      expect([title, answer.status, answer.body['error']]).toEqual([title, 400, expect.stringMatching(/^invalid_(grant|target)$/)])
      expect(JSON.stringify(answer.body)).not.toContain('evil')
    }
  })

  test('are accepted once each, on whichever replica', async () => {
    const company = await startCompany()
    const client = await company.registered()
    const assertion = company.assertionFor(client.id)
    const answers = await Promise.all([1, 2, 3, 4].map(() => client.present(assertion)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400])
  })

  test('of a client that did not register for them are refused', async () => {
    const company = await startCompany({ replicas: 1 })
    const client = await company.registered({ grant_types: ['authorization_code'] })
    expect((await client.present(company.assertionFor(client.id))).status).toBe(400)
  })

  test('are refused with 503 while the identity provider is down, and accepted afterwards', async () => {
    const company = await startCompany({ replicas: 1 })
    const client = await company.registered()
    const assertion = company.assertionFor(client.id)
    await company.identityProvider.stop()
    expect((await client.present(assertion)).status).toBe(503)
    await company.identityProvider.start()
    await expect.poll(async () => (await client.present(assertion)).status).toBe(200)
  })
})

describe('registrations', () => {
  const wrong: readonly [title: string, metadata: object, error: string][] = [
    ['without a redirect', metadataOf({ redirect_uris: [] }), 'invalid_redirect_uri'],
    ['with a redirect over http', metadataOf({ redirect_uris: ['http://client.example/callback'] }), 'invalid_redirect_uri'],
    ['with one bad redirect among good ones', metadataOf({ redirect_uris: [redirectUri, 'javascript:alert(1)'] }), 'invalid_redirect_uri'],
    ['with a fragment', metadataOf({ redirect_uris: ['https://client.example/#a'] }), 'invalid_redirect_uri'],
    ['with a password', metadataOf({ redirect_uris: ['https://a:b@client.example/'] }), 'invalid_redirect_uri'],
    ['with an unusual scheme', metadataOf({ redirect_uris: ['editor://callback'] }), 'invalid_redirect_uri'],
    [
      'with too many redirects',
      metadataOf({ redirect_uris: Array.from({ length: 21 }, (_, index) => `https://a.example/${index}`) }),
      'invalid_redirect_uri',
    ],
    ['with grants that do not exist', metadataOf({ grant_types: ['password'] }), 'invalid_client_metadata'],
    ['that is a list', [], 'invalid_client_metadata'],
    ['that is too long', metadataOf({ client_uri: 'x'.repeat(70_000) }), 'invalid_client_metadata'],
  ]

  test('that are invalid are refused with a reason', async () => {
    const company = await startCompany({ replicas: 1 })
    for (const [title, metadata, error] of wrong) {
      const { status, body, headers } = await register(company.issuer, metadata)
      expect([title, status, body['error'], headers.get('access-control-allow-origin')]).toEqual([title, 400, error, '*'])
      expect(String(body['error_description'])).toMatch(/\.$/)
    }
  })

  test('hold no secret, whatever the client asks for', async () => {
    const company = await startCompany({ replicas: 1 })
    const { status, body } = await register(company.issuer, metadataOf({ token_endpoint_auth_method: 'client_secret_basic' }))
    expect([status, body]).toMatchObject([201, { token_endpoint_auth_method: 'none' }])
    expect(body).not.toHaveProperty('client_secret')
  })

  test('are limited by the minute', async () => {
    const company = await startCompany({ replicas: 1 })
    const statuses: number[] = []
    for (let count = 0; count < 601; count += 1) statuses.push((await register(company.issuer, metadataOf())).status)
    expect([statuses.filter((status) => status === 201).length, statuses.at(-1)]).toEqual([600, 429])
  })

  test('are limited for each client address, so that no stranger keeps others from registering', async () => {
    const clock = new ManualClock({ start: Date.now() })
    const company = await startCompany({ replicas: 1, clock })
    const from = async (address: string) => (await register(company.issuer, metadataOf(), { 'x-forwarded-for': address })).status
    for (let minute = 0; minute < 3; minute += 1) {
      const statuses: number[] = []
      // The client itself can write everything before the last address.
      for (let count = 0; count < 40; count += 1) statuses.push(await from(`192.0.2.${count}, 203.0.113.1`))
      expect(statuses.filter((status) => status === 201)).toHaveLength(10)
      expect(await from('203.0.113.2')).toBe(201)
      await clock.advance(60_000)
    }
  })
})

describe('metadata documents', () => {
  const json = (body: object, headers: Record<string, string> = {}) => Response.json(body, { headers })
  const wrong: readonly [title: string, document: (id: string) => object][] = [
    ['that names another client', () => metadataOf({ client_id: 'https://other.example/client.json' })],
    ['that names no client', () => metadataOf()],
    ['that is a redirect', () => new Response(null, { status: 302, headers: { location: '/other.json' } })],
    ['that is missing', () => new Response('{}', { status: 404 })],
    ['that is no JSON', () => new Response('<html>')],
    ['that is too long', (id) => json(metadataOf({ client_id: id, padding: 'x'.repeat(20_000) }))],
    ['of a client with a secret', (id) => metadataOf({ client_id: id, token_endpoint_auth_method: 'client_secret_post' })],
    ['of a client with a key', (id) => metadataOf({ client_id: id, token_endpoint_auth_method: 'private_key_jwt' })],
    ['without a redirect that can be used', (id) => metadataOf({ client_id: id, redirect_uris: ['editor://callback'] })],
  ]

  test('that are invalid lead to an error page', async () => {
    const company = await startCompany({ replicas: 1 })
    for (const [index, [title, documentOf]] of wrong.entries()) {
      const path = `/${index}.json`
      const id = `${company.documents.url}${path}`
      company.documents.documents.set(path, documentOf(id))
      const page = await newBrowser().open(company.clientOf(id).authorizationUrl())
      expect([title, page.status, titleOf(page)]).toEqual([title, 400, 'The client cannot be connected'])
    }
    expect(company.documents.requests()).toBeGreaterThanOrEqual(wrong.length)
  })

  test('are fetched once while they are fresh, by each replica', async () => {
    const company = await startCompany({ replicas: 1 })
    const client = company.documented()
    await client.signIn('ada')
    await client.signIn('ada')
    expect(company.documents.requests()).toBe(1)
  })

  test('may be written for many servers', async () => {
    const company = await startCompany({ replicas: 1 })
    const client = company.documented({
      grant_types: ['authorization_code', 'urn:ietf:params:oauth:grant-type:device_code'],
      redirect_uris: ['editor://callback', 'http://127.0.0.1/callback', 'https://editor.example/callback'],
      scope: 'openid other',
    })
    const code = (await client.authorize('ada')).get('code') ?? ''
    const { status, body } = await client.redeem(code)
    expect([status, 'refresh_token' in body]).toEqual([200, false])
  })

  test('are not fetched from invalid addresses', async () => {
    const company = await startCompany({ replicas: 1 })
    const { host } = new URL(company.documents.url)
    for (const id of [`http://${host}/client.json`, `https://${host}/a/../client.json`, `https://user@${host}/client.json`]) {
      company.documents.documents.set('/client.json', metadataOf({ client_id: id }))
      expect([id, (await newBrowser().open(company.clientOf(id).authorizationUrl())).status]).toEqual([id, 400])
    }
    expect(company.documents.requests()).toBe(0)
  })
})
