import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { traceFiles } from '../../packages/testing/src/processes/loaded-files.ts'
import { program } from '../command.ts'
import { startHttp } from '../http-process.ts'
import { modern, parseMessageBody, trackCall } from '../../packages/testing/src/processes/protocol.ts'
import { startStdio } from '../stdio-process.ts'
import { startCollector } from './collector.ts'

/** Sends each span at once, so that every call involves the collector. */
const atOnce = { OTEL_BSP_SCHEDULE_DELAY: '1', OTEL_METRIC_EXPORT_INTERVAL: '20' }

const linesAbout = (errors: string) => errors.split('\n').filter((line) => line.includes('"message":"telemetry"'))

test.for([
  ['refuses connections', () => Promise.resolve({ url: 'http://127.0.0.1:1', deliveries: [{}] }), 'ECONNREFUSED'],
  ['answers 500', () => startCollector({ answer: 500 }), 'HTTP 500'],
] as const)('a collector that %s fails no call, and is logged once', async ([, start, reason]) => {
  const collector = await start()
  const environment = { ...atOnce, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_TIMEOUT: '200' }
  await using server = await startHttp({ environment })
  for (let id = 0; id < 5; id += 1) {
    const { body } = await server.sendRequest(modern(id, 'tools/call', trackCall('u1')))
    expect(parseMessageBody(body)).toMatchObject({ result: { structuredContent: { outcome: 'delivered' } } })
  }
  await expect.poll(() => linesAbout(server.errors())).toEqual([expect.stringContaining(`cannot be sent to ${collector.url} (${reason})`)])
  server.terminate()
  expect(await server.exit()).toBe(0)
  expect(linesAbout(server.errors())).toHaveLength(1)
  if (Symbol.asyncDispose in collector) await collector[Symbol.asyncDispose]()
})

test('a collector that never answers fails no call, and does not keep the server from ending', async () => {
  await using collector = await startCollector({ answer: 'never' })
  await using server = await startStdio({ MCP_TOOLKITS_EMBEDDED: '1', ...atOnce, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
  await server.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: trackCall('u1') }))
  expect(await server.answer(1)).toMatchObject({ result: { structuredContent: { outcome: 'delivered' } } })
  await expect.poll(() => collector.deliveries.length).toBeGreaterThan(0)
  server.endInput()
  expect(await server.exit()).toBe(0)
})

test('variables that cannot be used are named, and the server serves', async () => {
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'canary',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:1/v1/traces',
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'grpc',
    OTEL_TRACES_SAMPLER: 'dice',
  }
  await using server = await startHttp({ environment })
  expect(linesAbout(server.errors()).map((line) => /"problem":"([^"]+)"/.exec(line)?.[1])).toEqual([
    'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL must be http/protobuf or http/json; no traces are sent.',
    'OTEL_EXPORTER_OTLP_ENDPOINT must be a URL such as http://127.0.0.1:4318; no metrics are sent.',
    'OTEL_TRACES_SAMPLER is unknown; parentbased_always_on is used.',
  ])
  expect(server.errors()).not.toContain('canary')
})

test('nothing of it is loaded without a collector and a port', async () => {
  const start = (args: readonly string[], variables: Readonly<Record<string, string>> = {}) =>
    traceFiles(async (env) => {
      const all = { ...env, ...variables }
      // An unusable port ends the server once everything is loaded.
      await promisify(execFile)(process.execPath, [program, 'http', '--embedded', '--port', '1', '--host', '192.0.2.1', ...args], {
        env: all,
      }).catch(() => undefined)
    })
  const text = (files: readonly string[]) => files.map((file) => readFileSync(file, 'utf8')).join('\n')
  const hosted = { MCP_TOOLKITS_HTTP_TOKEN: 'x'.repeat(32) }
  const plain = await start(['--allowed-hosts', 'a.example'], hosted)
  const disabled = { ...hosted, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_SDK_DISABLED: 'true' }
  expect(await start(['--allowed-hosts', 'a.example'], disabled)).toEqual(plain)
  const measured = await start(['--allowed-hosts', 'a.example', '--metrics-port', '0'], hosted)
  const sent = await start(['--allowed-hosts', 'a.example'], { ...hosted, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' })
  for (const [files, markers] of [
    [plain, []],
    [measured, ['target_info']],
    [sent, ['target_info', 'OTEL_EXPORTER_OTLP_HEADERS']],
  ] as const)
    expect(['target_info', 'OTEL_EXPORTER_OTLP_HEADERS'].filter((marker) => text(files).includes(marker))).toEqual(markers)
})
