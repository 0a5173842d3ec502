import { member } from '@mcp-toolkits/core/base'
import { isJSONRPCRequest, parseJSONRPCMessage, type JSONRPCMessage } from '@modelcontextprotocol/server'
import type { LimitedCall } from '../../mcp/calls/call-limiter.ts'
import type { Delivery, RunInContext } from '../../mcp/calls/current-request.ts'
import { requestProblem } from '../../mcp/rpc-requests.ts'

export type Id = string | number

/** An accepted request, with its cost among those in flight. */
export interface PendingRequest {
  readonly method: string
  readonly calls: readonly LimitedCall[]
  /** The fate of the answer, which counts for every request with the id. */
  readonly delivery: Delivery
  /** Runs work in the request's async context; absent before it has started. */
  readonly run?: RunInContext
}

export function toMessage(json: unknown): JSONRPCMessage | undefined {
  try {
    return parseJSONRPCMessage(json)
  } catch {
    return undefined
  }
}

/** The id of a request, even of a malformed one, so that its sender does not wait forever; null for anything else. */
export function requestId(json: unknown): Id | null {
  return member(json, 'method') === undefined ? null : (idIn(json, 'id') ?? null)
}

/** The id of the request that a response is for, however malformed; undefined for anything else. */
export function answerId(json: unknown): Id | undefined {
  return member(json, 'method') === undefined ? idIn(json, 'id') : undefined
}

export function idIn(value: unknown, name: string): Id | undefined {
  const id = member(value, name)
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}

/** One sentence on why a request is too large; undefined for any other message. */
export function messageProblem(message: JSONRPCMessage | undefined): string | undefined {
  return message && isJSONRPCRequest(message) ? requestProblem(message) : undefined
}
