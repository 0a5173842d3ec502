import { type Attributes, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Tracer } from '@opentelemetry/api'
import { ToolError } from '@mcp-toolkits/core'
import type { Clock } from '@mcp-toolkits/core/clock'
import type { MeasuredRequest, Telemetry } from '@mcp-toolkits/core/telemetry'
import type { ActiveSpan } from './active-span.ts'
import type { Recorders } from './metrics.ts'
import { routeOf } from './route.ts'

export interface InstrumentOptions {
  readonly tracer: Tracer
  readonly recorders: Recorders
  readonly active: ActiveSpan
  readonly clock: Pick<Clock, 'monotonic'>
}

/** Measures requests to the vendor: a span for each attempt, below the span of the call that makes it. */
export function measureRequests({ tracer, recorders, active, clock }: InstrumentOptions): Omit<Telemetry, 'watchBacklog'> {
  return {
    async request(request, send) {
      const { host, port, template } = routeOf(request.url)
      const attributes = attributesOf(request, { 'server.address': host, 'server.port': port, 'url.template': template })
      const span = tracer.startSpan(`${request.method} ${template}`, { kind: SpanKind.CLIENT, attributes }, active.context)
      const started = clock.monotonic()
      let status: number | undefined
      const onStatus = (received: number) => {
        status = received
        span.setAttribute('http.response.status_code', received)
        if (received >= 400) fail(`${received}`)
      }
      const fail = (type: string) => {
        span.setAttribute('error.type', type)
        span.setStatus({ code: SpanStatusCode.ERROR })
      }
      try {
        return await send(onStatus)
      } catch (error) {
        fail(errorType(error))
        throw error
      } finally {
        span.end()
        recorders.upstreamRequests(1, { host, status: statusClass(status) })
        recorders.upstreamSeconds((clock.monotonic() - started) / 1_000, { host })
        if (request.retries > 0) recorders.upstreamRetries(1, { host })
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

/** https://opentelemetry.io/docs/specs/semconv/http/http-spans/, without `url.full`, which has ids and texts of callers. */
function attributesOf({ method, operation, retries }: MeasuredRequest, target: Attributes): Attributes {
  return {
    'http.request.method': method,
    ...target,
    ...(operation !== undefined && { 'mcp_toolkits.operation': operation }),
    ...(retries > 0 && { 'http.request.resend_count': retries }),
  }
}

function statusClass(status: number | undefined): string {
  return status === undefined ? 'none' : `${Math.floor(status / 100)}xx`
}

/** One of few words; never a message, which could repeat the request. */
function errorType(error: unknown): string {
  if (error instanceof ToolError) return error.code
  return error instanceof Error && error.name === 'AbortError' ? 'cancelled' : 'internal'
}
