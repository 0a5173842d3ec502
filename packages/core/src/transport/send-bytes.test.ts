import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { systemFetch } from './system-fetch.ts'

const sha256 = (bytes: Uint8Array | Buffer) => createHash('sha256').update(bytes).digest('hex')

/** Resolves also after an error of the connection. */
async function closing(socket: Socket | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  if (!socket || socket.closed) resolve(undefined)
  else
    socket.on('close', () => {
      resolve(undefined)
    })
  await promise
}

/** A server on a real socket, with the connections that clients have opened. */
async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const connections: Socket[] = []
  const server = createServer(answer)
  server.on('connection', (socket) => {
    socket.on('error', () => undefined)
    connections.push(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  return { url: `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}/upload?id=1`, connections }
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  const stream: AsyncIterable<Uint8Array> = request
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const put = (url: string, body: Uint8Array<ArrayBuffer>, init: RequestInit = {}) =>
  systemFetch(url, { method: 'PUT', redirect: 'manual', body, ...init })

it('sends method, headers and every byte, and resolves with the whole response', async () => {
  const { url } = await serve((request, response) => {
    void readAll(request).then((bytes) => {
      const { method, headers } = request
      response.writeHead(201, [
        ['content-type', 'application/json'],
        ['x-twice', 'a'],
        ['x-twice', 'b'],
      ])
      response.end(
        JSON.stringify({ method, url: request.url, length: headers['content-length'], key: headers['x-key'], sha256: sha256(bytes) }),
      )
    })
  })
  for (const size of [0, 1, 262_143, 262_144, 262_145, 8 * 1024 ** 2 + 7]) {
    const bytes = new Uint8Array(randomBytes(size))
    const response = await put(url, bytes, { headers: { 'X-Key': 'k' } })
    expect([response.status, response.headers.get('x-twice')]).toEqual([201, 'a, b'])
    expect(await response.json()).toEqual({ method: 'PUT', url: '/upload?id=1', length: `${size}`, key: 'k', sha256: sha256(bytes) })
  }
})

it('follows no redirect, and uses a connection again whose response has arrived and nobody has read', async () => {
  const { url, connections } = await serve((request, response) => {
    void readAll(request).then(() => response.writeHead(308, { range: 'bytes=0-9', location: '/elsewhere' }).end())
  })
  for (let index = 0; index < 10; index += 1) {
    const response = await put(url, new Uint8Array(10))
    expect([response.status, response.headers.get('range')]).toEqual([308, 'bytes=0-9'])
    await response.body?.cancel()
  }
  // A connection is free a moment later, when the next request has begun already.
  expect(connections.length).toBeLessThanOrEqual(2)
})

it('closes the connection when a body is cancelled that has not arrived', async () => {
  const { url, connections } = await serve((request, response) => {
    void readAll(request).then(() => response.write('the first part'))
  })
  const response = await put(url, new Uint8Array(10))
  await response.body?.cancel()
  await closing(connections[0])
})

it('resolves with an answer that comes before everything was sent, and then closes the connection', async () => {
  const { url, connections } = await serve((request, response) => {
    request.pause()
    response.writeHead(413).end('too much')
  })
  const response = await put(url, new Uint8Array(64 * 1024 ** 2))
  expect([response.status, await response.text()]).toEqual([413, 'too much'])
  expect(connections).toHaveLength(1)
  await closing(connections[0])
})

it('has no body where the status has none', async () => {
  const { url } = await serve((request, response) => {
    void readAll(request).then(() => response.writeHead(204).end())
  })
  expect(await put(url, new Uint8Array(3))).toMatchObject({ status: 204, body: null })
})

it('fails as fetch does when the connection breaks before the response', async () => {
  const { url } = await serve((request) => request.socket.destroy())
  await expect(put(url, new Uint8Array(1_000))).rejects.toMatchObject({
    name: 'TypeError',
    message: 'fetch failed',
    cause: { code: 'ECONNRESET' },
  })
  const closed = new URL(url)
  closed.port = '1'
  await expect(put(closed.href, new Uint8Array(1))).rejects.toMatchObject({ message: 'fetch failed', cause: { code: 'ECONNREFUSED' } })
})

it('fails as fetch does when the response breaks off', async () => {
  const { url } = await serve((request, response) => {
    void readAll(request).then(() => {
      response.writeHead(200, { 'content-length': 100 }).write('half', () => request.socket.destroy())
    })
  })
  const response = await put(url, new Uint8Array(1_000))
  await expect(response.text()).rejects.toMatchObject({ name: 'TypeError', message: 'terminated' })
})

it('fails for a status that no response can have, and for a switch of protocols', async () => {
  for (const head of ['HTTP/1.1 999 Odd', 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x']) {
    const { url } = await serve((request) => request.socket.end(`${head}\r\n\r\n`))
    await expect(put(url, new Uint8Array(1))).rejects.toMatchObject({ name: 'TypeError', message: 'fetch failed' })
  }
})

it('ends with the reason of the signal, before and while the request is under way', async () => {
  const reached = Promise.withResolvers<Socket>()
  const { url } = await serve((request) => {
    reached.resolve(request.socket)
  })
  const reason = new Error('the call has ended')
  await expect(put(url, new Uint8Array(1), { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  const controller = new AbortController()
  const sending = put(url, new Uint8Array(1), { signal: controller.signal })
  const socket = await reached.promise
  controller.abort(reason)
  await expect(sending).rejects.toBe(reason)
  await closing(socket)
})

it('leaves texts, and requests that may be redirected, to fetch', async () => {
  const { url } = await serve((request, response) => {
    void readAll(request).then((bytes) => response.end(`${request.headers['user-agent'] ?? 'none'} ${bytes.toString()}`))
  })
  const byFetch = await systemFetch(url, { method: 'PUT', redirect: 'manual', body: 'text' })
  expect(await byFetch.text()).toBe('node text')
  const followed = await systemFetch(url, { method: 'PUT', body: new TextEncoder().encode('bytes') })
  expect(await followed.text()).toBe('node bytes')
  expect(await (await put(url, new TextEncoder().encode('bytes'))).text()).toBe('none bytes')
})
