import { logOut } from '@mcp-toolkits/auth/login'
import { ToolError } from '@mcp-toolkits/core'
import { type Command, print, UsageError } from './command.ts'

/** Has the provider revoke the login, and deletes it in any case; exit code 1 when the provider could not be reached. */
export const logout: Command = async (definition, { settings, operands }, console) => {
  const { account } = definition
  if (!account) throw new UsageError(`${definition.title} has no sign-in. ${definition.connectHint}`)
  if (operands.length > 0) throw new UsageError(`Unexpected: ${operands.join(' ')}. Choose a login with --profile.`)
  try {
    const { isDone, message } = await logOut(account, settings)
    await print(isDone ? console.output : console.errors, message)
    return isDone ? 0 : 1
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    await print(console.errors, `${definition.name}: ${error.message}`)
    return 1
  }
}
