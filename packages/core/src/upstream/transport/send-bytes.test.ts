import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createServer as createRawServer, type Server, type Socket } from 'node:net'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { certificateFor } from '../../../test/guarded-fetch/certificate.ts'
import { streamingFetch, systemFetch } from './system-fetch.ts'

const sha256 = (bytes: Uint8Array | Buffer) => createHash('sha256').update(bytes).digest('hex')

/** Resolves when the connection closes, even if it fails. */
async function closing(socket: Socket | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  if (!socket || socket.closed) resolve(undefined)
  else
    socket.on('close', () => {
      resolve(undefined)
    })
  await promise
}

/** The port of a server on a real socket, and the connections that clients have opened to it. */
async function listen(server: Server) {
  const connections: Socket[] = []
  server.on('connection', (socket: Socket) => {
    socket.on('error', () => undefined)
    connections.push(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    for (const socket of connections) socket.destroy()
  })
  const address = server.address()
  return { port: typeof address === 'object' ? (address?.port ?? 0) : 0, connections }
}

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const { port, connections } = await listen(createServer(answer))
  return { url: `http://127.0.0.1:${port}/upload?id=1`, connections }
}

/** A server that writes to each connection as it likes. */
async function serveRaw(answer: (socket: Socket) => void) {
  const { port, connections } = await listen(createRawServer(answer))
  return { url: `http://127.0.0.1:${port}/`, connections }
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  const stream: AsyncIterable<Uint8Array> = request
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const put = (url: string, body: Uint8Array<ArrayBuffer>, init: RequestInit = {}) =>
  systemFetch(url, { method: 'PUT', redirect: 'manual', body, ...init })

it.each([
  ['systemFetch', systemFetch],
  ['streamingFetch', streamingFetch],
])('%s sends method, headers and every byte, and resolves with the whole response', async (_, fetch) => {
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
  for (const size of [0, 1, 65_535, 65_536, 65_537, 262_145, 8 * 1024 ** 2 + 7]) {
    const body = new Uint8Array(randomBytes(size))
    const response = await fetch(url, { method: 'PUT', redirect: 'manual', body, headers: { 'X-Key': 'k' } })
    expect([response.status, response.headers.get('x-twice')]).toEqual([201, 'a, b'])
    expect(await response.json()).toEqual({ method: 'PUT', url: '/upload?id=1', length: `${size}`, key: 'k', sha256: sha256(body) })
  }
})

it('follows no redirect, and reuses a connection whose response has arrived and was not read', async () => {
  const { url, connections } = await serve((request, response) => {
    void readAll(request).then(() => response.writeHead(308, { range: 'bytes=0-9', location: '/elsewhere' }).end())
  })
  for (let index = 0; index < 10; index += 1) {
    const response = await put(url, new Uint8Array(10))
    expect([response.status, response.headers.get('range')]).toEqual([308, 'bytes=0-9'])
    await response.body?.cancel()
  }
  // A connection is freed slightly late, perhaps after the next request has begun.
  expect(connections.length).toBeLessThanOrEqual(2)
})

it('closes the connection when a body is cancelled before it has arrived', async () => {
  const { url, connections } = await serve((request, response) => {
    void readAll(request).then(() => response.write('the first part'))
  })
  const response = await put(url, new Uint8Array(10))
  await response.body?.cancel()
  await closing(connections[0])
})

it('resolves with a response that comes before everything was sent, and then closes the connection', async () => {
  const { url, connections } = await serveRaw((socket) => {
    socket.once('data', () => {
      socket.pause()
      socket.write('HTTP/1.1 413 Too Large\r\ncontent-length: 8\r\n\r\ntoo much')
    })
  })
  const response = await put(url, new Uint8Array(64 * 1024 ** 2))
  expect([response.status, await response.text()]).toEqual([413, 'too much'])
  // Reads the bytes that have arrived, because the end of the stream comes after them.
  connections[0]?.resume()
  await closing(connections[0])
})

it('closes the connection when a body is cancelled that was read in part', async () => {
  const { url, connections } = await serveRaw((socket) => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n')
    })
  })
  const response = await put(url, new Uint8Array(10))
  const reader = response.body?.getReader()
  expect((await reader?.read())?.value).toEqual(Buffer.from('a'))
  await new Promise((resolve) => connections[0]?.write('1\r\nb\r\n0\r\n\r\n', resolve))
  // Waits until the rest has arrived.
  await new Promise((resolve) => setImmediate(resolve))
  await reader?.cancel()
  await closing(connections[0])
})

it('checks the certificate of a server', async () => {
  const { key, certificate: cert } = certificateFor('localhost')
  const { port } = await listen(createTlsServer({ key, cert }))
  const rejection = { message: 'fetch failed', cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' } }
  await expect(put(`https://localhost:${port}/`, new Uint8Array(1))).rejects.toMatchObject(rejection)
})

it('has no body if the status has none', async () => {
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
  expect(await (await streamingFetch(url, { method: 'PUT', body: 'text' })).text()).toBe('node text')
  expect(await (await put(url, new TextEncoder().encode('bytes'))).text()).toBe('none bytes')
})

it('leaves bytes to fetch behind a proxy, whose refusal may be followed by a reset', async () => {
  const proxy = createServer()
  proxy.on('connect', (_request, socket) => {
    socket.on('error', () => undefined)
    socket.write('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
  })
  const { port, connections } = await listen(proxy)
  const program = `
    import { systemFetch } from ${JSON.stringify(path.join(import.meta.dirname, 'system-fetch.ts'))}
    const request = { method: 'PUT', redirect: 'manual', body: new Uint8Array(10) }
    await systemFetch('https://vendor.example/', request).catch((error) => console.log(error.message))
    process.stdin.resume()`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    env: { NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: `http://127.0.0.1:${port}` },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const exited = Promise.withResolvers<number | null>()
  child.on('exit', exited.resolve)
  const printed = Promise.withResolvers<string>()
  child.stdout.on('data', (data: Buffer) => {
    printed.resolve(data.toString())
  })
  const line = await printed.promise
  for (const socket of connections) socket.resetAndDestroy()
  child.stdin.end()
  expect([line, await exited.promise]).toEqual(['fetch failed\n', 0])
})
