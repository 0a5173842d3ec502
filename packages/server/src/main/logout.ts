import { ToolError, type Secret } from '@mcp-toolkits/core'
import { credentialFile, type Login } from '@mcp-toolkits/core/accounts'
import { issuerOf } from '../accounts/stored.ts'
import { placeOf } from '../accounts/stored-login.ts'
import type { Command } from './cli.ts'
import { print } from './console.ts'
import { UsageError } from './usage.ts'

/** How long the provider may take to revoke a login, in milliseconds. */
const revocationMs = 15_000

/** Has the provider revoke the login, and forgets it in any case; exit code 1 when the provider could not be told. */
export const logout: Command = async (definition, { settings }, console) => {
  const { signIn } = definition
  if (!signIn) throw new UsageError(`${definition.title} has no sign-in. ${definition.connectHint}`)
  const { name } = signIn.provider
  const file = credentialFile(settings.dataDirectory)
  const place = placeOf(definition.name, settings)
  try {
    // Alone, so that no server renews meanwhile what is being forgotten.
    const told = await file.alone(place, async () => {
      const login = file.read(place)
      if (!login) return `Nobody is signed in to ${name} here.`
      const issuer = issuerOf(signIn.provider, login, globalThis.fetch)
      const problem = await problemOf(revoked(login, (token) => issuer.revoke(token, AbortSignal.timeout(revocationMs))))
      await file.write(place, undefined)
      return problem ?? `Signed out of ${name}: the login is revoked and deleted.`
    })
    if (typeof told === 'string') {
      await print(console.output, told)
      return 0
    }
    await print(
      console.errors,
      `The login is deleted here, but ${name} still counts it: ${told.message} Remove the application in the settings of your account.`,
    )
    return 1
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    await print(console.errors, `${definition.name}: ${error.message}`)
    return 1
  }
}

/** First what could give out new tokens, then what could still be used. */
async function revoked({ tokens }: Login, revoke: (token: Secret) => Promise<void>): Promise<void> {
  if (tokens?.refreshToken) await revoke(tokens.refreshToken)
  if (tokens) await revoke(tokens.accessToken)
}

async function problemOf(work: Promise<void>): Promise<ToolError | undefined> {
  try {
    await work
    return undefined
  } catch (error) {
    if (error instanceof ToolError) return error
    throw error
  }
}
