import { InvalidInput } from '@mcp-toolkits/core/errors'
import { parseAllowedHosts } from '@mcp-toolkits/core/upstream'
import type { Settings } from '../mcp/definition.ts'

/** The private hosts that an operator allows, and the option or variable that lists them. */
export interface PrivateHosts {
  readonly hosts: readonly string[]
  readonly source: string
}

/** Reads the option, or else the variable, without checking the hosts. */
export function privateHosts({ allowPrivateUrls, environment }: Settings, variable: string): PrivateHosts {
  if (allowPrivateUrls) return { hosts: allowPrivateUrls, source: '--allow-private-urls' }
  const hosts = (environment[variable] ?? '').split(',').map((host) => host.trim())
  return { hosts: hosts.filter((host) => host !== ''), source: variable }
}

/** Why a host cannot be allowed, beginning with its source; undefined when all can. Otherwise only a call that fetches would notice. */
export function invalidHostProblem({ hosts, source }: PrivateHosts): string | undefined {
  try {
    parseAllowedHosts(hosts)
    return undefined
  } catch (error) {
    if (error instanceof InvalidInput) return `${source}: ${error.message}`
    throw error
  }
}
