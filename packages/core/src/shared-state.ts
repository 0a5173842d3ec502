import type { ExpiringRecords } from './expiring-records.ts'
import type { Locks } from './locks.ts'
import type { LimitsStorage } from './transport/shared-limits.ts'

/** What all processes share that work for the same accounts. */
export interface SharedState {
  readonly locks: Locks
  readonly records: ExpiringRecords
  readonly limits: LimitsStorage
}
