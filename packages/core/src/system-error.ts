/** The code of an error of the operating system or of SQLite, such as ENOSPC; undefined for anything else, which is a defect. */
export function systemErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined
  return 'syscall' in error || error.code === 'ERR_SQLITE_ERROR' ? error.code : undefined
}
