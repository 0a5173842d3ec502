import type { Settings } from './definition.ts'

/** The hosts that an operator allows although they are not public, and what said so. */
export interface PrivateHosts {
  readonly hosts: readonly string[]
  /** The option or the variable. */
  readonly saidBy: string
}

/** Reads the command line over the variable; nothing is checked. */
export function privateHosts({ allowPrivateUrls, environment }: Settings, variable: string): PrivateHosts {
  if (allowPrivateUrls) return { hosts: allowPrivateUrls, saidBy: '--allow-private-urls' }
  const named = (environment[variable] ?? '').split(',').map((host) => host.trim())
  return { hosts: named.filter((host) => host !== ''), saidBy: variable }
}
