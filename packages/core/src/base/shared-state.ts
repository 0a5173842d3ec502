import type { LimitsStorage } from '../upstream/transport/limits/shared-limits.ts'
import { once, raceAbort } from './async.ts'
import type { CallScope } from '../tool/call/call-deadline.ts'

/** State that all processes for the same accounts share. */
export interface SharedState {
  readonly locks: Locks
  readonly records: ExpiringRecords
  readonly limits: LimitsStorage
}

/** Locks by name, which all processes that work for the same accounts share. */
export interface Locks {
  /**
   * Runs `work` while nothing else holds the lock with this name, in this process or another. A lock ends with its holder, however that
   * ends. `signal` is aborted when the lock is lost while `work` runs. `work` may not take another lock. Throws a storage error when
   * others hold the lock for too long, and the reason of the caller's signal.
   */
  readonly withLock: <Result>(name: string, work: (signal: AbortSignal) => Promise<Result>, options?: LockOptions) => Promise<Result>
}

export interface LockOptions {
  /** Ends the wait for the lock. */
  readonly signal?: AbortSignal
  /** Wait for the lock, in milliseconds; 15 seconds if absent. */
  readonly waitMs?: number
  /** True for a lock that may be kept as long as a call lasts: such locks leave room for the others. */
  readonly isOfCall?: boolean
}

/**
 * Runs work of a call under a lock, for which it waits as long as the call has time. When the lock is lost the call fails, which ends
 * everything that it has started.
 */
export async function withCallLock<Result>(locks: Locks, name: string, scope: CallScope, work: () => Promise<Result>): Promise<Result> {
  return locks.withLock(name, (lost) => raceAbort(work(), lost), { signal: scope.signal, waitMs: scope.remainingMs(), isOfCall: true })
}

/** Locks that are opened with their first use, and a function that closes them if they were. */
export function lazyLocks(open: () => Promise<{ readonly locks: Locks; readonly close: () => Promise<void> }>) {
  let opened: ReturnType<typeof open> | undefined
  const openOnce = once(() => (opened = open()))
  const locks: Locks = { withLock: async (...lock) => (await openOnce()).locks.withLock(...lock) }
  return { locks, close: async () => (await opened?.catch(() => undefined))?.close() }
}

/** Less than the 30 seconds after which clients give up on a call. */
export const defaultLockWaitMs = 15_000

/** Owner and kind of records. */
export interface RecordKind {
  readonly owner: string
  readonly kind: string
}

/** Identifies one record. */
export interface RecordKey extends RecordKind {
  readonly name: string
}

/** Texts that are forgotten after some time, for all processes that work for the same accounts. */
export interface ExpiringRecords {
  /** Undefined when there is none, or when it has expired. */
  readonly get: (key: RecordKey) => Promise<string | undefined>
  /** Stores a text for `ms` milliseconds, instead of the one that was there. Who holds the record goes on holding it. */
  readonly set: (key: RecordKey, text: string, ms: number) => Promise<void>
  readonly delete: (key: RecordKey) => Promise<void>
  /** Gets a text and deletes it: of several callers, one gets it. */
  readonly take: (key: RecordKey) => Promise<string | undefined>
  /** The records of a kind that have not expired, by name. */
  readonly list: (kind: RecordKind) => Promise<readonly NamedText[]>
  /**
   * Gets a text for one caller: until that one releases it, or its process dies, no other caller can hold it. Undefined when there is
   * none, or while another one holds it.
   */
  readonly hold: (key: RecordKey) => Promise<string | undefined>
  readonly release: (key: RecordKey) => Promise<void>
}

/** The records of one kind that one owner has. */
export interface NamedRecords {
  readonly get: (name: string) => Promise<string | undefined>
  readonly set: (name: string, text: string, ms: number) => Promise<void>
  readonly delete: (name: string) => Promise<void>
  readonly list: () => Promise<readonly NamedText[]>
  readonly hold: (name: string) => Promise<string | undefined>
  readonly release: (name: string) => Promise<void>
}

/** The records of one kind. The owner is looked up when it is needed. */
export function recordsOf(
  records: ExpiringRecords,
  { owner, kind }: { readonly owner: () => Promise<string>; readonly kind: string },
): NamedRecords {
  const keyOf = async (name: string): Promise<RecordKey> => ({ owner: await owner(), kind, name })
  return {
    get: async (name) => records.get(await keyOf(name)),
    set: async (name, text, ms) => records.set(await keyOf(name), text, ms),
    delete: async (name) => records.delete(await keyOf(name)),
    list: async () => records.list({ owner: await owner(), kind }),
    hold: async (name) => records.hold(await keyOf(name)),
    release: async (name) => records.release(await keyOf(name)),
  }
}

export interface NamedText {
  readonly name: string
  readonly text: string
}
