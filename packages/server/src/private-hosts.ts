import { InvalidInput } from '@mcp-toolkits/core'
import { parseAllowedHosts } from '@mcp-toolkits/core/allowed-hosts'
import type { Settings } from './definition.ts'

/** The hosts that an operator allows although they are not public, and what said so. */
export interface PrivateHosts {
  readonly hosts: readonly string[]
  /** The option or the variable. */
  readonly source: string
}

/** Reads the command line over the variable; nothing is checked. */
export function privateHosts({ allowPrivateUrls, environment }: Settings, variable: string): PrivateHosts {
  if (allowPrivateUrls) return { hosts: allowPrivateUrls, source: '--allow-private-urls' }
  const named = (environment[variable] ?? '').split(',').map((host) => host.trim())
  return { hosts: named.filter((host) => host !== ''), source: variable }
}

/** Why one of the hosts cannot be allowed, beginning with what said so; undefined where all can. Only the tool that fetches would notice. */
export function invalidHostProblem({ hosts, source: saidBy }: PrivateHosts): string | undefined {
  try {
    parseAllowedHosts(hosts)
    return undefined
  } catch (error) {
    if (error instanceof InvalidInput) return `${saidBy}: ${error.message}`
    throw error
  }
}
