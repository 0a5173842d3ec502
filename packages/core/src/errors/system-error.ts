/** An error of the operating system or of a database, such as a full disk or a port in use. Its text is meant for people. */
export interface SystemError extends Error {
  readonly code: string
}

/** True for a system error, false for a defect. */
export function isSystemError(error: unknown): error is SystemError {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false
  return 'syscall' in error || error.code === 'ERR_SQLITE_ERROR' || error.code === storeErrorCode
}

/** The code of a system error, such as ENOSPC; undefined for a defect. */
export function systemErrorCode(error: unknown): string | undefined {
  return isSystemError(error) ? error.code : undefined
}

/**
 * The code of a `StoreError`. The store does not know the typed errors and this package does not know the store, but both know this shape.
 */
export const storeErrorCode = 'ERR_STORE'
