import { accessSync, appendFileSync, closeSync, constants, existsSync, fchmodSync, fstatSync, openSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import type { ConnectionEvent } from './connect/connection-events.ts'
import { type Caller, type Clock, isObject, type JsonObject, member, systemClock } from '@mcp-toolkits/core/base'
import { type ErrorCode, printableJson, redact, systemErrorCode, Unavailable } from '@mcp-toolkits/core/errors'
import type { SharedStore } from './postgres/index.ts'
import { type InputRequiredResult, ProtocolError } from '@modelcontextprotocol/server'
import type { Answer } from '@mcp-toolkits/server/mcp/answers/answer'
import type { Console } from '@mcp-toolkits/server/cli/command'
import type { ListedTool } from '@mcp-toolkits/server/mcp/definition'
import { errorFields, type Log } from '@mcp-toolkits/server/mcp/log'

/** How a call ended; with an error, its code. */
export type AuditOutcome =
  | 'ok'
  /** The stored result of an earlier call with the same idempotency key. */
  | 'replayed'
  /** The person was asked for something, and the client makes the call again. */
  | 'input_required'
  | 'cancelled'
  | 'unknown_tool'
  /** The request did not get as far as the tool. */
  | 'refused'
  | ErrorCode

/** Says who did what, and never with which content. */
export interface Audit {
  /** Does the work of one call, and records how it ended. Throws what `work` throws. */
  readonly call: <Result extends Answer | InputRequiredResult>(call: AuditedCall, work: () => Promise<Result>) => Promise<Result>
  /** Records a request that was refused before it could be a call. */
  readonly refused: (request: RefusedCall) => void
  /** Records what was done about the accounts of a person. */
  readonly connection: (event: ConnectionEvent) => void
}

export interface AuditedCall {
  readonly caller: Caller | undefined
  /** Undefined for a tool that is not offered. */
  readonly tool: ListedTool | undefined
  readonly args: unknown
  /** `_meta` of the request. */
  readonly meta: unknown
  /** Aborted when the caller gives up. */
  readonly signal: AbortSignal
}

/** A request without a call. */
export interface RefusedCall {
  readonly caller?: Caller | undefined
  /** Canonical names without the prefix. */
  readonly tools?: readonly string[]
  readonly status: number
  /** In one sentence, without a token. */
  readonly problem: string
}

export interface AuditOptions {
  /** Takes one line of JSON, with its end. It has left the process when this returns. */
  readonly write: (line: string) => void
  readonly clock: Clock
  /** Which process it is: its name among the replicas. */
  readonly replica: string
  /** The service account with which all calls act; absent for other accounts. */
  readonly service?: string | undefined
  /** Learns that a line could not be written. */
  readonly log: Pick<Log, 'error'>
}

/** How many ids of one call are written. */
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
        const { caller, tool, args, meta } = call
        const targets = targetIds(args, data)
        writeLine({
          ...traceOf(meta),
          ...(service !== undefined && { service }),
          ...personOf(caller),
          ...(tool && { tool: tool.name, effect: tool.effect }),
          ...(targets.length > 0 && { targets: targets.map(redact) }),
          outcome,
          ms: Math.round(clock.monotonic() - started),
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

/** How a call ended that threw. */
export function outcomeOfError(error: unknown, { tool, signal }: Pick<AuditedCall, 'tool' | 'signal'>): AuditOutcome {
  if (!tool) return 'unknown_tool'
  if (signal.aborted) return 'cancelled'
  return error instanceof ProtocolError ? 'refused' : 'internal'
}

/** How a call ended that has an answer, or a question to its person. */
export function outcomeOf(answer: Answer | InputRequiredResult): AuditOutcome {
  if ('resultType' in answer) return 'input_required'
  if (!answer.ok) return answer.error.code
  return answer.isReplay ? 'replayed' : 'ok'
}

function personOf(caller: Caller | undefined): JsonObject {
  if (!caller) return {}
  const { issuer, subject, isService, clientId: client, profile } = caller
  return { issuer, ...(isService ? { service: subject } : { subject }), client, profile }
}

/** The trace that a request belongs to: https://www.w3.org/TR/trace-context/#traceparent-header */
function traceOf(meta: unknown): JsonObject {
  const parent = member(meta, 'traceparent')
  const trace = typeof parent === 'string' ? /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}$/.exec(parent)?.[1] : undefined
  return trace === undefined ? {} : { trace }
}

const idName = /(?:^|_)ids?$/
const resultIdName = /(?:^|_)(?:ids?|identifier)$/

/** The ids of what a call was about: those in its arguments, and those of the things in its result; not those in lists. */
function targetIds(args: unknown, data: JsonObject | undefined): string[] {
  const inside = Object.values(data ?? {}).filter(isObject)
  const ids = [...idsIn(args, idName), ...[data, ...inside].flatMap((each) => idsIn(each, resultIdName))]
  return [...new Set(ids)].slice(0, maxTargets)
}

function idsIn(value: unknown, name: RegExp): string[] {
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, each]) => (name.test(key) ? [each].flat().filter(isId) : []))
}

/** Names, paths and sentences are content. Ids of our vendors have a digit, and neither blanks nor dots. */
function isId(value: unknown): value is string {
  return typeof value === 'string' && /^(?=[^\d]*\d)[\w-]{1,100}$/.test(value)
}

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
  return createAudit({ write, clock: systemClock, replica: shared?.replica.id ?? `${hostname()}:${process.pid}`, service, log })
}

/**
 * Appends lines to a file that only this user can read: one that others could read, as logrotate may make it, is closed to them. It is
 * opened for each line, so that it can be moved away at any time, and several processes may share it. Throws `Unavailable` for a file that
 * cannot be written.
 */
export function auditFile(file: string): (line: string) => void {
  const append = (line: string) => {
    const opened = openSync(file, 'a', 0o600)
    try {
      const status = fstatSync(opened)
      // Only its owner may change the mode of a file.
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

/** Throws `Unavailable` for a file that cannot be written. Makes none. */
export function checkAuditFile(file: string): void {
  withFileProblem(file, () => {
    if (existsSync(file)) closeSync(openSync(file, 'a'))
    // With its last slash it is an error when the directory is a file.
    else accessSync(`${path.dirname(file)}${path.sep}`, constants.W_OK | constants.X_OK)
  })
}

function withFileProblem(file: string, work: () => void): void {
  try {
    work()
  } catch (error) {
    const problem = `The audit cannot be written to ${file} (${systemErrorCode(error) ?? 'unknown'}).`
    const remedy =
      'Give --audit (MCP_TOOLKITS_AUDIT) a file in a directory that exists and that this user may write to, or - for standard error.'
    throw new Unavailable(`${problem} ${remedy}`, { retryable: false })
  }
}
