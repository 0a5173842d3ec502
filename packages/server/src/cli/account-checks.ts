import { Secret, ToolError } from '@mcp-toolkits/core'
import { commandLine } from '@mcp-toolkits/auth/account'
import { overridingVariables } from '@mcp-toolkits/auth/token-source'
import type { ServerDefinition, Settings } from '../definition.ts'
import type { Toolbox } from '../toolbox.ts'
import type { Check } from './local-checks.ts'
import { networkChecks } from './network-checks.ts'
import { loginFacts } from './status.ts'
import { upstreamText } from './upstream-text.ts'

/** How long a vendor may take to say whether a credential is right, in milliseconds. */
const checkMs = 10_000

/** Whether the vendor is reachable and accepts the credentials. Without an account, nothing leaves this machine. */
export async function accountChecks<Context>(
  definition: ServerDefinition<Context>,
  settings: Settings,
  toolbox: Toolbox,
): Promise<Check[]> {
  const { vendor, connectHint } = definition
  if (toolbox.upstreamProblem !== undefined) {
    return [{ name: 'Credentials', state: 'problem', text: toolbox.upstreamProblem, fix: connectHint }]
  }
  if (!toolbox.usesAccount) {
    const text = `none: the server uses the embedded default, and sends nothing to ${vendor}. ${connectHint}`
    return [{ name: 'Credentials', state: 'skipped', text }]
  }
  const upstream = definition.upstream(settings)
  if (upstream.kind !== 'vendor') return []
  const network = await networkChecks(new URL(upstream.url), settings.environment)
  if (network.some(({ name, state }) => name === 'Network' && state === 'problem')) {
    return [...network, { name: 'Credentials', state: 'skipped', text: `not checked: ${vendor} cannot be asked` }]
  }
  const used = upstreamText(definition, settings, toolbox)
  const accepted = await acceptance(definition, settings, toolbox)
  const credentials: Check =
    'problem' in accepted
      ? { name: 'Credentials', state: 'problem', text: `${used}: ${accepted.problem}`, fix: connectHint }
      : { name: 'Credentials', state: 'ok', text: `${used}: accepted${accepted.account}` }
  return [...network, credentials, await checkScopes(definition, settings, toolbox)]
}

type Acceptance = { readonly problem: string } | { readonly account: string }

/** Asks whose account it is; a vendor of events is only asked whether it accepts the key. */
async function acceptance<Context>(definition: ServerDefinition<Context>, settings: Settings, toolbox: Toolbox): Promise<Acceptance> {
  try {
    if (definition.account) {
      const { problem, name, email, workspace } = await toolbox.status()
      if (typeof problem === 'string') return { problem }
      const facts = [name, email, workspace].filter((fact) => typeof fact === 'string')
      return { account: facts.length === 0 ? '' : `, as ${facts.join(', ')}` }
    }
    const key = definition.keyVariable === undefined ? undefined : settings.environment[definition.keyVariable]
    const steps = await definition.loadConnectSteps?.(settings)
    if (key !== undefined) await steps?.key?.check(new Secret(key), AbortSignal.timeout(checkMs))
    return { account: '' }
  } catch (error) {
    if (error instanceof ToolError) return { problem: error.message }
    throw error
  }
}

/** Whether the login has the scopes of every tool. */
async function checkScopes<Context>(definition: ServerDefinition<Context>, settings: Settings, toolbox: Toolbox): Promise<Check> {
  const name = 'Scopes'
  const { account, vendor } = definition
  if (!account) return { name, state: 'skipped', text: `a key of ${vendor} has none` }
  const [variable] = overridingVariables(account, settings.environment)
  if (variable !== undefined)
    return { name, state: 'skipped', text: `${vendor} does not list those of ${variable}: a call that lacks one says so` }
  const { scopes, tools_lacking_a_scope: lacking } = await loginFacts(definition, settings, toolbox.listing)
  const limited: readonly unknown[] = Array.isArray(lacking) ? lacking : []
  if (limited.length === 0) return { name, state: 'ok', text: Array.isArray(scopes) ? scopes.join(', ') : 'enough for every tool' }
  return {
    name,
    state: 'warning',
    text: `These tools lack a scope: ${limited.join(', ')}.`,
    fix: `\`${commandLine(definition.name, settings, ['login'])}\` asks for all of them.`,
  }
}
