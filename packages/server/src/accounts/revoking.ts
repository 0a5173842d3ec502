import { ToolError, type Secret } from '@mcp-toolkits/core'
import type { Issuer, Login } from '@mcp-toolkits/core/accounts'

/** How long the provider may take to revoke one token, in milliseconds. */
const revocationMs = 15_000

/** What a person can do where the provider could not be told. */
export const removeYourself = 'Remove the application in the settings of your account.'

/**
 * Has the provider revoke the tokens of a login: first what could give out new ones, and then, whatever came of that, what could still be
 * used. Resolves with the first problem.
 */
export async function revoked({ tokens }: Pick<Login, 'tokens'>, issuer: Pick<Issuer, 'revoke'>): Promise<ToolError | undefined> {
  if (!tokens) return undefined
  const { refreshToken, accessToken } = tokens
  const first = refreshToken && (await problemOf(issuer, refreshToken))
  const second = await problemOf(issuer, accessToken)
  return first ?? second
}

async function problemOf(issuer: Pick<Issuer, 'revoke'>, token: Secret): Promise<ToolError | undefined> {
  try {
    await issuer.revoke(token, AbortSignal.timeout(revocationMs))
    return undefined
  } catch (error) {
    if (error instanceof ToolError) return error
    throw error
  }
}
