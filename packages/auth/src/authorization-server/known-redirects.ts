import type { ExpiringRecords } from '@mcp-toolkits/core/shared-state'
import { digest } from '../people/connect-records.ts'
import { isLoopback } from './clients.ts'
import { lifetimes } from './lifetimes.ts'
import { recordKey } from './stored-values.ts'

/**
 * Where browsers may be sent without a question. Anyone can register a client, and an address of this server that leads to any other helps
 * an attacker to deceive people (https://www.rfc-editor.org/rfc/rfc9700#section-4.11.2): so that counts only once a person of the
 * company has let the client act for them. What is on the person's computer is always known.
 */
export interface KnownRedirects {
  readonly includes: (clientId: string, redirectUri: string) => Promise<boolean>
  readonly add: (clientId: string, redirectUri: string) => Promise<void>
}

export function knownRedirects(records: ExpiringRecords): KnownRedirects {
  const keyOf = (clientId: string, redirectUri: string) =>
    recordKey('oauth known redirect', digest(JSON.stringify([clientId, redirectUri])))
  return {
    includes: async (clientId, redirectUri) => isLoopback(redirectUri) || (await records.get(keyOf(clientId, redirectUri))) !== undefined,
    add: async (clientId, redirectUri) => {
      if (!isLoopback(redirectUri)) await records.set(keyOf(clientId, redirectUri), 'known', lifetimes.authorization * 1_000)
    },
  }
}
