import { ToolError } from '../errors.ts'

/** The system's word for what keeps a file from being used, such as ENOSPC; undefined for anything else, which is a fault of ours. */
export function outageIn(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined
  return 'syscall' in error || error.code === 'ERR_SQLITE_ERROR' ? error.code : undefined
}

/** Why something could not be stored, in one word; undefined for a fault of ours. */
export function reasonOf(error: unknown): string | undefined {
  return error instanceof ToolError ? error.code : outageIn(error)
}
