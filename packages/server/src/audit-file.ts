import { appendFileSync } from 'node:fs'
import { Unavailable } from '@mcp-toolkits/core'
import { systemErrorCode } from '@mcp-toolkits/core/system-error'

/**
 * Appends lines to a file that only this user can read. It is opened for each line, so that it can be moved away at any time, and several
 * processes may share it. Throws `Unavailable` for a file that cannot be written.
 */
export function auditFile(path: string): (line: string) => void {
  const append = (line: string) => {
    appendFileSync(path, line, { mode: 0o600 })
  }
  try {
    append('')
  } catch (error) {
    throw new Unavailable(`The audit cannot be written to ${path} (${systemErrorCode(error) ?? 'unknown'}).`, { retryable: false })
  }
  return append
}
