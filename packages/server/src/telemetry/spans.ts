import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from '@mcp-toolkits/core/base'
import { ToolError } from '@mcp-toolkits/core/errors'
import type { MeasuredRequest, Telemetry } from '@mcp-toolkits/core/upstream'
import {
  type Attributes,
  type Context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { type AuditOutcome, type CallAudit, outcomeOf, outcomeOfError } from '../mcp/calls/audited-call.ts'
import type { Trace } from '../mcp/calls/trace.ts'
import type { Recorders } from './metrics.ts'

export interface InstrumentOptions {
  readonly tracer: Tracer
  readonly recorders: Recorders
  readonly active: ActiveSpan
  readonly clock: Pick<Clock, 'monotonic' | 'now'>
}

/** Measures requests to the vendor: a span for each attempt, below its call's span. */
export function measureRequests({ tracer, recorders, active, clock }: InstrumentOptions): Omit<Telemetry, 'watchBacklog'> {
  return {
    startRequest(request) {
      const { host, port, template } = routeOf(request.url)
      const attributes = attributesOf(request, { 'server.address': host, 'server.port': port, 'url.template': template })
      const span = tracer.startSpan(`${request.method} ${template}`, { kind: SpanKind.CLIENT, attributes }, active.context)
      const started = clock.monotonic()
      let status: number | undefined
      const fail = (type: string) => {
        span.setAttribute('error.type', type)
        span.setStatus({ code: SpanStatusCode.ERROR })
      }
      return {
        onStatus(received) {
          status = received
          span.setAttribute('http.response.status_code', received)
          if (received >= 400) fail(`${received}`)
        },
        onError(error) {
          fail(errorType(error))
        },
        end() {
          span.end()
          recorders.upstreamRequests(1, { host, status: status === undefined ? 'none' : `${Math.floor(status / 100)}xx` })
          recorders.upstreamSeconds((clock.monotonic() - started) / 1_000, { host })
          if (request.retries > 0) recorders.upstreamRetries(1, { host })
        },
      }
    },
    waited({ url, reason, ms }) {
      recorders.upstreamWaitSeconds(ms / 1_000, { host: routeOf(url).host, reason: reason.replace(' ', '_') })
      trace.getSpan(active.context)?.addEvent('wait', { reason, ms: Math.round(ms) })
    },
    tokenRefreshed(outcome) {
      recorders.tokenRefreshes(1, { outcome })
    },
    inBackground: (work) => active.run(ROOT_CONTEXT, work),
  }
}

/** The attributes in https://opentelemetry.io/docs/specs/semconv/http/http-spans/, except `url.full`: it contains callers' ids and text. */
function attributesOf({ method, operation, retries }: MeasuredRequest, target: Attributes): Attributes {
  return {
    'http.request.method': method,
    ...target,
    ...(operation !== undefined && { 'mcp_toolkits.operation': operation }),
    ...(retries > 0 && { 'http.request.resend_count': retries }),
  }
}

/** One of a few words; never a message, which could quote the request. */
function errorType(error: unknown): string {
  if (error instanceof ToolError) return error.code
  return error instanceof Error && error.name === 'AbortError' ? 'cancelled' : 'internal'
}

/** The outcomes that are the server's or the vendor's fault, not the request's. */
const failures: readonly AuditOutcome[] = ['internal', 'unavailable', 'rate_limited']
const successes: readonly AuditOutcome[] = ['ok', 'replayed', 'input_required', 'task']

/** Measures calls: each has a span, which continues the request's trace, and is counted under the outcome in the audit log. */
export function measureCalls({ tracer, recorders, active, clock }: InstrumentOptions): CallAudit {
  return {
    async call(call, work) {
      const { tool, trace: given, task } = call
      const before = task?.ms ?? 0
      const labels = tool ? { tool: tool.name, effect: tool.effect } : {}
      const parent = parentOf(given)
      const span = tracer.startSpan(
        tool ? `tools/call ${tool.name}` : 'tools/call',
        {
          kind: SpanKind.SERVER,
          attributes: {
            'mcp.method.name': 'tools/call',
            'gen_ai.operation.name': 'execute_tool',
            ...(tool && { 'gen_ai.tool.name': tool.name, 'mcp_toolkits.effect': tool.effect }),
            ...(task && { 'mcp_toolkits.task': task.id }),
          },
          ...(before > 0 && { startTime: clock.now() - before }),
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
        recorders.callSeconds((clock.monotonic() - started + before) / 1_000, labels)
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

/** The parent of a call: the trace of its request, if any. */
const parentOf = (given: Trace | undefined) => propagator.extract(ROOT_CONTEXT, given, defaultTextMapGetter)

/**
 * The span to which the running code belongs. It is not an OpenTelemetry global, so that several servers in one process do not interfere.
 */
export class ActiveSpan {
  readonly #contexts = new AsyncLocalStorage<Context>()

  /** The span's context, or one without a span. */
  get context(): Context {
    return this.#contexts.getStore() ?? ROOT_CONTEXT
  }

  run<Result>(context: Context, work: () => Result): Result {
    return this.#contexts.run(context, work)
  }
}

/** A request's target, without parts that identify a thing or person. */
export interface Route {
  readonly host: string
  readonly port: number | undefined
  /** The path, with `{id}` for each part that is not one of the API's fixed words: `/drive/v3/files/{id}`. */
  readonly template: string
}

/** A version, or a word of letters too short for an id. Our vendors' ids have digits or are longer; email addresses have punctuation. */
const fixedPart = /^(?:v\d{1,2}|[a-z]{1,16}|[a-z]{1,12}[A-Z][a-z]{1,12})$/

/** Maximum number of parts of a path; the longest is an upload's, with five. */
const maxParts = 8

export function routeOf(address: string): Route {
  const url = URL.parse(address)
  if (!url) return { host: 'unknown', port: undefined, template: '/' }
  const parts = url.pathname.split('/').slice(1, maxParts + 1)
  const template = parts.map((part) => (part === '' || fixedPart.test(part) ? part : '{id}')).join('/')
  return { host: url.hostname, port: url.port === '' ? undefined : Number(url.port), template: `/${template}` }
}
