import type { LimitsStorage } from '../upstream/transport/limits/shared-limits.ts'
import { once, raceAbort } from './async.ts'
import type { CallScope } from '../tool/call/call-deadline.ts'

/** State shared by all processes that serve the same accounts. */
export interface SharedState {
  readonly locks: Locks
  readonly records: ExpiringRecords
  readonly limits: LimitsStorage
}

/** Named locks, shared by all processes that serve the same accounts. */
export interface Locks {
  /**
   * Runs `work` while nothing else holds the lock with this name, in this process or any other. A holder's crash releases the lock. The
   * signal passed to `work` is aborted if the lock is lost. `work` must not take another lock. Throws a storage error if others hold the
   * lock for too long, and the signal's reason if `options.signal` is aborted.
   */
  readonly withLock: <Result>(name: string, work: (signal: AbortSignal) => Promise<Result>, options?: LockOptions) => Promise<Result>
}

export interface LockOptions {
  /** Stops waiting for the lock. */
  readonly signal?: AbortSignal
  /** Maximum time, in milliseconds, to wait for the lock; 15 seconds by default. */
  readonly waitMs?: number
  /** True for a lock that a call may hold for its whole duration: such locks must not crowd out shorter ones. */
  readonly isOfCall?: boolean
}

/**
 * Runs a call's work under a lock, waiting for the lock while the call has time left. If the lock is lost, the call fails, and everything
 * that it has started ends.
 */
export async function withCallLock<Result>(locks: Locks, name: string, scope: CallScope, work: () => Promise<Result>): Promise<Result> {
  return locks.withLock(name, (lost) => raceAbort(work(), lost), { signal: scope.signal, waitMs: scope.remainingMs(), isOfCall: true })
}

/** Locks that are opened on first use, and a function that closes them if they are open. */
export function lazyLocks(open: () => Promise<{ readonly locks: Locks; readonly close: () => Promise<void> }>) {
  let opened: ReturnType<typeof open> | undefined
  const openOnce = once(() => (opened = open()))
  const locks: Locks = { withLock: async (...lock) => (await openOnce()).locks.withLock(...lock) }
  return { locks, close: async () => (await opened?.catch(() => undefined))?.close() }
}

/** Default maximum wait for a lock, in milliseconds: less than the 30 seconds after which clients give up on a call. */
export const defaultLockWaitMs = 15_000

/** The owner and kind of records. */
export interface RecordKind {
  readonly owner: string
  readonly kind: string
}

export interface RecordKey extends RecordKind {
  readonly name: string
}

/** Expiring text records, shared by all processes that serve the same accounts. */
export interface ExpiringRecords {
  /** Undefined if there is no record, or it has expired. */
  readonly get: (key: RecordKey) => Promise<string | undefined>
  /** Stores text for `ms` milliseconds, replacing any earlier text. A record that is held stays held. */
  readonly set: (key: RecordKey, text: string, ms: number) => Promise<void>
  readonly delete: (key: RecordKey) => Promise<void>
  /** Gets a record's text and deletes the record, so that only one caller can get the text. */
  readonly take: (key: RecordKey) => Promise<string | undefined>
  /** The unexpired records of a kind, by name. */
  readonly list: (kind: RecordKind) => Promise<readonly NamedText[]>
  /**
   * Gets a record's text for one caller: until that caller releases the record, or its process dies, no other caller can hold it. Undefined
   * if there is no record, or while another caller holds it.
   */
  readonly hold: (key: RecordKey) => Promise<string | undefined>
  readonly release: (key: RecordKey) => Promise<void>
}

/** One owner's records of one kind. */
export interface NamedRecords {
  readonly get: (name: string) => Promise<string | undefined>
  readonly set: (name: string, text: string, ms: number) => Promise<void>
  readonly delete: (name: string) => Promise<void>
  readonly list: () => Promise<readonly NamedText[]>
  readonly hold: (name: string) => Promise<string | undefined>
  readonly release: (name: string) => Promise<void>
}

/** The records of one kind. Each call looks up their owner. */
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
