import type { PeopleState } from '@mcp-toolkits/core/base'
import { familyLock } from './refresh-tokens.ts'
import { signingKeysLock } from './signing-keys.ts'
import { recordKey, recordsOfKind } from '../storage.ts'

/** Subject of a revocation. */
export interface Revocation {
  readonly signingKeys: number
  /** Each with its refresh tokens. */
  readonly signIns: number
}

/**
 * Deletes every key that signs access tokens, and every refresh token that clients have. Replicas make a new key when they look for keys
 * the next time, within a minute; until then they accept tokens of the deleted ones. Clients then need a new sign-in of their person.
 */
export async function revokeAllTokens({ records, locks }: Pick<PeopleState, 'records' | 'locks'>): Promise<Revocation> {
  const families = await records.list(recordsOfKind('oauth refresh tokens'))
  for (const { name } of families) {
    // A replica that is about to write a successor would bring it back.
    await locks.withLock(familyLock(name), () => records.delete(recordKey('oauth refresh tokens', name)))
  }
  const keys = await locks.withLock(signingKeysLock, async () => {
    const stored = await records.list(recordsOfKind('oauth signing key'))
    for (const { name } of stored) await records.delete(recordKey('oauth signing key', name))
    return stored
  })
  return { signingKeys: keys.length, signIns: families.length }
}
