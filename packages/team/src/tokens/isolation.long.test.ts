import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openDesk } from '../../test/accounts/desk-server.ts'
import { callBody, head, serveEcho } from '../../../server/test/serve/serve-echo.ts'

const rpc = (method: string) => JSON.stringify({ jsonrpc: '2.0', id: method, method, params: {} })
const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 'initialize',
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
})

describe('beside 150 uploads that do not end and 1,000 requests that never arrive', () => {
  it('everything else of the same client is answered', async () => {
    await using server = await serveEcho({}, { kind: 'long' })
    const uploads = Array.from({ length: 150 }, (_, id) => server.call(id, 'Wait'))
    for (const upload of uploads) void upload.catch(() => undefined)
    await server.gate.holds(8)
    const sockets = await Promise.all(Array.from({ length: 1_000 }, () => server.connect()))
    for (const [index, socket] of sockets.entries()) {
      if (index % 3 > 0) socket.write(`${head}\r\n`)
      if (index % 3 > 1) socket.write('content-length: 100\r\n\r\n{')
    }
    for (const message of [rpc('ping'), rpc('tools/list'), initialize, callBody(1, 'Say', 'read')]) {
      const { status, body } = await server.send(message)
      expect([status, body]).toEqual([200, expect.stringContaining('"result"')])
    }
  })
})

describe('one person cannot take what others need', () => {
  it('also when four have 320 calls each', async () => {
    const { desk, call, token } = await openDesk({ largeResults: [] })
    const people = await Promise.all(['ada', 'grace', 'joan', 'mary'].map((name) => token(name, 'read')))
    for (const [index, person] of people.entries()) {
      const calls = Array.from({ length: 321 }, () => call('Wait', { token: person }))
      // The refused call is the last one: 64 run and 256 wait.
      expect((await Promise.race(calls)).status).toBe(429)
      await desk.gate.holds(64 * (index + 1))
    }
    expect((await call('Look', { token: await token('kay', 'read') })).status).toBe(200)
  })
})

describe('requests of unknown senders whose bodies do not come', () => {
  const openWithPages = async () => {
    const pages = async (request: Request) => Promise.resolve(new Response(request.method === 'POST' ? await request.text() : 'a page'))
    const desk = await openDesk({ pages })
    const sockets: Socket[] = []
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy()
    })
    const stall = () => {
      const socket = connect(Number(new URL(desk.url).port), '127.0.0.1')
      socket.on('error', () => undefined).write('POST /connect/x HTTP/1.1\r\nhost: desk.example\r\ncontent-length: 9\r\n\r\nfi')
      sockets.push(socket)
      return socket
    }
    return { ...desk, stall }
  }

  it('block neither calls nor pages of other people', async () => {
    const { call, send, token, stall } = await openWithPages()
    for (let count = 0; count < 1_000; count += 1) stall()
    expect((await send('', { path: '/connect/x', method: 'GET' })).body).toBe('a page')
    expect((await send('a form', { path: '/connect/x' })).body).toBe('a form')
    expect((await call('Look', { token: await token('ada', 'read') })).status).toBe(200)
  })

  it('are answered 408 after ten seconds', async () => {
    const { clock, send, stall } = await openWithPages()
    const answered = text(stall())
    // Once the server answers the second request, it has begun the first.
    await send('', { path: '/connect/x', method: 'GET' })
    await clock.advance(10_000)
    expect(await answered).toContain('HTTP/1.1 408 ')
  })
})
