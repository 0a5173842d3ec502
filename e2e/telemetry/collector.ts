import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { parseJson } from '@mcp-toolkits/core/base'
import * as z from 'zod'
import { listenOnLoopback } from '../../packages/testing/src/processes/loopback.ts'

const Value = z.union([
  z.object({ stringValue: z.string() }).transform(({ stringValue }) => stringValue),
  z.object({ intValue: z.coerce.number() }).transform(({ intValue }) => intValue),
  z.object({ boolValue: z.boolean() }).transform(({ boolValue }) => boolValue),
])

const Attributes = z
  .array(z.object({ key: z.string(), value: Value }))
  .transform((attributes) => Object.fromEntries(attributes.map(({ key, value }) => [key, value])))

const Span = z.object({
  traceId: z.string().regex(/^[\da-f]{32}$/),
  spanId: z.string().regex(/^[\da-f]{16}$/),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.number(),
  attributes: Attributes,
  events: z.array(z.object({ name: z.string(), attributes: Attributes })),
  status: z.object({ code: z.number() }),
})
const Resource = z.object({ attributes: Attributes })
const Traces = z.object({
  resourceSpans: z.array(z.object({ resource: Resource, scopeSpans: z.array(z.object({ spans: z.array(Span) })) })),
})
const Metrics = z.object({
  resourceMetrics: z.array(z.object({ scopeMetrics: z.array(z.object({ metrics: z.array(z.object({ name: z.string() })) })) })),
})

export type CollectedSpan = z.output<typeof Span>

export interface Delivery {
  readonly path: string
  readonly contentType: string
  readonly authorization: string
  readonly body: Buffer
}

/** An OpenTelemetry collector that keeps everything it receives. https://opentelemetry.io/docs/specs/otlp/#otlphttp */
export interface Collector extends AsyncDisposable {
  readonly url: string
  readonly deliveries: readonly Delivery[]
  /** The spans that arrived as JSON. Throws for a body that violates the protocol. */
  readonly spans: () => CollectedSpan[]
  readonly resources: () => z.output<typeof Resource>[]
  readonly metricNames: () => string[]
}

export interface CollectorOptions {
  /** The status of responses, 200 by default; `never` leaves every delivery unanswered. */
  readonly answer?: number | 'never'
}

export async function startCollector({ answer = 200 }: CollectorOptions = {}): Promise<Collector> {
  const deliveries: Delivery[] = []
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const { 'content-type': contentType = '', authorization = '' } = request.headers
      deliveries.push({ path: request.url ?? '', contentType, authorization, body })
      if (answer !== 'never') response.writeHead(answer, { 'content-type': 'application/json' }).end('{}')
    })
  })
  const listener = await listenOnLoopback(server)
  const bodies = (path: string) => deliveries.filter((each) => each.path === path).map(({ body }) => parseJson(body.toString()))
  const traces = () => bodies('/v1/traces').flatMap((body) => Traces.parse(body).resourceSpans)
  return {
    ...listener,
    deliveries,
    spans: () => traces().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    resources: () => traces().map(({ resource }) => resource),
    metricNames() {
      const scopes = bodies('/v1/metrics').flatMap((body) => Metrics.parse(body).resourceMetrics.flatMap((each) => each.scopeMetrics))
      return [...new Set(scopes.flatMap(({ metrics }) => metrics.map(({ name }) => name)))]
    },
  }
}
