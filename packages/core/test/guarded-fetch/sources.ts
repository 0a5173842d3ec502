import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { connect, createServer as createTcpServer, type Server as TcpServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:https'
import { text } from 'node:stream/consumers'
import type { Connect, GuardedFetchOptions, GuardedResponse, NameLookup } from '../../src/upstream/guarded-fetch/guarded-fetch.ts'
import type { Certificate } from './certificate.ts'

/** A resolver that gives the same answer for every name. */
export const resolves =
  (...addresses: readonly string[]): NameLookup =>
  () =>
    Promise.resolve(addresses.map((address) => ({ address })))

async function listening(server: TcpServer, host: string, port = 0): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  server.once('error', reject)
  server.listen(port, host, () => {
    const address = server.address()
    resolve(address !== null && typeof address === 'object' ? address.port : 0)
  })
  return promise
}

/** A server's open connections, and a way to close the server together with them. */
function watched(server: TcpServer) {
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => open.delete(socket))
  })
  const close = async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>()
    server.close(() => {
      resolve(undefined)
    })
    for (const socket of open) socket.destroy()
    await promise
  }
  return { open, close }
}

export interface Received {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingMessage['headers']
}

/** A server that an operator allowed: `source.example` on a free port of this machine. */
export async function source(listener: RequestListener, certificate?: Certificate) {
  const received: Received[] = []
  const handler = (request: IncomingMessage, response: ServerResponse) => {
    received.push({ method: request.method, url: request.url, headers: request.headers })
    listener(request, response)
  }
  const server: Server = certificate
    ? createTlsServer({ key: certificate.key, cert: certificate.certificate }, handler)
    : createServer(handler)
  const { open, close } = watched(server)
  const port = await listening(server, '127.0.0.1')
  const host = `source.example:${port}`
  return {
    server,
    port,
    host,
    url: `${certificate ? 'https' : 'http'}://${host}`,
    options: { allowPrivate: [host], lookup: resolves('127.0.0.1') } satisfies GuardedFetchOptions,
    received,
    open,
    [Symbol.asyncDispose]: close,
  }
}

/** A server of bare sockets at the same address: a test decides on its answers. */
export async function rawSource(onConnection: (socket: Socket) => void) {
  const server = createTcpServer((socket) => {
    socket.resume()
    onConnection(socket)
  })
  const { open, close } = watched(server)
  const port = await listening(server, '127.0.0.1')
  const host = `source.example:${port}`
  const options: GuardedFetchOptions = { allowPrivate: [host], lookup: resolves('127.0.0.1') }
  return { port, url: `http://${host}`, open, options, [Symbol.asyncDispose]: close }
}

/** Listens on loopback, over IPv6 too if the machine has it, and counts requests. */
export async function canary() {
  let connections = 0
  let bytes = 0
  const server = () =>
    createTcpServer((socket) => {
      connections += 1
      socket.on('data', (chunk) => (bytes += chunk.length))
    })
  const first = server()
  const second = server()
  const watches = [watched(first)]
  const port = await listening(first, '127.0.0.1')
  try {
    await listening(second, '::1', port)
    watches.push(watched(second))
  } catch {
    second.close()
  }
  /** A network in which every address leads to the canary, so that it sees every connection. */
  const leadHere: Connect = () => connect({ host: '127.0.0.1', port })
  return {
    port,
    leadHere,
    get connections() {
      return connections
    },
    get bytes() {
      return bytes
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(watches.map(({ close }) => close()))
    },
  }
}

/** A network in which every address is this port of this machine, but seems to be the address that was asked for. */
export const publicNetwork =
  (port: number, address: string): Connect =>
  () => {
    const socket = connect({ host: '127.0.0.1', port })
    Object.defineProperty(socket, 'remoteAddress', { value: address })
    return socket
  }

export const textOf = (response: GuardedResponse): Promise<string> => text(response.body)

export async function failure(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('Nothing was thrown.')
}
