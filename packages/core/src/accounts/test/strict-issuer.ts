import type { Issuer } from '../provider.ts'
import { noon, tokensNamed } from './logins.ts'

/** A provider that takes each refresh token once; a second time ends the login, as it does for a thief. */
export function strictIssuer({ now = () => noon, before = () => Promise.resolve() } = {}) {
  const used: string[] = []
  const revoked: string[] = []
  let ended = false
  const issuer: Issuer = {
    redeem: () => Promise.reject(new Error('Not asked here.')),
    async renew(refreshToken) {
      await before()
      const token = refreshToken.reveal()
      if (used.includes(token)) ended = true
      used.push(token)
      return ended ? undefined : tokensNamed(`renewed-${used.length}`, now())
    },
    revoke: (token) => Promise.resolve(void revoked.push(token.reveal())),
  }
  return {
    issuer,
    used,
    revoked,
    end: () => {
      ended = true
    },
  }
}
