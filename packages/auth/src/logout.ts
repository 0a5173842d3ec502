import { type Secret, ToolError, Unavailable } from '@mcp-toolkits/core'
import { withTimeout } from '@mcp-toolkits/core/async'
import type { Clock } from '@mcp-toolkits/core/clock'
import { type AccountConfig, type AccountSettings, profileKey } from './account.ts'
import { oauthClient, type OAuthClient } from './oauth-client.ts'
import type { Login } from './stored-login.ts'
import { openTokenStore } from './token-store.ts'

/** How long the provider may take to revoke a token, in milliseconds. */
const revocationMs = 15_000

/** What a person can do when the provider could not be reached. */
export const removalHint = 'Remove the application in the settings of your account.'

export interface LogoutResult {
  /** Whether the login is gone, here and at the provider. */
  readonly isDone: boolean
  readonly message: string
}

/** Has the provider revoke the login, and deletes it in any case. */
export async function logOut(account: AccountConfig, settings: AccountSettings, clock?: Clock): Promise<LogoutResult> {
  const { provider } = account
  const { name } = provider
  const store = openTokenStore(settings.dataDirectory, clock)
  const key = profileKey(account, settings)
  // Under the lock, so that no server refreshes the login meanwhile.
  return store.withLock(key, async () => {
    const login = await store.read(key)
    if (!login) {
      // An operator who names a profile expects that it exists.
      if (settings.profile === undefined) return { isDone: true, message: `Not signed in to ${name}.` }
      return { isDone: false, message: `Not signed in to ${name} under the profile "${key.profile}".` }
    }
    const problem = await revokeLogin(login, oauthClient({ provider, target: login, clock }), clock)
    await store.write(key, undefined)
    if (problem) {
      return { isDone: false, message: `The login is deleted here, but ${name} still counts it: ${problem.message} ${removalHint}` }
    }
    const how = login.tokens ? 'the login is revoked and deleted.' : `the login is deleted. ${name} had ended it before.`
    return { isDone: true, message: `Signed out of ${name}: ${how}` }
  })
}

/** Revokes the refresh token and then, whatever came of that, the access token. Resolves with the first problem. */
export async function revokeLogin(
  { tokens }: Pick<Login, 'tokens'>,
  client: Pick<OAuthClient, 'revoke'>,
  clock?: Clock,
): Promise<ToolError | undefined> {
  if (!tokens) return undefined
  const revoke = async (token: Secret): Promise<ToolError | undefined> => {
    try {
      const reason = () => new Unavailable('The provider did not answer in time.')
      await withTimeout({ ms: revocationMs, reason, clock }, ({ signal }) => client.revoke(token, signal))
      return undefined
    } catch (error) {
      if (error instanceof ToolError) return error
      throw error
    }
  }
  const first = tokens.refreshToken && (await revoke(tokens.refreshToken))
  const second = await revoke(tokens.accessToken)
  return first ?? second
}
