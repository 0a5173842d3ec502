/** An error of the operating system or of a database, such as a full disk or a port in use. Its text is meant for people. */
export interface SystemError extends Error {
  readonly code: string
}

/** Tells such an error from a defect. */
export function isSystemError(error: unknown): error is SystemError {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false
  return 'syscall' in error || error.code === 'ERR_SQLITE_ERROR' || error.code === storeErrorCode
}

/** The code of a system error, such as ENOSPC; undefined for a defect. */
export function systemErrorCode(error: unknown): string | undefined {
  return isSystemError(error) ? error.code : undefined
}

/** The code of a `StoreError`. The store knows no typed errors, and this package knows no store: both know this shape. */
export const storeErrorCode = 'ERR_STORE'
