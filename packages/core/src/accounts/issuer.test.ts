import { describe, expect, it } from 'vitest'
import { inspect } from 'node:util'
import type { Fetch } from '../http.ts'
import { Secret } from '../credentials.ts'
import { oauthIssuer } from './issuer.ts'
import type { Provider } from './provider.ts'
import { minute, noon } from './test/logins.ts'

const provider: Provider = {
  name: 'Acme',
  endpoints: {
    authorization: 'https://acme.example/authorize',
    token: 'https://acme.example/token',
    revocation: 'https://acme.example/revoke',
  },
  scopeSeparator: ',',
  scopes: { asked: ['read'] },
  spelling: { written: (scope) => `acme:${scope}`, read: (written) => written.replace(/^acme:/, '') },
}

interface Asked {
  readonly url: string
  readonly type: string | null
  readonly form: Readonly<Record<string, string>>
}

/** An issuer whose provider gives one answer, and what the provider was asked. */
function issuer(answer: () => Response) {
  const asked: Asked[] = []
  const fetch: Fetch = async (input, init) => {
    const request = new Request(input, init)
    const form = Object.fromEntries(new URLSearchParams(await request.text()))
    asked.push({ url: request.url, type: request.headers.get('content-type'), form })
    return answer()
  }
  const { token: tokenUrl, revocation: revocationUrl } = provider.endpoints
  const client = { id: 'desktop', secret: new Secret('canary-secret') }
  return { asked, ...oauthIssuer({ fetch, provider, client, tokenUrl, revocationUrl, now: () => noon }) }
}

const never = new AbortController().signal
const json = (status: number, body: unknown) => () => Response.json(body, { status })
const full = { access_token: 'a-1', token_type: 'bearer', expires_in: 3600, refresh_token: 'r-1', scope: 'acme:read acme:write' }
const brought = { code: 'c', verifier: 'v', redirectUri: 'http://127.0.0.1:1/back' }
const renewed = (answer: () => Response) => issuer(answer).renew(new Secret('canary-refresh'), never)

it('redeems a code with its verifier, form-encoded', async () => {
  const { redeem, asked } = issuer(json(200, full))
  const { accessToken, refreshToken, expiry, scopes } = await redeem(brought, never)
  expect([accessToken.reveal(), refreshToken?.reveal(), scopes]).toEqual(['a-1', 'r-1', ['read', 'write']])
  expect(expiry).toEqual({ at: noon + 60 * minute, renewFrom: noon + 59 * minute })
  const form = { grant_type: 'authorization_code', code: 'c', code_verifier: 'v', redirect_uri: brought.redirectUri }
  expect(asked).toEqual([
    {
      url: 'https://acme.example/token',
      type: 'application/x-www-form-urlencoded;charset=UTF-8',
      form: { ...form, client_id: 'desktop', client_secret: 'canary-secret' },
    },
  ])
})

describe('an answer', () => {
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
    expect((await renewed(json(200, { ...full, scope })))?.scopes).toEqual(scopes)
  })

  it.each([
    [20, 2],
    ['600', 60],
    [86_399, 60],
  ])('that lasts %j seconds is renewed %i seconds early', async (lasts, early) => {
    const expiry = (await renewed(json(200, { ...full, expires_in: lasts })))?.expiry
    expect(expiry).toEqual({ at: noon + Number(lasts) * 1000, renewFrom: noon + (Number(lasts) - early) * 1000 })
  })

  it.each([undefined, null, 'soon', '', ' ', '1e3', -1, 0, '0', {}, [], [60], true])('that lasts %j has no known end', async (lasts) => {
    expect(await renewed(json(200, { ...full, expires_in: lasts }))).not.toHaveProperty('expiry')
  })

  it.each([
    {},
    [],
    'text',
    { ...full, access_token: '' },
    { ...full, access_token: 7 },
    { ...full, access_token: 'two words' },
    { ...full, access_token: 'line\r\nx-header: 1' },
    { ...full, token_type: 'mac' },
  ])('without a token that can be used is refused: %j', async (body) => {
    await expect(renewed(json(200, body))).rejects.toMatchObject({ code: 'unavailable', details: { retryable: false } })
  })
})

describe('a renewal', () => {
  it('is undefined when the provider has ended the login', async () => {
    expect(await renewed(json(400, { error: 'invalid_grant' }))).toBeUndefined()
  })

  it.each([
    [401, { error: 'invalid_client' }, 'unauthenticated'],
    [400, { error: 'unauthorized_client' }, 'unauthenticated'],
    [400, { error: 'canary-refresh <b>' }, 'unavailable'],
    [503, { error: 'server_error' }, 'unavailable'],
    [302, {}, 'unavailable'],
    [200, 'canary-refresh', 'unavailable'],
  ])('answered by HTTP %i and %j is %s, without a word of what was sent', async (status, body, code) => {
    const error: unknown = await renewed(json(status, body)).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code })
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('canary')
  })

  it('is sent once, whatever becomes of it', async () => {
    for (const answer of [json(503, {}), json(429, {}), () => Response.error()]) {
      const { renew, asked } = issuer(answer)
      await expect(renew(new Secret('r'), never)).rejects.toMatchObject({ code: 'unavailable' })
      expect(asked).toHaveLength(1)
    }
  })
})

describe('an answer without end', () => {
  it('is not read to it', async () => {
    let given = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        given += 1
        // Ends by itself some time, so that reading on shows.
        if (given > 400) controller.close()
        else controller.enqueue(new Uint8Array(65_536).fill(32))
      },
    })
    await expect(renewed(() => new Response(body))).rejects.toThrow('Acme answered with more than a token.')
    expect(given).toBeLessThan(40)
  })
})

describe('a revocation', () => {
  it('names the token, and takes an ended one for revoked', async () => {
    for (const answer of [json(200, {}), json(400, { error: 'invalid_token' })]) {
      const { revoke, asked } = issuer(answer)
      await revoke(new Secret('r-1'), never)
      expect(asked).toMatchObject([{ url: 'https://acme.example/revoke', form: { token: 'r-1', client_id: 'desktop' } }])
    }
  })

  it('says when it was refused', async () => {
    await expect(issuer(json(500, {})).revoke(new Secret('r'), never)).rejects.toMatchObject({ code: 'unavailable' })
  })
})
