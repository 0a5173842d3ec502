import { type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { member } from '@mcp-toolkits/core/json'
import { type Audit, type AuditOutcome, outcomeOf, outcomeOfError } from '../audit.ts'
import type { InstrumentOptions } from './requests.ts'

/** The outcomes for which the server or the vendor is to blame, and not what the caller asked for. */
const failures: readonly AuditOutcome[] = ['internal', 'unavailable', 'rate_limited']
const successes: readonly AuditOutcome[] = ['ok', 'replayed', 'input_required']

/** Measures calls: each has a span, which continues the trace of its request, and counts under the outcome that the audit names. */
export function measureCalls({ tracer, recorders, active, clock }: InstrumentOptions): Pick<Audit, 'call' | 'refused'> {
  return {
    async call(call, work) {
      const { tool, meta } = call
      const labels = tool ? { tool: tool.name, effect: tool.effect } : {}
      const parent = parentOf(meta)
      const span = tracer.startSpan(
        tool ? `tools/call ${tool.name}` : 'tools/call',
        {
          kind: SpanKind.SERVER,
          attributes: {
            'mcp.method.name': 'tools/call',
            'gen_ai.operation.name': 'execute_tool',
            ...(tool && { 'gen_ai.tool.name': tool.name, 'mcp_toolkits.effect': tool.effect }),
          },
        },
        parent,
      )
      const started = clock.monotonic()
      const end = (outcome: AuditOutcome) => {
        span.setAttribute('mcp_toolkits.outcome', outcome)
        if (!successes.includes(outcome)) span.setAttribute('error.type', outcome)
        if (failures.includes(outcome)) span.setStatus({ code: SpanStatusCode.ERROR })
        span.end()
        recorders.calls(1, { ...labels, outcome })
        recorders.callSeconds((clock.monotonic() - started) / 1_000, labels)
      }
      try {
        const answer = await active.run(trace.setSpan(parent, span), work)
        end(outcomeOf(answer))
        return answer
      } catch (error) {
        end(outcomeOfError(error, call))
        throw error
      }
    },
    refused({ status }) {
      recorders.refusedRequests(1, { status: String(status) })
    },
  }
}

const propagator = new W3CTraceContextPropagator()

/** What `traceparent` and `tracestate` in `_meta` of a request say, if anything. */
function parentOf(meta: unknown): Context {
  return propagator.extract(ROOT_CONTEXT, meta, {
    keys: () => ['traceparent', 'tracestate'],
    get(carrier, key) {
      const value = member(carrier, key)
      return typeof value === 'string' ? value : undefined
    },
  })
}
