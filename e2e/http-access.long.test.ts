import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { run } from './command.ts'
import { legacy, parseMessageBody, modern, rpc } from '../packages/testing/src/processes/protocol.ts'
import { calling, callsLogged, collectOutput, startHttp, type HttpProcess } from './http-process.ts'

describe('a body of 20 MB', () => {
  let server: HttpProcess
  beforeAll(async () => {
    server = await startHttp()
  })
  afterAll(() => server[Symbol.asyncDispose]())
  const piece = 64 * 1024
  const size = 20 * 1000 * 1000

  test.for([
    ['of announced length', `content-length: ${size}`],
    ['in chunks of unknown number', 'transfer-encoding: chunked'],
  ] as const)('%s is answered 413 before it has arrived, and the process continues', async ([, framing]) => {
    const { port, host } = new URL(server.url)
    const socket = connect({ port: Number(port), host: '127.0.0.1' })
    const reading = collectOutput(socket)
    const broken = once(socket, 'close').then(() => 'closed')
    socket.on('error', () => undefined)
    socket.write(`POST /mcp HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\naccept: application/json\r\n${framing}\r\n\r\n`)
    const status = reading.match(/^HTTP\/1\.1 (\d+)/)
    let sent = 0
    // Sends at the server's pace and never the whole body, so that the response must come while the body is arriving.
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
