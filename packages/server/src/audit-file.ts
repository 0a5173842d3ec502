import { accessSync, appendFileSync, closeSync, constants, existsSync, openSync } from 'node:fs'
import path from 'node:path'
import { Unavailable } from '@mcp-toolkits/core'
import { systemErrorCode } from '@mcp-toolkits/core/system-error'

/**
 * Appends lines to a file that only this user can read. It is opened for each line, so that it can be moved away at any time, and several
 * processes may share it. Throws `Unavailable` for a file that cannot be written.
 */
export function auditFile(file: string): (line: string) => void {
  const append = (line: string) => {
    appendFileSync(file, line, { mode: 0o600 })
  }
  explained(file, () => {
    append('')
  })
  return append
}

/** Throws `Unavailable` for a file that cannot be written. Makes none. */
export function checkAuditFile(file: string): void {
  explained(file, () => {
    if (existsSync(file)) closeSync(openSync(file, 'a'))
    // With its last slash it is an error when the directory is a file.
    else accessSync(`${path.dirname(file)}${path.sep}`, constants.W_OK | constants.X_OK)
  })
}

function explained(file: string, work: () => void): void {
  try {
    work()
  } catch (error) {
    const problem = `The audit cannot be written to ${file} (${systemErrorCode(error) ?? 'unknown'}).`
    const remedy =
      'Give --audit (MCP_TOOLKITS_AUDIT) a file in a directory that exists and that this user may write to, or - for standard error.'
    throw new Unavailable(`${problem} ${remedy}`, { retryable: false })
  }
}
