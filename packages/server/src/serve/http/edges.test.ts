import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callBody, head as usualHead, serveEcho } from '../../../test/serve/serve-echo.ts'

let server: Awaited<ReturnType<typeof serveEcho>>
beforeAll(async () => {
  server = await serveEcho()
})
afterAll(() => server[Symbol.asyncDispose]())

/** Headers without streams, because the SDK leaves a connection open after one. */
const head = usualHead.replace(', text/event-stream', '')
const say = callBody(1, 'Say', 'x')
/** A request without the usual headers. */
const raw = async (start: string, body = '') => {
  const socket = await server.connect()
  socket.write(`${start}\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
  return text(socket)
}

describe('Accept', () => {
  it.each([
    '*/*',
    'application/json',
    'application/*',
    'application/json;q=0.9 , text/html',
    'APPLICATION/JSON',
    'application/json, text/event-stream;q=0',
  ])('%s is answered with JSON', async (accept) => {
    const { status, type, body } = await server.send(say, { headers: { accept } })
    expect([status, type]).toEqual([200, 'application/json'])
    expect(JSON.parse(body)).toMatchObject({ jsonrpc: '2.0', id: 1, result: { structuredContent: { text: 'x' } } })
  })

  it.each(['text/event-stream,application/json', 'Application/JSON ; q=1,  Text/Event-Stream', 'text/event-stream', 'text/*, */*'])(
    '%s is answered with a stream',
    async (accept) => {
      const { status, type, body } = await server.send(say, { headers: { accept } })
      expect([status, type]).toEqual([200, 'text/event-stream'])
      expect(body).toContain('"text":"x"')
    },
  )

  it('can be absent', async () => {
    const answer = await raw('POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json', say)
    expect(answer).toContain('HTTP/1.1 200 OK')
    expect(answer).toContain('"structuredContent":{"text":"x"}')
  })

  it('of JSON gets a batch as a list', async () => {
    const { body } = await server.send(`[${say},${callBody(2, 'Say', 'y')}]`, { headers: { accept: 'application/json' } })
    expect(JSON.parse(body)).toMatchObject([{ result: {} }, { result: {} }])
  })

  it('of something else is answered 406', async () => {
    expect((await server.send(say, { headers: { accept: 'text/html' } })).status).toBe(406)
  })
})

it.each(['application/json; charset=utf-8', 'Application/JSON', 'application/json;charset=UTF-8; x=y'])(
  'Content-Type %s is JSON',
  async (type) => {
    expect((await server.send(say, { headers: { 'content-type': type } })).status).toBe(200)
  },
)

it.each(['/mcp/', '//mcp', '/mcp//', '/mcp?x=1', '//mcp/?x'])('%s is the path of the protocol', async (path) => {
  const answer = await raw(head.replace('/mcp', path), say)
  expect(answer).toContain('HTTP/1.1 200 OK')
})

it.each(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'CONNECT', 'MADEUP'])(
  '%s is answered 405',
  async (method) => {
    const answer = await raw(head.replace('POST', method))
    expect(answer).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\nallow: POST\r\n/i)
  },
)

it.each([
  ['two Host headers', 'host: localhost\r\nhost: localhost'],
  ['a fragment', 'host: localhost#evil.example'],
  ['a path', 'host: localhost/evil'],
  ['a query', 'host: localhost?x'],
  ['a user', 'host: evil@localhost'],
  ['two ports', 'host: localhost:1:2'],
  ['nothing', 'host: '],
])('a Host with %s is answered 400', async (_, host) => {
  expect(await raw(head.replace('host: 127.0.0.1', host), say)).toMatch(/^HTTP\/1\.1 400 /)
})

it.each(['localhost', 'LOCALHOST:80', '127.0.0.1:3000', '[::1]', '[::1]:3000', 'localhost:'])('the Host %s is accepted', async (host) => {
  expect(await raw(head.replace('127.0.0.1', host), say)).toMatch(/^HTTP\/1\.1 200 /)
})

describe('the root', () => {
  it.each(['GET', 'HEAD'])('tells a person which server it is, with %s', async (method) => {
    const { status, type, body } = await server.send('', { method, path: '/' })
    expect([status, type]).toEqual([200, 'text/plain; charset=utf-8'])
    if (method === 'GET') expect(body).toMatch(/^.* \d+\.\d+\.\d+, an MCP server\.\n.*\/mcp .*\n.*docs\/clients\.md/)
  })

  it('is nothing that a client can post to', async () => {
    expect((await server.send(say, { path: '/' })).status).toBe(404)
  })
})
