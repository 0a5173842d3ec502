import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { run } from './command.ts'
import { asking, initialize, legacy, messageIn, modern, rpc } from './protocol.ts'
import { collected, serve, type Serving } from './serving.ts'

const callsLogged = ({ errors }: Serving) => errors().match(/"message":"call"/g)?.length ?? 0

/** A request that would run a tool, with one header changed. */
const calling = (headers: Readonly<Record<string, string>>) => {
  const asked = modern(1, 'tools/call', asking())
  return { ...asked, headers: { ...asked.headers, ...headers } }
}

describe('on loopback', () => {
  let server: Serving
  beforeAll(async () => {
    server = await serve()
  })
  afterAll(() => server[Symbol.asyncDispose]())

  test('says the address that it really has, once it serves', () => {
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*\/mcp$/)
    expect(server.errors()).toContain(`Event Pipeline serves ${server.url}\n`)
  })

  test.for([
    ['a foreign Host', { host: 'evil.example' }],
    ['a foreign Host that looks like this one', { host: 'localhost.evil.example:3000' }],
    ['a foreign Origin', { origin: 'http://evil.example' }],
    ['an Origin of no host', { origin: 'null' }],
  ] as const)('%s is refused with 403, and nothing runs', async ([, headers]) => {
    const before = callsLogged(server)
    const { status, body } = await server.ask(calling(headers))
    expect([status, messageIn(body).error?.code]).toEqual([403, -32000])
    expect(callsLogged(server)).toBe(before)
  })

  test.for([
    ['Host localhost', { host: 'localhost:1' }],
    ['Origin localhost', { origin: 'http://localhost:5173' }],
    ['Origin 127.0.0.1', { origin: 'http://127.0.0.1' }],
  ] as const)('%s passes, and the call runs', async ([, headers]) => {
    const before = callsLogged(server)
    const { status, body } = await server.ask(calling(headers))
    expect(status).toBe(200)
    expect(messageIn(body).result).toHaveProperty('structuredContent.openapi')
    // The log comes through another pipe than the answer.
    await expect.poll(() => callsLogged(server)).toBe(before + 1)
  })

  test.for(['GET', 'DELETE'])('%s /mcp is answered 405', async (method) => {
    const { status } = await server.ask({ method, headers: { accept: 'text/event-stream' } })
    expect(status).toBe(405)
  })

  test('/healthz says what serves; any other path is 404', async () => {
    const health = await server.ask({ method: 'GET', path: '/healthz' })
    expect([health.status, JSON.parse(health.body)]).toMatchObject([200, { status: 'ok', server: 'event-pipeline' }])
    for (const path of ['/', '/mcp/', '/sse', '/healthz/x']) {
      expect((await server.ask({ ...modern(1, 'tools/list'), path })).status, path).toBe(404)
    }
  })

  test.for([
    ['no JSON', '{oops', 400, -32700],
    ['nothing', '', 400, -32700],
    ['no JSON-RPC', '{"hello":"world"}', 400, -32600],
  ] as const)('a body that is %s gets an error of JSON-RPC', async ([, body, status, code]) => {
    const answered = await server.ask({ ...legacy(1, ''), body })
    expect([answered.status, messageIn(answered.body)]).toMatchObject([status, { id: null, error: { code } }])
  })

  test('an unknown tool is an error of JSON-RPC in both revisions', async () => {
    for (const asked of [modern, legacy]) {
      const { body } = await server.ask(asked(7, 'tools/call', { name: 'EventPipelineApi_Nope', arguments: {} }))
      expect(messageIn(body)).toMatchObject({ id: 7, error: { code: -32602, message: 'Unknown tool: EventPipelineApi_Nope' } })
    }
  })

  test('nothing is kept between requests: no session, no handshake needed, ids of different callers do not meet', async () => {
    const shaken = await server.ask({ ...legacy(1, ''), body: initialize(1) })
    expect(shaken.headers).not.toHaveProperty('mcp-session-id')
    expect(messageIn(shaken.body).result).toMatchObject({ protocolVersion: '2025-11-25' })
    const titles: Readonly<Record<string, string>> = { EventPipelineApi_TrackUserEvent: 'track', EventPipelineApi_AddToGroup: 'group' }
    const asked = Array.from({ length: 10 }, () => Object.keys(titles)).flatMap((names) =>
      names.flatMap((name) => [modern, legacy].map((as) => ({ name, asked: as(1, 'tools/call', asking(name)) }))),
    )
    const answers = await Promise.all(asked.map(async (each) => ({ ...each, answered: await server.ask(each.asked) })))
    expect(answers).toHaveLength(40)
    for (const { name, answered } of answers) {
      expect(answered.headers).not.toHaveProperty('mcp-session-id')
      expect(messageIn(answered.body)).toMatchObject({ id: 1, result: { structuredContent: { mode: 'get_request_schema' } } })
      expect(messageIn(answered.body).result).toHaveProperty(`structuredContent.openapi.paths./${titles[name] ?? ''}`)
    }
  })
})

