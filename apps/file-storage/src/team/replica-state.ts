import { createHash } from 'node:crypto'
import { type Clock, type NamedRecords, once, recordsOf, type SharedState } from '@mcp-toolkits/core/base'
import { openSharedLimits, type UpstreamLimits } from '@mcp-toolkits/core/upstream'
import type { SignedInPerson, Drive } from '../vendor.ts'
import type { ResumeStateStore } from '../upload/resume-state-files.ts'
import { SharedResumeStates } from '../upload/shared-resume-states.ts'

/** State that replicas share, besides their locks. A single server keeps this state in memory or files. */
export interface ReplicaState {
  readonly limits: UpstreamLimits
  /** Resource keys for the account signed in at the time of use. */
  readonly resourceKeys: NamedRecords
  /** State about one person, which only that person's calls read. */
  readonly ofPerson: (person: Pick<SignedInPerson, 'account'>) => PersonState
}

interface PersonState {
  readonly changes: NamedRecords
  readonly downloads: NamedRecords
  readonly resumeStates: ResumeStateStore
}

export async function replicaState(
  { records, limits }: Pick<SharedState, 'records' | 'limits'>,
  { vendor: { url, accountId }, clock }: { readonly vendor: Pick<Drive, 'url' | 'accountId'>; readonly clock: Clock },
): Promise<ReplicaState> {
  return {
    limits: await openSharedLimits({ storage: limits, account: async () => `Google Drive ${await accountId()}`, clock }),
    resourceKeys: recordsOf(records, { owner: accountId, kind: 'resource key' }),
    ofPerson({ account }) {
      // Hashed, because it may be a token, and record owners are stored in the clear.
      const hash = createHash('sha256').update(JSON.stringify([url, account]))
      const ownerId = hash.digest('base64url')
      const owner = account === '' ? once(accountId) : () => Promise.resolve(ownerId)
      const ofKind = (kind: string) => recordsOf(records, { owner, kind })
      return {
        changes: ofKind('recent change'),
        downloads: ofKind('download'),
        resumeStates: new SharedResumeStates({ records: ofKind, vendor: url, clock }),
      }
    },
  }
}
