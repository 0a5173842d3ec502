import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, onTestFinished, test } from 'vitest'
import { trackCall, trackTool, legacy } from '../../packages/testing/src/processes/protocol.ts'
import { startHttp } from '../http-process.ts'
import { startStdio } from '../stdio-process.ts'
import { startUpstream } from '../upstream.ts'
import { type CollectedSpan, startCollector } from './collector.ts'

const trace = '0af7651916cd43dd8448eb211c80319c'
const parent = 'b7ad6b7169203331'
const traceparent = `00-${trace}-${parent}-01`
const canaries = { key: 'canary-api-key', person: 'canary-person', header: 'canary-collector-key' }

const namesOf = (spans: readonly CollectedSpan[]) => spans.map(({ name }) => name).sort()

/** Variables that make a server send to a collector. */
const sendingTo = (url: string, protocol = 'http/json') => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
  OTEL_EXPORTER_OTLP_HEADERS: `authorization=${canaries.header}`,
})

async function connect(url: string): Promise<Client> {
  const client = new Client({ name: 'e2e', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
  onTestFinished(() => client.close())
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  return client
}

test('a call continues the trace of its request, and each request to the vendor is a span below it', async () => {
  await using collector = await startCollector()
  await using upstream = await startUpstream({ key: canaries.key })
  const environment = { ...upstream.environment, ...sendingTo(collector.url), OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test' }
  await using server = await startHttp({ args: ['--log-level', 'error'], environment })
  upstream.emulator.faults.add({ action: { kind: 'status', status: 503, retry_after: 0 } })
  const client = await connect(server.url)
  const result = await client.callTool({ ...trackCall(canaries.person), _meta: { traceparent } })
  expect(result.structuredContent).toMatchObject({ outcome: 'delivered' })
  server.terminate()
  expect(await server.exit()).toBe(0)
  const spans = collector.spans()
  const [call] = spans.filter(({ name }) => name === 'tools/call TrackUserEvent')
  expect(call).toMatchObject({
    traceId: trace,
    parentSpanId: parent,
    attributes: { 'gen_ai.tool.name': 'TrackUserEvent', 'mcp_toolkits.effect': 'create', 'mcp_toolkits.outcome': 'ok' },
    events: [{ name: 'wait', attributes: { reason: 'backoff' } }],
  })
  const requests = spans.filter(({ name }) => name === 'POST /v1/track')
  expect(requests).toMatchObject([
    { traceId: trace, parentSpanId: call?.spanId, attributes: { 'http.response.status_code': 503, 'error.type': '503' } },
    { traceId: trace, parentSpanId: call?.spanId, attributes: { 'http.response.status_code': 200, 'http.request.resend_count': 1 } },
  ])
  expect(requests.map(({ attributes }) => attributes['server.address'])).toEqual(['127.0.0.1', '127.0.0.1'])
  expect(spans.filter(({ name }) => name === 'POST /v1/batch')).toMatchObject([{ traceId: trace, parentSpanId: call?.spanId }])
  expect(spans).toHaveLength(4)
  expect(collector.resources()[0]?.attributes).toMatchObject({ 'service.name': 'event-pipeline', 'deployment.environment.name': 'test' })
  expect(upstream.arrived()).toBe(2)
  for (const { body } of collector.deliveries) expect(body.toString()).not.toMatch(/canary|Paid/)
  expect(new Set(collector.deliveries.map(({ authorization }) => authorization))).toEqual(new Set([canaries.header]))
  expect(collector.metricNames()).toContain('mcp.calls')
})

test('the header of an HTTP request names its trace, where the request itself does not', async () => {
  await using collector = await startCollector()
  await using server = await startHttp({ environment: sendingTo(collector.url) })
  const call = legacy(1, 'tools/call', trackCall('u1'))
  await server.sendRequest({ ...call, headers: { ...call.headers, traceparent } })
  const unsampled = `00-1af7651916cd43dd8448eb211c80319c-${parent}-00`
  await server.sendRequest({ ...call, headers: { ...call.headers, traceparent: unsampled } })
  await server.sendRequest({ ...call, headers: { ...call.headers, traceparent: 'nonsense' } })
  server.terminate()
  expect(await server.exit()).toBe(0)
  const calls = collector.spans().filter(({ kind }) => kind === 2)
  expect(calls).toMatchObject([{ traceId: trace, parentSpanId: parent }, { name: 'tools/call TrackUserEvent' }])
  expect(calls[1]?.parentSpanId).toBeUndefined()
})

test('works over stdio, with the protocol that is standard', async () => {
  await using collector = await startCollector()
  await using upstream = await startUpstream()
  const environment = { ...upstream.environment, ...sendingTo(collector.url, ''), OTEL_SERVICE_NAME: 'events of a team' }
  await using server = await startStdio(environment)
  await server.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: trackCall('u1', trackTool) }))
  await server.answer(1)
  server.endInput()
  expect(await server.exit()).toBe(0)
  const traces = collector.deliveries.filter(({ path }) => path === '/v1/traces')
  expect(traces.map(({ contentType }) => contentType)).toEqual(['application/x-protobuf'])
  const text = traces[0]?.body.toString('latin1')
  for (const part of ['tools/call TrackUserEvent', 'POST /v1/track', 'events of a team']) expect(text).toContain(part)
})

test('what a sampler leaves out is not sent, and neither is a kind that is switched off', async () => {
  await using collector = await startCollector()
  const environment = {
    ...sendingTo(collector.url),
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0',
    OTEL_METRICS_EXPORTER: 'none',
  }
  await using server = await startHttp({ environment })
  const call = legacy(1, 'tools/call', trackCall('u1'))
  await server.sendRequest({ ...call, headers: { ...call.headers, traceparent } })
  server.terminate()
  expect(await server.exit()).toBe(0)
  expect(namesOf(collector.spans())).toEqual([])
  expect(collector.deliveries).toEqual([])
})
