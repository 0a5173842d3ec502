import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import path from 'node:path'
import { isObject, parseJson } from '@mcp-toolkits/core/base'
import { expect, test } from 'vitest'
import { run, temporaryDirectory } from '../command.ts'
import { startHttp } from '../http-process.ts'
import { listenOnLoopback } from '../../packages/testing/src/processes/loopback.ts'
import { modern, schemaCall, trackCall, trackTool } from '../../packages/testing/src/processes/protocol.ts'
import { startUpstream } from '../upstream.ts'
import type { MetricFamily } from './prometheus-text.ts'
import { scrape } from './scrape.ts'

function valuesOf(families: readonly MetricFamily[], name: string) {
  return families.find((family) => family.name === name)?.samples.map(({ labels, value }) => ({ ...labels, value })) ?? []
}

/** Counts how often each pair occurs. */
function countPairs(pairs: readonly (readonly [tool: unknown, outcome: unknown])[]) {
  const counts = new Map<string, number>()
  for (const pair of pairs) counts.set(pair.join(' '), (counts.get(pair.join(' ')) ?? 0) + 1)
  return counts
}

test('/metrics counts each call as the audit does, and has nothing of its content', async () => {
  await using upstream = await startUpstream({ key: 'canary-key' })
  const file = path.join(await temporaryDirectory(), 'audit.jsonl')
  const environment = {
    ...upstream.environment,
    MCP_TOOLKITS_METRICS_PORT: '0',
    MCP_TOOLKITS_HTTP_TOKEN: 'canary-token-0123456789abcdefghij',
  }
  await using server = await startHttp({ args: ['--audit', file], environment })
  const send = (id: number, params: Parameters<typeof modern>[2], token = 'canary-token-0123456789abcdefghij') => {
    const request = modern(id, 'tools/call', params)
    return server.sendRequest({ ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } })
  }
  for (let id = 0; id < 3; id += 1) await send(id, trackCall(`canary-${id}`))
  await send(3, schemaCall())
  await send(4, { name: trackTool, arguments: { mode: 'execute', request_body: '{"canary":1}' } })
  await send(5, { name: 'canary_tool', arguments: {} })
  const keyed = { ...trackCall('canary-same'), _meta: { 'mcp-toolkits/idempotency-key': 'canary' } }
  await send(6, keyed)
  await send(7, keyed)
  await send(8, schemaCall(), 'wrong')
  upstream.emulator.faults.add({ action: { kind: 'status', status: 429, retry_after: 1 } })
  await send(9, trackCall('canary-9'))
  const { text, families } = await scrape(server.errors())
  expect(text).not.toContain('canary')
  const lines = (await readFile(file, 'utf8')).trim().split('\n').map(parseJson).filter(isObject)
  const audited = countPairs(lines.filter(({ outcome }) => outcome !== 'refused').map(({ tool = '', outcome }) => [tool, outcome]))
  const calls = families.find(({ name }) => name === 'mcp_calls_total')?.samples ?? []
  const counted = new Map(calls.map(({ labels: { tool = '', outcome }, value }) => [`${tool} ${outcome}`, value]))
  expect(counted).toEqual(audited)
  expect(counted.get('TrackUserEvent replayed')).toBe(1)
  expect(counted.get(' unknown_tool')).toBe(1)
  expect(valuesOf(families, 'mcp_refused_requests_total')).toEqual([{ status: '401', value: 1 }])
  const requests = valuesOf(families, 'mcp_upstream_requests_total')
  // One request of each kind is the key check, which the upstream does not count.
  expect(requests).toContainEqual({ host: '127.0.0.1', status: '4xx', value: 2 })
  expect(requests.reduce((sum, { value }) => sum + value, 0)).toBe(upstream.arrived() + 1)
  const known = { tool: 1, effect: 1, outcome: 1, host: 1, status: 1, reason: 1, state: 1, le: 1 }
  const labels = new Set(
    families.filter(({ name }) => name !== 'target_info').flatMap(({ samples }) => samples.flatMap((each) => Object.keys(each.labels))),
  )
  expect([...labels].filter((label) => !(label in known))).toEqual([])
})

test('/metrics is on a separate port, and nothing else is', async () => {
  await using server = await startHttp({ args: ['--embedded', '--metrics-port', '0'] })
  const base = / metrics at (http:\/\/127\.0\.0\.1:\d+)\/metrics\n/.exec(server.errors())?.[1] ?? ''
  const statusOf = async (url: string, method = 'GET') => (await fetch(url, { method })).status
  expect(await statusOf(`${base}/metrics`)).toBe(200)
  expect(await statusOf(`${base}/mcp`)).toBe(404)
  expect(await statusOf(`${base}/metrics`, 'POST')).toBe(405)
  expect((await server.sendRequest({ method: 'GET', path: '/metrics' })).status).toBe(404)
  server.terminate()
  expect(await server.exit()).toBe(0)
})

test('a port for metrics that is in use is a mistake on the command line', async () => {
  await using taken = await listenOnLoopback(createServer())
  const port = new URL(taken.url).port
  const { code, errors } = await run(['http', '--embedded', '--port', '0', '--metrics-port', port])
  expect([code, errors]).toEqual([2, expect.stringContaining('Choose another with --metrics-host and --metrics-port.')])
})