describe('a body of 20 MB', () => {
  const piece = 64 * 1024
  const size = 20 * 1000 * 1000

  test.for([
    ['of announced length', `content-length: ${size}`],
    ['in chunks of unknown number', 'transfer-encoding: chunked'],
  ] as const)('%s is answered 413 before it has arrived, and the process lives on', async ([, framing]) => {
    await using server = await serve()
    const { port, host } = new URL(server.url)
    const socket = connect({ port: Number(port), host: '127.0.0.1' })
    const reading = collected(socket)
    const broken = once(socket, 'close').then(() => 'closed')
    socket.on('error', () => undefined)
    socket.write(`POST /mcp HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\naccept: application/json\r\n${framing}\r\n\r\n`)
    const status = reading.match(/^HTTP\/1\.1 (\d+)/)
    let sent = 0
    // As slow as the server takes it, and never the whole of it: what is not answered by then was not answered while it arrived.
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
    expect((await server.ask(modern(1, 'tools/list'))).status).toBe(200)
  })
})

describe('a token', () => {
  const token = 'e2e-token-0123456789-0123456789-0123'
  let server: Serving
  beforeAll(async () => {
    server = await serve({ environment: { MCP_TOOLKITS_HTTP_TOKEN: token } })
  })
  afterAll(() => server[Symbol.asyncDispose]())

  test.for([
    ['none', {}],
    ['a wrong one', { authorization: `Bearer ${token.replace('e2e', 'E2E')}` }],
    ['one that is too short', { authorization: 'Bearer e2e-token' }],
    ['one that only begins like it', { authorization: `Bearer ${token}0` }],
    ['an empty one', { authorization: 'Bearer ' }],
    ['another scheme', { authorization: `Basic ${token}` }],
  ] as const)('%s is answered 401 with what to send, and nothing runs', async ([, headers]) => {
    const { status, headers: answered } = await server.ask(calling(headers))
    expect(status).toBe(401)
    expect(answered['www-authenticate']).toMatch(/^Bearer/)
    expect(callsLogged(server)).toBe(0)
  })

  test('the right one passes; /healthz needs none', async () => {
    const { status, body } = await server.ask({ ...calling({ authorization: `Bearer ${token}` }) })
    expect([status, messageIn(body).result]).toMatchObject([200, { structuredContent: {} }])
    expect((await server.ask({ method: 'GET', path: '/healthz' })).status).toBe(200)
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
  ] as const)('%s it does not start: a usage error in one line, exit code 2', async ([, args, environment]) => {
    const { code, output, errors } = await run(['http', '--host', '0.0.0.0', '--port', '0', ...args], { environment: { ...environment } })
    expect([code, output]).toEqual([2, ''])
    expect(errors.trim().split('\n')).toHaveLength(1)
  })

  test('it serves the allowed names alone', async () => {
    const args = ['--host', '0.0.0.0', '--allowed-hosts', 'mcp.example', '--embedded']
    await using server = await serve({ args, environment: token })
    const local = server.url.replace('0.0.0.0', '127.0.0.1')
    const authorization = `Bearer ${token.MCP_TOOLKITS_HTTP_TOKEN}`
    const asOf = async (headers: Readonly<Record<string, string>>) => {
      const asked = calling({ authorization, ...headers })
      return (await server.ask({ ...asked, path: local })).status
    }
    expect(await asOf({ host: 'mcp.example' })).toBe(200)
    expect(await asOf({ host: 'mcp.example:8443', origin: 'https://mcp.example' })).toBe(200)
    expect(await asOf({ host: 'other.example' })).toBe(403)
    expect(await asOf({ host: 'mcp.example', origin: 'https://other.example' })).toBe(403)
    expect((await server.ask({ ...calling({ host: 'mcp.example' }), path: local })).status).toBe(401)
  })
})

test('a port that is taken is told in one line', async () => {
  await using server = await serve()
  const { code, output, errors } = await run(['http', '--embedded', '--port', new URL(server.url).port])
  expect([code, output]).toEqual([2, ''])
  expect(errors.trim().split('\n').at(-1)).toContain(`${new URL(server.url).port} cannot be used (EADDRINUSE)`)
  expect((await server.ask({ ...legacy(1, ''), body: rpc(1, 'tools/list') })).status).toBe(200)
})
