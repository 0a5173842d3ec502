import { Forbidden } from '@mcp-toolkits/core'
import { lackingScopes, leastScope, needInWords } from '@mcp-toolkits/core/accounts'
import type { ServerDefinition, Settings } from '../definition.ts'
import type { ListedTool } from '../listing.ts'
import { commandLine } from './command-line.ts'

type Signing = Pick<ServerDefinition<never>, 'name' | 'prefix' | 'signIn'>

/** What a tool needs and a login lacks. Scopes that nobody knows lack nothing: such a token is tried. */
export function lackingFor({ signIn }: Pick<Signing, 'signIn'>, tool: ListedTool, granted: readonly string[] | undefined): string[] {
  if (!signIn || !granted || signIn.neverRefused.includes(tool.name)) return []
  return lackingScopes(tool.scopes, granted, signIn.provider.scopes)
}

/** Refuses a call that is known to lack a scope. Throws `Forbidden`, naming it and the command that asks for it. */
export function checkScopes(
  definition: Signing,
  tool: ListedTool,
  { granted, settings }: { granted: readonly string[] | undefined; settings: Settings },
): void {
  const lacking = lackingFor(definition, tool, granted)
  if (!granted || lacking.length === 0) return
  const wanted = [...new Set([...granted, ...lacking.map(leastScope)])]
  const command = commandLine(definition.name, settings, ['login', '--scopes', wanted.join(',')])
  const scopes = lacking.map(needInWords).join(' and ')
  const has = granted.length > 0 ? granted.join(', ') : 'none'
  throw new Forbidden(
    `${definition.prefix}.${tool.name} needs the scope ${scopes}, and this login has: ${has}. Nothing was sent. Ask the person to run the command; the call then works without a restart.`,
    { next: { command } },
  )
}
