import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { isObject, parseJson } from '@mcp-toolkits/core/base'
import { expect, test } from 'vitest'
import { run, temporaryDirectory } from '../command.ts'
import { startHttp } from '../http-process.ts'
import { legacy, modern, schemaCall } from '../../packages/testing/src/processes/protocol.ts'
import { startTokenIssuer } from './token-server.ts'

const publicUrl = 'https://tools.example'
const trace = '0af7651916cd43dd8448eb211c80319c'
const environment = {
  EVENT_PIPELINE_API_KEY: 'canary-api-key',
  EVENT_PIPELINE_API_URL: 'http://127.0.0.1:1/v1',
  MCP_TOOLKITS_VAULT_KEYS: `1:${Buffer.alloc(32, 7).toString('base64')}`,
}

function entriesIn(text: string): readonly Readonly<Record<string, unknown>>[] {
  return text
    .trim()
    .split('\n')
    .map(parseJson)
    .filter(isObject)
    .filter((entry) => 'outcome' in entry && 'replica' in entry)
}

test('has each call of each person once, and each request that was refused', async () => {
  await using issuer = await startTokenIssuer()
  const { tokens } = issuer
  const file = path.join(await temporaryDirectory(), 'audit.jsonl')
  await using server = await startHttp({ args: ['--issuer', tokens.issuer, '--public-url', publicUrl, '--audit', file], environment })
  const tokenOf = (subject: string, scope: string) =>
    tokens.sign({ sub: subject, aud: `${publicUrl}/mcp`, scope: `event-pipeline:${scope}` }, Date.now())
  const [ada, robin] = [await tokenOf('ada', 'delete'), await tokenOf('robin', 'read')]
  const send = async (token: string, request: ReturnType<typeof modern>, headers = {}) =>
    server.sendRequest({ ...request, headers: { ...request.headers, host: 'tools.example', authorization: `Bearer ${token}`, ...headers } })
  const calls = Array.from({ length: 20 }, (_, id) => (id % 2 === 0 ? modern : legacy)(id, 'tools/call', schemaCall()))
  await Promise.all(calls.map((request) => send(ada, request)))
  await send(ada, modern(21, 'tools/call', { ...schemaCall(), _meta: { traceparent: `00-${trace}-b7ad6b7169203331-01` } }))
  await send(ada, modern(22, 'tools/list'))
  const page = { name: 'EventPipelineApi_SendPageViewEvent', arguments: { mode: 'execute', request_body: '{"secret":"canary-content"}' } }
  await send(robin, modern(23, 'tools/call', page))
  await send(`${robin}x`, modern(24, 'tools/call', schemaCall()))
  await send(robin, modern(25, 'tools/call', schemaCall()), { host: 'evil.example' })
  const broken = { ...modern(26, 'tools/call', schemaCall()), body: '{"canary' }
  await send(robin, broken)
  await expect.poll(async () => entriesIn(await readFile(file, 'utf8'))).toHaveLength(25)
  const text = await readFile(file, 'utf8')
  const entries = entriesIn(text)
  expect(entries.filter(({ outcome }) => outcome === 'ok')).toHaveLength(21)
  expect(entries.find((entry) => entry['trace'] === trace)).toMatchObject({
    issuer: tokens.issuer,
    subject: 'ada',
    client: 'client',
    profile: 'default',
    tool: 'TrackUserEvent',
    outcome: 'ok',
  })
  expect(entries.filter(({ outcome }) => outcome === 'refused')).toMatchObject([
    { subject: 'robin', tools: ['SendPageViewEvent'], status: 403 },
    { status: 401 },
    { status: 403 },
    { subject: 'robin', status: 400, problem: 'The body is not JSON.' },
  ])
  expect(text).not.toMatch(/canary|eyJ/)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test('can be on standard error, and without people', async () => {
  const token = 'canary-token-0123456789abcdefghij'
  await using server = await startHttp({ args: ['--embedded', '--audit', '-'], environment: { MCP_TOOLKITS_HTTP_TOKEN: token } })
  const request = modern(1, 'tools/call', schemaCall())
  await server.sendRequest(request)
  await server.sendRequest({ ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } })
  await expect
    .poll(() => entriesIn(server.errors()))
    .toMatchObject([
      { outcome: 'refused', status: 401 },
      { tool: 'TrackUserEvent', outcome: 'ok' },
    ])
})

test('that cannot be written keeps the server from starting', async () => {
  const { code, errors } = await run(['http', '--port', '0', '--embedded', '--audit', '/proc/none/audit'])
  expect([code, errors]).toEqual([1, expect.stringContaining('The audit log cannot be written to /proc/none/audit (ENOENT).')])
})
