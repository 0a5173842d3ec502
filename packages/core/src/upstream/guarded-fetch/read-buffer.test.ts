import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { withReadBuffer } from './read-buffer.ts'

/** Both ends of a connection: the server's, and the client's, which reads into one buffer. */
async function open(): Promise<readonly [server: Socket, client: Socket]> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const accepted = Promise.withResolvers<Socket>()
  server.on('connection', accepted.resolve)
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  const client = withReadBuffer((reading) => connect({ host: '127.0.0.1', port, ...reading }))
  const socket = await accepted.promise
  onTestFinished(() => {
    client.destroy()
    socket.destroy()
    server.close()
  })
  return [socket, client]
}

it('passes everything on to a listener, in one buffer', async () => {
  const [server, client] = await open()
  const pieces: string[] = []
  const buffers = new Set<ArrayBufferLike>()
  client.on('data', (piece: Buffer) => {
    pieces.push(piece.toString())
    buffers.add(piece.buffer)
  })
  for (const text of ['one', 'two', 'three']) {
    server.write(text)
    await expect.poll(() => pieces.at(-1)).toBe(text)
  }
  expect([pieces, buffers.size]).toEqual([['one', 'two', 'three'], 1])
})

it('keeps what arrives before there is a listener', async () => {
  const [server, client] = await open()
  for (const [index, text] of ['one', 'two'].entries()) {
    server.write(text)
    await expect.poll(() => client.readableLength).toBe(3 * (index + 1))
  }
  server.end()
  const chunks: string[] = []
  for await (const chunk of client) chunks.push(String(chunk))
  expect(chunks.join('')).toBe('onetwo')
})
