import { profileKey } from '../../account/account.ts'
import { accountText, environmentTarget } from '../../account/login/login.ts'
import { missingToolScopes } from '../../account/login/scopes.ts'
import { overridingVariables } from '../../account/tokens/token-source.ts'
import { tokenStoreOf } from '../../account/tokens/login-store.ts'
import { isObject } from '@mcp-toolkits/core/base'
import { printableLine, ToolError } from '@mcp-toolkits/core/errors'
import type { Environment } from '@mcp-toolkits/core/upstream'
import type { ServerDefinition, Settings } from '../../mcp/definition.ts'
import type { Extended } from '../../mcp/extension.ts'
import type { SharedStore } from '../../storage/shared-store.ts'
import { teamOf } from '../../team.ts'
import type { Listing } from '../../mcp/listing/listing.ts'
import { toolsetsOf } from '../../mcp/listing/toolsets.ts'
import { openToolbox, type Toolbox } from '../../mcp/calls/toolbox.ts'
import { type CommandLine, type Console, print, printJson } from '../command.ts'
import type { Command } from './command-type.ts'
import { logTo } from '../process/log-to.ts'
import { withInvocation } from '../invocation.ts'
import { misspeltVariables, unusedVariables } from '../checks/settings-warnings.ts'
import { toolsForModels } from '../../mcp/listing/listed-tool.ts'

export type Facts = Readonly<Record<string, unknown>>

/** Prints the upstream, the account and its scopes; exit code 1 if the configuration is unusable. */
export const status: Command = async (definition, line, console) => {
  if (line.issuer !== undefined && hasAccountsOfPeople(definition, line.settings))
    return (await teamOf(definition)).status(definition, line, console)
  if (line.store === undefined) return printStatus(definition, line, console)
  const { withStore } = await teamOf(definition)
  return withStore(definition, line, (settings, shared) => printStatus(definition, { ...line, settings, shared }, console))
}

/** The vendor's address for people's accounts; undefined if they enter keys, or the environment describes no client for them. */
export function peopleApi<Context>({ account }: ServerDefinition<Context>, settings: Settings): string | undefined {
  try {
    return account && environmentTarget(account, settings)?.apiUrl
  } catch (error) {
    if (error instanceof ToolError) return undefined
    throw error
  }
}

async function printStatus<Context>(
  definition: ServerDefinition<Context>,
  line: CommandLine & { readonly shared?: SharedStore },
  console: Console,
): Promise<number> {
  const { settings, logLevel, shared } = line
  const toolbox = openToolbox(definition, settings, { log: logTo(definition, console, logLevel), ...(shared && { shared }) })
  try {
    const status = await toolbox.status()
    const facts: Facts = {
      server: `${definition.name} ${definition.version}`,
      upstream: status['upstream'],
      ...(toolbox.usesAccount && (await loginFacts(definition, settings, toolbox.listing))),
      ...status,
      ...extensionFacts(definition, settings),
      ...(definition.toolsets && { toolsets: toolsetsOf(definition, settings) }),
      data_directory: settings.dataDirectory,
      ...(shared && { store: shared.location, schema: shared.schema }),
    }
    const found = await variableFindings(definition, console.environment)
    return await printFacts(facts, {
      definition,
      line,
      console,
      hints: [...found, ...(toolbox.usesAccount ? [] : [String(definition.connectHint)])],
    })
  } finally {
    await toolbox.close()
  }
}

interface Printing {
  readonly definition: Pick<ServerDefinition<never>, 'name'>
  readonly line: Pick<CommandLine, 'json'>
  readonly console: Console
  /** Printed after the facts, for people. */
  readonly hints: readonly string[]
}

