/** An operating system or database error, such as a full disk or a port in use. Its text is meant for people. */
export interface SystemError extends Error {
  readonly code: string
}

/** True for a system error, false for a defect. */
export function isSystemError(error: unknown): error is SystemError {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false
  return 'syscall' in error || error.code === 'ERR_SQLITE_ERROR' || error.code === storeErrorCode
}

/** A system error's code, such as ENOSPC; undefined for a defect. */
export function systemErrorCode(error: unknown): string | undefined {
  return isSystemError(error) ? error.code : undefined
}

/**
 * The code of a `StoreError`. The store does not depend on the typed errors, nor this package on the store, but both rely on this code.
 */
export const storeErrorCode = 'ERR_STORE'
