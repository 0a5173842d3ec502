import { InvalidInput } from '@mcp-toolkits/core'
import { allowedHosts } from '@mcp-toolkits/core/allowed-hosts'
import type { PrivateHosts } from './private-hosts.ts'

/** Why one of the hosts cannot be allowed, beginning with what said so; undefined where all can. Only the tool that fetches would notice. */
export function refusedHost({ hosts, saidBy }: PrivateHosts): string | undefined {
  try {
    allowedHosts(hosts)
    return undefined
  } catch (error) {
    if (error instanceof InvalidInput) return `${saidBy}: ${error.message}`
    throw error
  }
}
