import { accessSync, appendFileSync, closeSync, constants, existsSync, fchmodSync, fstatSync, openSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import type { ConnectionEvent } from './connect/connection-events.ts'
import { type Caller, type Clock, isObject, type JsonObject, systemClock } from '@mcp-toolkits/core/base'
import { printableJson, redact, systemErrorCode, Unavailable } from '@mcp-toolkits/core/errors'
import type { AuditTarget } from '@mcp-toolkits/server'
import { type AuditOutcome, type CallAudit, outcomeOf, outcomeOfError, errorFields, type Log } from '@mcp-toolkits/server/mcp'
import type { Console } from '@mcp-toolkits/server/cli'

/** Records who did what, without content. */
export interface Audit extends CallAudit {
  /** Records a change to a person's accounts. */
  readonly connection: (event: ConnectionEvent) => void
}

export interface AuditOptions {
  /** Writes one line of JSON, including its newline. The line has left the process once this returns. */
  readonly write: (line: string) => void
  readonly clock: Clock
  /** The replica's name. */
  readonly replica: string
  /** Service account that all calls use; absent for other accounts. */
  readonly service?: string | undefined
  /** Receives an error if a line cannot be written. */
  readonly log: Pick<Log, 'error'>
}

/** Maximum number of ids written for one call. */
const maxTargets = 20

export function createAudit({ write, clock, replica, service, log }: AuditOptions): Audit {
  const writeLine = (fields: JsonObject) => {
    const line = { time: new Date(clock.now()).toISOString(), ...fields, replica }
    try {
      write(`${printableJson(JSON.stringify(line))}\n`)
    } catch (error) {
      log.error('audit', { problem: 'A line could not be written.', ...errorFields(error) })
    }
  }
  return {
    async call(call, work) {
      const started = clock.monotonic()
      const record = (outcome: AuditOutcome, data?: JsonObject) => {
        const { caller, tool, args, trace, task } = call
        const targets = targetIds(args, data)
        writeLine({
          ...traceIdOf(trace?.traceparent),
          ...(service !== undefined && { service }),
          ...personOf(caller),
          ...(tool && { tool: tool.name, effect: tool.effect }),
          ...(task && { task: task.id }),
          ...(targets.length > 0 && { targets: targets.map(redact) }),
          outcome,
          ms: Math.round(clock.monotonic() - started + (call.task?.ms ?? 0)),
        })
      }
      const answer = await work().catch((error: unknown) => {
        record(outcomeOfError(error, call))
        throw error
      })
      record(outcomeOf(answer), 'resultType' in answer || !answer.ok ? undefined : answer.data)
      return answer
    },
    refused({ caller, tools, status, problem }) {
      writeLine({ ...personOf(caller), ...(tools && tools.length > 0 && { tools }), outcome: 'refused', status, problem: redact(problem) })
    },
    connection({ action, issuer, subject, isService, clientId: client, account, ...rest }) {
      writeLine({
        issuer,
        ...(isService ? { service: subject } : { subject }),
        ...(client !== undefined && { client }),
        action,
        ...(account !== undefined && { account: redact(account) }),
        ...rest,
      })
    },
  }
}

function personOf(caller: Caller | undefined): JsonObject {
  if (!caller) return {}
  const { issuer, subject, isService, clientId: client, profile } = caller
  return { issuer, ...(isService ? { service: subject } : { subject }), client, profile }
}

/** The trace that a request belongs to: https://www.w3.org/TR/trace-context/#traceparent-header */
function traceIdOf(traceparent = ''): JsonObject {
  const trace = /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}$/.exec(traceparent)?.[1]
  return trace === undefined ? {} : { trace }
}

