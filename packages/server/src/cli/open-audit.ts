import { hostname } from 'node:os'
import path from 'node:path'
import { systemClock } from '@mcp-toolkits/core/clock'
import type { SharedStore } from '@mcp-toolkits/store/postgres'
import { type Audit, openAudit } from '../audit.ts'
import { auditFile } from '../audit-file.ts'
import type { Log } from '../log.ts'
import type { Console } from './command.ts'

export interface AuditTarget {
  /** A path, or `-` for standard error. */
  readonly target: string
  readonly shared: SharedStore | undefined
  /** The service account with which all calls act. */
  readonly service?: string | undefined
  readonly log: Log
}

/** The audit of `--audit`. Throws `Unavailable` for a file that cannot be written. */
export function auditTo({ target, shared, service, log }: AuditTarget, { errors }: Pick<Console, 'errors'>): Audit {
  const write = target === '-' ? (line: string) => void errors.write(line) : auditFile(path.resolve(target))
  return openAudit({ write, clock: systemClock, replica: shared?.replica.id ?? `${hostname()}:${process.pid}`, service, log })
}
