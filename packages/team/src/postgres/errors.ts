import { StoreError } from '@mcp-toolkits/sqlite'

/** The server does not answer, ends connections, or is starting: https://www.postgresql.org/docs/current/errcodes-appendix.html. */
const lostStates = /^(?:08|57P0|53300)/
const lostSystemCodes = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']
/** Messages of errors from pg that have no code. */
const lostTexts = /Connection terminated|Client was closed|not queryable/
const timeoutTexts = /timeout exceeded when trying to connect|Query read timeout/

/** True if the connection is gone. A statement sent on it may or may not have taken effect. */
export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error)
  if (code !== undefined) return lostStates.test(code) || lostSystemCodes.includes(code)
  return error instanceof Error && (lostTexts.test(error.message) || timeoutTexts.test(error.message))
}

/** True if the transaction was rolled back because of a concurrent one; a retry will succeed. */
export function isConflict(error: unknown): boolean {
  return ['40001', '40P01'].includes(codeOf(error) ?? '')
}

/** True if a lock was not available in time. */
export const isLockTimeout = (error: unknown): boolean => codeOf(error) === '55P03'

/** The `StoreError` for an error from PostgreSQL or the connection; returns any other error unchanged. */
export function toDatabaseError(error: unknown, location: string): unknown {
  if (error instanceof StoreError) return error
  const code = codeOf(error) ?? ''
  // The server may just be slow.
  if (error instanceof Error && timeoutTexts.test(error.message))
    return new StoreError('unreachable', location, `The database ${location} did not answer in time.`)
  if (isConnectionLost(error)) return new StoreError('unreachable', location, `The database ${location} cannot be reached.`)
  if (isConflict(error) || ['55P03', '57014'].includes(code))
    return new StoreError('locked', location, `The database ${location} is too busy.`)
  if (code.startsWith('53')) return new StoreError('full', location, `The database ${location} has no space left.`)
  if (code === '25006') return new StoreError('unreachable', location, `The database ${location} is a standby, which accepts no writes.`)
  const isDenied = code.startsWith('28') || ['3D000', '42501'].includes(code)
  return isDenied ? new StoreError('denied', location, `The database ${location} refuses this server (${code}).`) : error
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
