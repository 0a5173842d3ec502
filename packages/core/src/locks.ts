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

/** Less than the 30 seconds after which clients give up on a call. */
export const defaultLockWaitMs = 15_000