export async function printFacts(facts: Facts, { definition, line: { json }, console, hints }: Printing): Promise<number> {
  const lines = Object.entries(facts).map(([name, value]) => `${labelOf(name)}: ${printableLine(inWords(name, value))}`)
  if (json) await printJson(console.output, facts, 2)
  else await print(console.output, [...lines, ...hints.map(withInvocation(definition, console))].join('\n'))
  return 'problem' in facts ? 1 : 0
}

/** Suspicious variables: misspelt ones, and those of other programs. */
async function variableFindings<Context>(definition: ServerDefinition<Context>, environment: Environment): Promise<string[]> {
  return [...(await misspeltVariables(definition, environment)), ...(await unusedVariables(definition, environment))]
}

/** The facts from extensions. */
export function extensionFacts({ extensions = [] }: Extended, settings: Settings): Facts {
  return Object.fromEntries(extensions.flatMap(({ facts }) => Object.entries(facts?.(settings) ?? {})))
}

/** Facts about the stored login, without asking the vendor. Empty if other credentials are used. */
export async function loginFacts<Context>(definition: ServerDefinition<Context>, settings: Settings, listing: Listing): Promise<Facts> {
  const { account } = definition
  if (!account || overridingVariables(account, settings.environment).length > 0) return {}
  const key = profileKey(account, settings)
  const store = tokenStoreOf(settings)
  const login = await store.read(key)
  if (!login) return {}
  const { scopes, tokens } = login
  const limitedTools = toolsForModels(definition.listedTools).flatMap((tool) => {
    const spelled = listing.spell(`${definition.prefix}.${tool.name}`)
    const missing = missingToolScopes(account, tool, scopes)
    return spelled === undefined || missing.length === 0 ? [] : [`${spelled} (${missing.join(', ')})`]
  })
  return {
    ...login.account,
    profile: key.profile,
    scopes: scopes ?? 'unknown',
    ...(tokens?.expiry && {
      token_expires_at: new Date(tokens.expiry.expiresAt).toISOString(),
      renewed_by_itself: tokens.refreshToken !== undefined,
    }),
    tools_lacking_a_scope: limitedTools,
    credential_file: store.location,
  }
}

const labelOf = (name: string) => name.replaceAll('_', ' ').replace(/\burl$/, 'URL')

/** A fact in words for people. */
function inWords(name: string, value: unknown): string {
  if (name === 'upstream' && value === 'embedded') return 'the embedded default, on this machine'
  if (name !== 'toolsets' || !isObject(value)) return toLine(value)
  const { on, off } = value
  return Array.isArray(off) && off.length > 0 ? `${toLine(on)}; more with --toolsets: ${toLine(off)}` : toLine(on)
}

function toLine(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (isObject(value)) return toLine(Object.entries(value).map(([name, each]) => `${toLine(each)} ${labelOf(name)}`))
  if (!Array.isArray(value)) return JSON.stringify(value)
  return value.length === 0 ? 'none' : value.map(toLine).join(', ')
}

/** Text about the address that calls go to, and their credential. */
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
 * Prints which account a command uses, if the environment describes a multi-user server: commands do not use the accounts of its users.
 * Prints nothing if people share one key.
 */
export async function printAccountNote<Context>(
  definition: ServerDefinition<Context>,
  { settings, issuer }: CommandLine,
  console: Console,
): Promise<void> {
  if (issuer === undefined || !hasAccountsOfPeople(definition, settings)) return
  const upstream = upstreamText(definition, settings, openToolbox(definition, settings, { log: logTo(definition, console, 'silent') }))
  const what = upstream === 'none' ? 'no account' : upstream
  await print(
    console.errors,
    `MCP_TOOLKITS_ISSUER describes a server on which each person uses their own account. This command does not: it uses ${what}.`,
  )
}

/** True if people connect accounts, or enter keys, instead of using the key in the environment. */
export function hasAccountsOfPeople<Context>({ account }: ServerDefinition<Context>, { environment }: Settings): boolean {
  return account !== undefined || environment['MCP_TOOLKITS_KEYS'] === 'person'
}
