/** What a provider's scopes mean for one another. */
export interface ScopeRules {
  /** Those that every login has, said or not. */
  readonly always?: readonly string[]
  /** Those that a scope holds within it. */
  readonly within?: Readonly<Record<string, readonly string[]>>
}

/** Any of several scopes, as one need: `drive.file|drive.readonly`. */
const or = '|'

/** The needs that no granted scope meets. A need is a scope, or several with `|` between them, any of which will do. */
export function lackingScopes(needs: readonly string[], granted: readonly string[], rules: ScopeRules = {}): string[] {
  const held = new Set<string>()
  const take = (scope: string) => {
    if (held.has(scope)) return
    held.add(scope)
    for (const inner of rules.within?.[scope] ?? []) take(inner)
  }
  for (const scope of [...granted, ...(rules.always ?? [])]) take(scope)
  return needs.filter((need) => !need.split(or).some((scope) => held.has(scope)))
}

/** The first scope of a need, which is the least that meets it. */
export function leastScope(need: string): string {
  return need.split(or)[0] ?? need
}

/** A need in words. */
export function needInWords(need: string): string {
  return need.split(or).join(' or ')
}
