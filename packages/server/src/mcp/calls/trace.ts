import { stringMember } from '@mcp-toolkits/core/base'
import type { ServerContext } from '@modelcontextprotocol/server'

/** The trace that a request belongs to: https://www.w3.org/TR/trace-context/ */
export interface Trace {
  readonly traceparent: string | undefined
  readonly tracestate: string | undefined
}

/** The trace named in a request's `_meta`, or else in its headers. */
export function traceOf({ mcpReq, http }: ServerContext): Trace {
  const valueOf = (name: keyof Trace) => stringMember(mcpReq._meta, name) ?? http?.req?.headers.get(name) ?? undefined
  return { traceparent: valueOf('traceparent'), tracestate: valueOf('tracestate') }
}
