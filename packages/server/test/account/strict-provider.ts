import type { OAuthClient } from '../../src/account/login/oauth-client.ts'
import { noon, tokensNamed } from './logins.ts'

/** A provider that accepts each refresh token once; a second use ends the login, because the token may have been stolen. */
export function strictProvider({ now = () => noon, before = () => Promise.resolve() } = {}) {
  const used: string[] = []
  let ended = false
  const client: Pick<OAuthClient, 'refresh'> = {
    async refresh(refreshToken) {
      await before()
      const token = refreshToken.reveal()
      if (used.includes(token)) ended = true
      used.push(token)
      return ended ? undefined : { tokens: tokensNamed(`renewed-${used.length}`, now()) }
    },
  }
  return {
    client,
    used,
    end: () => {
      ended = true
    },
  }
}
