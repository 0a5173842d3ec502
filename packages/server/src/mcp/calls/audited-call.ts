import type { Caller } from '@mcp-toolkits/core/base'
import type { ErrorCode } from '@mcp-toolkits/core/errors'
import { type CallToolRequest, type InputRequiredResult, ProtocolError, type ServerContext } from '@modelcontextprotocol/server'
import type { Answer } from '../answers/answer.ts'
import type { ListedTool } from '../definition.ts'
import type { Listing } from '../listing/listing.ts'
import type { CreatedTask } from '../tasks/task.ts'
import { currentCaller } from './current-request.ts'
import { type Trace, traceOf } from './trace.ts'

/** The reply to a call: an answer, a question for the person, or the task that continues the call. */
export type CallReply = Answer | InputRequiredResult | CreatedTask

/** A call's outcome; for an error, its code. */
export type AuditOutcome =
  | 'ok'
  /** The stored result of an earlier call with the same idempotency key. */
  | 'replayed'
  /** The person was asked for something, and the client will repeat the call. */
  | 'input_required'
  /** The call outlives its request. */
  | 'task'
  | 'cancelled'
  | 'unknown_tool'
  /** The request never reached the tool. */
  | 'refused'
  | ErrorCode

/** Records every call, and every request refused before it could become one. */
export interface CallAudit {
  /** Runs one call's work and records its outcome. Throws `work`'s errors. */
  readonly call: <Result extends CallReply>(call: AuditedCall, work: () => Promise<Result>) => Promise<Result>
  /** Records a request refused before it could become a call. */
  readonly refused: (request: RefusedCall) => void
}

export interface AuditedCall {
  readonly caller: Caller | undefined
  /** Undefined for an unknown or hidden tool. */
  readonly tool: ListedTool | undefined
  readonly args: unknown
  /** Absent if the client gave none. */
  readonly trace?: Trace | undefined
  /** Aborted when the caller gives up. */
  readonly signal: AbortSignal
  /** Present when a task ends; its call was recorded when the task began. */
  readonly task?: { readonly id: string; readonly ms: number }
}

/** A request that made no call. */
export interface RefusedCall {
  readonly caller?: Caller | undefined
  /** Canonical names without the prefix. */
  readonly tools?: readonly string[]
  readonly status: number
  /** The problem in one sentence, without a token. */
  readonly problem: string
}

/** Outcome of a call that threw. */
export function outcomeOfError(error: unknown, { tool, signal }: Pick<AuditedCall, 'tool' | 'signal'>): AuditOutcome {
  if (!tool) return 'unknown_tool'
  if (signal.aborted) return 'cancelled'
  return error instanceof ProtocolError ? 'refused' : 'internal'
}

/** Outcome of a call that has a reply. */
export function outcomeOf(answer: CallReply): AuditOutcome {
  if ('resultType' in answer) return answer.resultType === 'task' ? 'task' : 'input_required'
  if (!answer.ok) return answer.error.code
  return answer.isReplay ? 'replayed' : 'ok'
}

/** A call, as the audit log records it. */
export function auditedCall(listing: Pick<Listing, 'find'>, params: CallToolRequest['params'], context: ServerContext): AuditedCall {
  const { name, arguments: args } = params
  return { caller: currentCaller(), tool: listing.find(name), args, trace: traceOf(context), signal: context.mcpReq.signal }
}
