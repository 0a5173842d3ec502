import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { run } from './command.ts'
import { schemaCall, initialize, legacy, parseMessageBody, modern } from '../packages/testing/src/processes/protocol.ts'
import { calling, callsLogged, startHttp, type HttpProcess } from './http-process.ts'

describe('on loopback', () => {
  let server: HttpProcess
  beforeAll(async () => {
    server = await startHttp()
  })
  afterAll(() => server[Symbol.asyncDispose]())

  test('prints its real address when it serves', () => {
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*\/mcp$/)
    expect(server.errors()).toContain(`Event Pipeline for Customer.io serves ${server.url}\n`)
  })

  test.for([
    ['a foreign Host', { host: 'evil.example' }],
    ['a foreign Host that looks like this one', { host: 'localhost.evil.example:3000' }],
    ['a foreign Origin', { origin: 'http://evil.example' }],
    ['an Origin of no host', { origin: 'null' }],
  ] as const)('refuses %s with 403 and runs nothing', async ([, headers]) => {
    const before = callsLogged(server)
    const { status, body } = await server.sendRequest(calling(headers))
    expect([status, parseMessageBody(body).error?.code]).toEqual([403, -32000])
    expect(callsLogged(server)).toBe(before)
  })

  test.for([
    ['Host localhost', { host: 'localhost:1' }],
    ['Origin localhost', { origin: 'http://localhost:5173' }],
    ['Origin 127.0.0.1', { origin: 'http://127.0.0.1' }],
  ] as const)('accepts %s and runs the call', async ([, headers]) => {
    const before = callsLogged(server)
    const { status, body } = await server.sendRequest(calling(headers))
    expect(status).toBe(200)
    expect(parseMessageBody(body).result).toHaveProperty('structuredContent.openapi')
    // The log arrives through a different pipe from the answer.
    await expect.poll(() => callsLogged(server)).toBe(before + 1)
  })

  test.for(['GET', 'DELETE'])('answers %s /mcp with 405', async (method) => {
    const { status } = await server.sendRequest({ method, headers: { accept: 'text/event-stream' } })
    expect(status).toBe(405)
  })

  test('answers /healthz with its name and any other path with 404', async () => {
    const health = await server.sendRequest({ method: 'GET', path: '/healthz' })
    expect([health.status, JSON.parse(health.body)]).toMatchObject([200, { status: 'ok', server: 'event-pipeline' }])
    for (const path of ['/', '/mcp/x', '/sse', '/healthz/x']) {
      expect((await server.sendRequest({ ...modern(1, 'tools/list'), path })).status, path).toBe(404)
    }
  })

  test.for([
    ['no JSON', '{oops', 400, -32700],
    ['nothing', '', 400, -32700],
    ['no JSON-RPC', '{"hello":"world"}', 400, -32600],
  ] as const)('answers a body that is %s with a JSON-RPC error', async ([, body, status, code]) => {
    const answered = await server.sendRequest({ ...legacy(1, ''), body })
    expect([answered.status, parseMessageBody(answered.body)]).toMatchObject([status, { id: null, error: { code } }])
  })

  test('answers an unknown tool with a JSON-RPC error in both revisions', async () => {
    for (const as of [modern, legacy]) {
      const { body } = await server.sendRequest(as(7, 'tools/call', { name: 'EventPipelineApi_Nope', arguments: {} }))
      expect(parseMessageBody(body)).toMatchObject({ id: 7, error: { code: -32602, message: 'Unknown tool: EventPipelineApi_Nope' } })
    }
  })

  test('keeps nothing between requests: no session, no handshake, no shared ids', async () => {
    const shaken = await server.sendRequest({ ...legacy(1, ''), body: initialize(1) })
    expect(shaken.headers).not.toHaveProperty('mcp-session-id')
    expect(parseMessageBody(shaken.body).result).toMatchObject({ protocolVersion: '2025-11-25' })
    const titles: Readonly<Record<string, string>> = { EventPipelineApi_TrackUserEvent: 'track', EventPipelineApi_AddToGroup: 'group' }
    const requests = Array.from({ length: 10 }, () => Object.keys(titles)).flatMap((names) =>
      names.flatMap((name) => [modern, legacy].map((as) => ({ name, request: as(1, 'tools/call', schemaCall(name)) }))),
    )
    const answers = await Promise.all(requests.map(async (each) => ({ ...each, answered: await server.sendRequest(each.request) })))
    expect(answers).toHaveLength(40)
    for (const { name, answered } of answers) {
      expect(answered.headers).not.toHaveProperty('mcp-session-id')
      expect(parseMessageBody(answered.body)).toMatchObject({ id: 1, result: { structuredContent: { mode: 'get_request_schema' } } })
      expect(parseMessageBody(answered.body).result).toHaveProperty(`structuredContent.openapi.paths./${titles[name] ?? ''}`)
    }
  })
})

test('does not start beyond loopback without a token: a usage error in one line, exit code 2', async () => {
  const args = ['http', '--host', '0.0.0.0', '--port', '0', '--allowed-hosts', 'mcp.example', '--embedded']
  const { code, output, errors } = await run(args)
  expect([code, output]).toEqual([2, ''])
  expect(errors.trim().split('\n')).toHaveLength(1)
})