const idName = /(?:^|_)(?:ids?|identifier)$/
/** Names of arguments and result fields that hold an issue's identifier; elsewhere such text may be a name, like LAUNCH-2026. */
const identifierName = /^(?:issue_id|(?:previous_)?identifier)$/
const identifier = /^[A-Z][A-Z\d]{0,9}-\d{1,9}$/
/** A UUID, or a Linear slug. */
const madeId = /^(?:[\da-fA-F]{8}(?:-[\da-fA-F]{4}){3}-[\da-fA-F]{12}|(?=\d*[a-f])(?=[a-f]*\d)[\da-f]{12})$/
/** A Google Drive id, of a drive, an old file, a file or a Google document. */
const driveId = /^(?:0A[\w-]{17}|0B[\w-]{26}|1[\w-]{32}|1[\w-]{43})$/

/** Ids for a call's `targets`: those in its arguments and its result, except in lists of records. */
function targetIds(args: unknown, data: JsonObject | undefined): string[] {
  const things = [data, ...Object.values(data ?? {})]
  return [...new Set([...idsIn(args, isId), ...things.flatMap((thing) => idsIn(thing, isResultId))])].slice(0, maxTargets)
}

function idsIn(value: unknown, accepts: (key: string, text: string) => boolean): string[] {
  if (!isObject(value)) return []
  const texts = Object.entries(value).flatMap(([key, each]) => [each].flat().map((text) => ({ key, text })))
  return texts.flatMap(({ key, text }) => (idName.test(key) && typeof text === 'string' && accepts(key, text) ? [text] : []))
}

/** Accepts only vendor-made ids: many id arguments also accept names and paths, which are content. */
function isId(key: string, text: string): boolean {
  return madeId.test(text) || (identifierName.test(key) && identifier.test(text)) || (driveId.test(text) && isRandom(text))
}

/** Accepts ids in results, which are all vendor-made: each has a digit, and no spaces or dots. */
function isResultId(_key: string, text: string): boolean {
  return /^(?=[^\d]*\d)[\w-]{1,100}$/.test(text)
}

/** True for text without words, in which few characters have a neighbour of the same kind. */
function isRandom(text: string): boolean {
  const groups = text.match(/[a-z]+|[A-Z]+|\d+/g) ?? []
  return groups.length > 0.4 * text.length
}

/** The audit log for `--audit`. Throws `Unavailable` for a file that cannot be written. */
export function auditTo({ target, shared, service, log }: AuditTarget, { errors }: Pick<Console, 'errors'>): Audit {
  const write = target === '-' ? (line: string) => void errors.write(line) : auditFile(path.resolve(target))
  return createAudit({ write, clock: systemClock, replica: shared?.replica.id ?? `${hostname()}:${process.pid}`, service, log })
}

/**
 * Appends lines to a file that only this user can read; if others can read it, as after logrotate, their access is removed. The file is
 * opened for each line, so it can be moved at any time, and several processes can share it. Throws `Unavailable` for a file that cannot
 * be written.
 */
export function auditFile(file: string): (line: string) => void {
  const append = (line: string) => {
    const opened = openSync(file, 'a', 0o600)
    try {
      const status = fstatSync(opened)
      // Only a file's owner may change its mode.
      if (status.isFile() && (status.mode & 0o077) !== 0 && status.uid === process.getuid?.()) fchmodSync(opened, 0o600)
      appendFileSync(opened, line)
    } finally {
      closeSync(opened)
    }
  }
  withFileProblem(file, () => {
    append('')
  })
  return append
}

/** Throws `Unavailable` if the audit log for `--audit` cannot be written. Creates no file. */
export function checkAudit(target: string): void {
  if (target === '-') return
  const file = path.resolve(target)
  withFileProblem(file, () => {
    if (existsSync(file)) closeSync(openSync(file, 'a'))
    // The trailing slash causes an error if the directory is a file.
    else accessSync(`${path.dirname(file)}${path.sep}`, constants.W_OK | constants.X_OK)
  })
}

function withFileProblem(file: string, work: () => void): void {
  try {
    work()
  } catch (error) {
    const problem = `The audit log cannot be written to ${file} (${systemErrorCode(error) ?? 'unknown'}).`
    const remedy =
      'Give --audit (MCP_TOOLKITS_AUDIT) a file in a directory that exists and that this user may write to, or - for standard error.'
    throw new Unavailable(`${problem} ${remedy}`, { retryable: false })
  }
}
