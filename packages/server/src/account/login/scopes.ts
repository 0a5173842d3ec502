import { Forbidden, sentence } from '@mcp-toolkits/core/errors'
import { type AccountConfig, type AccountSettings, type ScopeRules, signInStep } from '../account.ts'

/** The parts of a tool that determine its scopes. A required scope may name alternatives: `drive.file|drive.readonly`. */
export interface ScopedTool {
  readonly name: string
  readonly scopes: readonly string[]
}

/** Required scopes that the granted scopes do not cover. */
export function missingScopes(required: readonly string[], granted: readonly string[], rules: ScopeRules = {}): string[] {
  const covered = new Set<string>()
  const add = (scope: string) => {
    if (covered.has(scope)) return
    covered.add(scope)
    for (const included of rules.includes?.[scope] ?? []) add(included)
  }
  for (const scope of [...granted, ...(rules.always ?? [])]) add(scope)
  return required.filter((scope) => !alternatives(scope).some((alternative) => covered.has(alternative)))
}

/** Scopes that a tool needs and the login lacks. Empty if the granted scopes are unknown; the call is then tried. */
export function missingToolScopes(
  { scopeExempt, provider }: Pick<AccountConfig, 'scopeExempt' | 'provider'>,
  tool: ScopedTool,
  granted: readonly string[] | undefined,
): string[] {
  if (!granted || scopeExempt.includes(tool.name)) return []
  return missingScopes(tool.scopes, granted, provider.scopes)
}

export interface ScopeCheck {
  readonly account: AccountConfig
  readonly settings: AccountSettings
  readonly granted: readonly string[] | undefined
}

/** Throws `Forbidden` for a call that the vendor would refuse, naming the scope and how the person can grant it. */
export function checkToolScopes(tool: ScopedTool, canonicalName: string, { account, settings, granted }: ScopeCheck): void {
  const missing = missingToolScopes(account, tool, granted)
  if (!granted || missing.length === 0) return
  const requested = [...new Set([...granted, ...missing.map(smallestScope)])]
  const { advice, details } = signInStep(account, settings, requested)
  const scopes = missing.map((scope) => alternatives(scope).join(' or ')).join(' and ')
  const has = granted.length > 0 ? granted.join(', ') : 'none'
  throw new Forbidden(
    sentence`${{ tool: canonicalName }} needs the scope ${scopes}, and this login has: ${has}.`.and(`Nothing was sent. ${advice}`),
    details,
  )
}

const alternatives = (scope: string) => scope.split('|')

/** The least permissive alternative, which comes first. */
const smallestScope = (scope: string) => alternatives(scope)[0] ?? scope
