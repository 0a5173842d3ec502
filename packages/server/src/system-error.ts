/** An error of the operating system or the database (a port in use, a directory that cannot be written); its text is meant for people. */
export interface SystemError extends Error {
  readonly code: string
}

/** Tells such an error from a fault of ours. */
export function isSystemError(error: unknown): error is SystemError {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false
  return 'syscall' in error || error.code === 'ERR_SQLITE_ERROR'
}
