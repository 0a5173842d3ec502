import { once, raceAbort } from './async.ts'
import type { CallScope } from './transport/call-scope.ts'

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
  /** How long to wait for the lock, in milliseconds; 15 seconds when absent. */
  readonly waitMs?: number
}

/**
 * Runs work of a call under a lock, for which it waits as long as the call has time. When the lock is lost the call fails, which ends
 * everything that it has started.
 */
export async function withCallLock<Result>(locks: Locks, name: string, scope: CallScope, work: () => Promise<Result>): Promise<Result> {
  return locks.withLock(name, (lost) => raceAbort(work(), lost), { signal: scope.signal, waitMs: scope.remainingMs() })
}

/** Locks that are opened with their first use, and what closes them if they were. */
export function lazyLocks(open: () => Promise<{ readonly locks: Locks; readonly close: () => Promise<void> }>) {
  let opened: ReturnType<typeof open> | undefined
  const openOnce = once(() => (opened = open()))
  const locks: Locks = { withLock: async (...lock) => (await openOnce()).locks.withLock(...lock) }
  return { locks, close: async () => (await opened?.catch(() => undefined))?.close() }
}

/** Less than the 30 seconds after which clients give up on a call. */
export const defaultLockWaitMs = 15_000
