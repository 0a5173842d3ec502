import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { run } from './command.ts'
import { schemaCall, initialize, legacy, parseMessageBody, modern, rpc } from '../packages/testing/src/processes/protocol.ts'
import { collectOutput, startHttp, type HttpProcess } from './http-process.ts'

const callsLogged = ({ errors }: HttpProcess) => errors().match(/"message":"call"/g)?.length ?? 0

/** A request that would run a tool, with one header changed. */
const calling = (headers: Readonly<Record<string, string>>) => {
  const request = modern(1, 'tools/call', schemaCall())
  return { ...request, headers: { ...request.headers, ...headers } }
}

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
    // The log arrives through another pipe than the answer.
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

describe('a body of 20 MB', () => {
  const piece = 64 * 1024
  const size = 20 * 1000 * 1000

  test.for([
    ['of announced length', `content-length: ${size}`],
    ['in chunks of unknown number', 'transfer-encoding: chunked'],
  ] as const)('%s is answered 413 before it has arrived, and the process continues', async ([, framing]) => {
    await using server = await startHttp()
    const { port, host } = new URL(server.url)
    const socket = connect({ port: Number(port), host: '127.0.0.1' })
    const reading = collectOutput(socket)
    const broken = once(socket, 'close').then(() => 'closed')
    socket.on('error', () => undefined)
    socket.write(`POST /mcp HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\naccept: application/json\r\n${framing}\r\n\r\n`)
    const status = reading.match(/^HTTP\/1\.1 (\d+)/)
    let sent = 0
    // Sends at the server's pace and never everything, so that an answer must come while the body arrives.
    while (sent < size - piece && reading.all() === '' && !socket.destroyed) {
      const bytes = Buffer.alloc(piece, ' ')
      const framed = framing.startsWith('transfer')
        ? Buffer.concat([Buffer.from(`${piece.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])
        : bytes
      if (!socket.write(framed)) await Promise.race([once(socket, 'drain').catch(() => 'broken'), broken, status])
      await new Promise(setImmediate)
      sent += piece
    }
    expect(await Promise.race([status, broken])).toBe('413')
    expect(sent).toBeLessThan(size / 2)
    socket.destroy()
    expect((await server.sendRequest(modern(1, 'tools/list'))).status).toBe(200)
  })
})

describe('a token', () => {
  const token = 'e2e-token-0123456789-0123456789-0123'
  let server: HttpProcess
  beforeAll(async () => {
    server = await startHttp({ environment: { MCP_TOOLKITS_HTTP_TOKEN: token } })
  })
  afterAll(() => server[Symbol.asyncDispose]())

  test.for([
    ['none', {}],
    ['a wrong one', { authorization: `Bearer ${token.replace('e2e', 'E2E')}` }],
    ['one that is too short', { authorization: 'Bearer e2e-token' }],
    ['one that only begins like it', { authorization: `Bearer ${token}0` }],
    ['an empty one', { authorization: 'Bearer ' }],
    ['another scheme', { authorization: `Basic ${token}` }],
  ] as const)('answers %s with 401 and what to send, and runs nothing', async ([, headers]) => {
    const { status, headers: answered } = await server.sendRequest(calling(headers))
    expect(status).toBe(401)
    expect(answered['www-authenticate']).toMatch(/^Bearer/)
    expect(callsLogged(server)).toBe(0)
  })

  test('accepts the right one, and needs none for /healthz', async () => {
    const { status, body } = await server.sendRequest({ ...calling({ authorization: `Bearer ${token}` }) })
    expect([status, parseMessageBody(body).result]).toMatchObject([200, { structuredContent: {} }])
    expect((await server.sendRequest({ method: 'GET', path: '/healthz' })).status).toBe(200)
    expect(server.output() + server.errors()).not.toContain(token)
  })
})

describe('beyond loopback', () => {
  const token = { MCP_TOOLKITS_HTTP_TOKEN: 'e2e-token-0123456789-0123456789-0123' }

  test.for([
    ['without a token', ['--allowed-hosts', 'mcp.example', '--embedded'], {}],
    ['with an empty token', ['--allowed-hosts', 'mcp.example', '--embedded'], { MCP_TOOLKITS_HTTP_TOKEN: '' }],
    ['with a short token', ['--allowed-hosts', 'mcp.example', '--embedded'], { MCP_TOOLKITS_HTTP_TOKEN: 'short' }],
    ['without --allowed-hosts', ['--embedded'], token],
    ['on the embedded default by accident', ['--allowed-hosts', 'mcp.example'], token],
  ] as const)('does not start %s: a usage error in one line, exit code 2', async ([, args, environment]) => {
    const { code, output, errors } = await run(['http', '--host', '0.0.0.0', '--port', '0', ...args], { environment: { ...environment } })
    expect([code, output]).toEqual([2, ''])
    expect(errors.trim().split('\n')).toHaveLength(1)
  })

  test('serves only the allowed names', async () => {
    const args = ['--host', '0.0.0.0', '--allowed-hosts', 'mcp.example', '--embedded']
    await using server = await startHttp({ args, environment: token })
    const local = server.url.replace('0.0.0.0', '127.0.0.1')
    const authorization = `Bearer ${token.MCP_TOOLKITS_HTTP_TOKEN}`
    const asOf = async (headers: Readonly<Record<string, string>>) => {
      const request = calling({ authorization, ...headers })
      return (await server.sendRequest({ ...request, path: local })).status
    }
    expect(await asOf({ host: 'mcp.example' })).toBe(200)
    expect(await asOf({ host: 'mcp.example:8443', origin: 'https://mcp.example' })).toBe(200)
    expect(await asOf({ host: 'other.example' })).toBe(403)
    expect(await asOf({ host: 'mcp.example', origin: 'https://other.example' })).toBe(403)
    expect((await server.sendRequest({ ...calling({ host: 'mcp.example' }), path: local })).status).toBe(401)
  })
})

test('reports a taken port in one line', async () => {
  await using server = await startHttp()
  const { code, output, errors } = await run(['http', '--embedded', '--port', new URL(server.url).port])
  expect([code, output]).toEqual([2, ''])
  expect(errors.trim().split('\n').at(-1)).toContain(`${new URL(server.url).port} cannot be used (EADDRINUSE)`)
  expect((await server.sendRequest({ ...legacy(1, ''), body: rpc(1, 'tools/list') })).status).toBe(200)
})
