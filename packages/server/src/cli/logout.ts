import { ToolError } from '@mcp-toolkits/core'
import { credentialFile } from '@mcp-toolkits/core/accounts'
import { removeYourself, revoked } from '../accounts/revoking.ts'
import { issuerOf } from '../accounts/stored.ts'
import { placeOf } from '../accounts/stored-login.ts'
import type { ServerDefinition, Settings } from '../definition.ts'
import { print, UsageError, type Command } from './command.ts'

/** What came of signing out, for the person, and whether it is as it should be. */
interface SignedOut {
  readonly code: 0 | 1
  readonly text: string
}

/** Has the provider revoke the login, and forgets it in any case; exit code 1 when the provider could not be told. */
export const logout: Command = async (definition, { settings, operands }, console) => {
  const { signIn } = definition
  if (!signIn) throw new UsageError(`${definition.title} has no sign-in. ${definition.connectHint}`)
  if (operands.length > 0) throw new UsageError(`logout takes no ${operands.join(' ')}; an account is named by --profile.`)
  try {
    const { code, text } = await signedOut({ name: definition.name, signIn }, settings)
    await print(code === 0 ? console.output : console.errors, text)
    return code
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    await print(console.errors, `${definition.name}: ${error.message}`)
    return 1
  }
}

type Signing = Required<Pick<ServerDefinition<never>, 'name' | 'signIn'>>

async function signedOut({ name: server, signIn: { provider } }: Signing, settings: Settings): Promise<SignedOut> {
  const { name } = provider
  const file = credentialFile(settings.dataDirectory)
  const place = placeOf(server, settings)
  const under = settings.profile === undefined ? 'here' : `under the profile "${place.profile}"`
  // Alone, so that no server renews meanwhile what is being forgotten.
  return file.alone(place, async () => {
    const login = file.read(place)
    // Whoever names a profile means one that is there.
    if (!login) return { code: settings.profile === undefined ? 0 : 1, text: `Nobody is signed in to ${name} ${under}.` }
    const problem = await revoked(login, issuerOf(provider, login, globalThis.fetch))
    await file.write(place, undefined)
    if (problem) return { code: 1, text: `The login is deleted here, but ${name} still counts it: ${problem.message} ${removeYourself}` }
    if (!login.tokens) return { code: 0, text: `Signed out of ${name}: the login is deleted. ${name} had ended it before.` }
    return { code: 0, text: `Signed out of ${name}: the login is revoked and deleted.` }
  })
}
