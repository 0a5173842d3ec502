import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { consentUrl, endpointsAt, newAttempt, type Provider } from './provider.ts'

/** A provider that differs from the plainest in everything. */
const provider: Provider = {
  name: 'Acme',
  endpoints: {
    authorization: 'https://accounts.acme.example/o/v2/auth',
    token: 'https://oauth.acme.example/token',
    revocation: 'https://oauth.acme.example/revoke',
  },
  scopeSeparator: ' ',
  scopes: { asked: ['drive.file'] },
  spelling: {
    written: (scope) => `https://acme.example/auth/${scope}`,
    read: (written) => written.replace('https://acme.example/auth/', ''),
  },
  parameters: { access_type: 'offline', prompt: 'consent' },
}

it('leads to the page of consent with a challenge and without the verifier', () => {
  const attempt = newAttempt()
  const endpoint = provider.endpoints.authorization
  const asking = { endpoint, clientId: 'a&b', redirectUri: 'http://127.0.0.1:1/x?y', scopes: ['drive.file', 'me'], ...attempt }
  const url = new URL(consentUrl(provider, asking))
  expect(url.origin + url.pathname).toBe(endpoint)
  expect(Object.fromEntries(url.searchParams)).toEqual({
    access_type: 'offline',
    prompt: 'consent',
    response_type: 'code',
    client_id: 'a&b',
    redirect_uri: 'http://127.0.0.1:1/x?y',
    scope: 'https://acme.example/auth/drive.file https://acme.example/auth/me',
    state: attempt.state,
    code_challenge: createHash('sha256').update(attempt.verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  expect(url.href).not.toContain(attempt.verifier)
})

it('tells every sign-in apart', () => {
  const attempts = Array.from({ length: 50 }, newAttempt)
  expect(new Set(attempts.flatMap(({ state, verifier }) => [state, verifier])).size).toBe(100)
  for (const { verifier } of attempts) expect(verifier).toMatch(/^[\w-]{43}$/)
})

it('moves all endpoints together, each under its own path', () => {
  expect(endpointsAt(provider, undefined)).toEqual(provider.endpoints)
  expect(endpointsAt(provider, 'http://127.0.0.1:4000/emulated')).toEqual({
    authorization: 'http://127.0.0.1:4000/emulated/o/v2/auth',
    token: 'http://127.0.0.1:4000/emulated/token',
    revocation: 'http://127.0.0.1:4000/emulated/revoke',
  })
})
