import { accountText } from '@mcp-toolkits/auth/login'
import { overridingVariables } from '@mcp-toolkits/auth/token-source'
import type { ServerDefinition, Settings } from '../definition.ts'
import { openToolbox, type Toolbox } from '../toolbox.ts'
import { type CommandLine, type Console, logTo, print } from './command.ts'

/** Where calls go, and with which credential. */
export function upstreamText<Context>(
  definition: ServerDefinition<Context>,
  settings: Settings,
  { embedded, usesAccount }: Toolbox,
): string {
  if (embedded) return 'the embedded default'
  const upstream = usesAccount ? definition.upstream(settings) : undefined
  if (upstream?.kind !== 'vendor') return 'none'
  const { account } = definition
  if (!account) return upstream.url
  const [variable] = overridingVariables(account, settings.environment)
  if (variable !== undefined) return `${upstream.url} with ${variable}`
  const person = accountText(settings.sharedLogins?.atStart?.account ?? {})
  return `${upstream.url} with ${person === '' ? 'the stored login' : `the login of ${person}`}`
}

/**
 * Says with which account a command works where the environment describes a server for many people, whose accounts it does not use.
 * Nothing where they all have one key.
 */
export async function printAccountNote<Context>(
  definition: ServerDefinition<Context>,
  { settings, issuer }: CommandLine,
  console: Console,
): Promise<void> {
  if (issuer === undefined || !hasAccountsOfPeople(definition, settings)) return
  const upstream = upstreamText(definition, settings, openToolbox(definition, settings, { log: logTo(console, 'silent') }))
  const what = upstream === 'none' ? 'no account' : upstream
  await print(
    console.errors,
    `MCP_TOOLKITS_ISSUER describes a server on which each person uses their own account. This command uses none of those, but ${what}.`,
  )
}

/** Whether people connect accounts, or enter keys, instead of using the key of the environment. */
export function hasAccountsOfPeople<Context>({ account }: ServerDefinition<Context>, { environment }: Settings): boolean {
  return account !== undefined || environment['MCP_TOOLKITS_KEYS'] === 'person'
}
