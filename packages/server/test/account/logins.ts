import { Secret } from '@mcp-toolkits/core/upstream'
import type { Login } from '../../src/account/tokens/login-format.ts'

export const key = { server: 'tracker', profile: 'default' }
export const minute = 60_000
export const noon = Date.parse('2026-03-01T12:00:00Z')

/** A login whose access token ends an hour after noon. */
export function loginWith(changed: Partial<Login> = {}): Login {
  return {
    client: { id: 'desktop' },
    authorizationUrl: 'https://acme.example/authorize',
    tokenUrl: 'https://acme.example/token',
    revocationUrl: 'https://acme.example/revoke',
    apiUrl: 'https://api.acme.example/v1',
    account: { account: 'Ada' },
    scopes: ['read'],
    tokens: tokensNamed('first'),
    ...changed,
  }
}

/** A pair of tokens that lasts for an hour from a moment. */
export function tokensNamed(name: string, from = noon) {
  return {
    accessToken: new Secret(`access-${name}`),
    refreshToken: new Secret(`refresh-${name}`),
    expiry: { expiresAt: from + 60 * minute, refreshAt: from + 59 * minute },
  }
}
