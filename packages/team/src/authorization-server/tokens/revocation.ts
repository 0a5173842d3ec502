import type { PeopleState } from '@mcp-toolkits/core/base'
import { familyLock } from './refresh-tokens.ts'
import { signingKeysLock } from './signing-keys.ts'
import { recordKey, recordsOfKind } from '../storage.ts'

export interface Revocation {
  readonly signingKeys: number
  /** Sign-ins whose refresh tokens were deleted. */
  readonly signIns: number
}

/**
 * Deletes every key that signs access tokens, and all clients' refresh tokens. Replicas create a new key when they next look for keys,
 * within a minute; until then, they accept tokens signed with the deleted keys. Each client's user must then sign in again.
 */
export async function revokeAllTokens({ records, locks }: Pick<PeopleState, 'records' | 'locks'>): Promise<Revocation> {
  const families = await records.list(recordsOfKind('oauth refresh tokens'))
  for (const { name } of families) {
    // A replica about to write a successor would restore the record.
    await locks.withLock(familyLock(name), () => records.delete(recordKey('oauth refresh tokens', name)))
  }
  const keys = await locks.withLock(signingKeysLock, async () => {
    const stored = await records.list(recordsOfKind('oauth signing key'))
    for (const { name } of stored) await records.delete(recordKey('oauth signing key', name))
    return stored
  })
  return { signingKeys: keys.length, signIns: families.length }
}
