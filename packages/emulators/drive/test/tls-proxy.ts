import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Fetch } from '@mcp-toolkits/emulator'

/** A proxy for programs in which Google's address is fixed. */
export interface TlsProxy {
  readonly url: string
  /** Path of the certificate that the program must trust. */
  readonly certificate: string
  /** Requests so far, as `GET www.googleapis.com/path`. */
  readonly requests: string[]
  readonly close: () => Promise<void>
}

/** Runs an HTTP proxy on loopback that terminates every TLS connection itself and passes the requests to `answer`. */
export async function tlsProxy(answer: Fetch, directory: string): Promise<TlsProxy> {
  const { key, certificate } = makeCertificate(directory)
  const requests: string[] = []
  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const url = new URL(incoming.url ?? '/', `https://${incoming.headers.host ?? ''}`)
    requests.push(`${incoming.method ?? ''} ${url.host}${url.pathname}`)
    const response = await answer(new Request(url, await initOf(incoming)))
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    await pipeline(Readable.from(response.body ?? []), outgoing)
  }
  const inner = createTlsServer({ key, cert: readFileSync(certificate) }, (incoming, outgoing) => {
    handle(incoming, outgoing).catch(() => outgoing.destroy())
  })
  const outer = createServer((_, outgoing) => outgoing.writeHead(501).end())
  outer.on('connect', (_, socket) => {
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
    inner.emit('connection', socket)
  })
  outer.listen(0, '127.0.0.1')
  await once(outer, 'listening')
  const address = outer.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    certificate,
    requests,
    async close() {
      inner.closeAllConnections()
      outer.closeAllConnections()
      outer.close()
      await once(outer, 'close')
    },
  }
}

async function initOf(incoming: IncomingMessage): Promise<RequestInit> {
  const { method = 'GET' } = incoming
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (!['connection', 'host', 'transfer-encoding'].includes(name)) headers.set(name, String(value))
  }
  const pieces: Buffer[] = []
  for await (const piece of incoming) if (piece instanceof Buffer) pieces.push(piece)
  const body = Buffer.concat(pieces)
  return { method, headers, redirect: 'manual', ...(method !== 'GET' && method !== 'HEAD' && { body }) }
}

/** A self-signed certificate for Google's host, made for one test. */
function makeCertificate(directory: string): { key: Buffer; certificate: string } {
  const key = join(directory, 'key.pem')
  const certificate = join(directory, 'certificate.pem')
  const names = 'subjectAltName=DNS:www.googleapis.com,DNS:oauth2.googleapis.com,DNS:*.googleapis.com'
  const made = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-days',
    '2',
    '-subj',
    '/CN=loopback',
  ]
  execFileSync('openssl', [...made, '-addext', names, '-keyout', key, '-out', certificate], { stdio: 'pipe' })
  return { key: readFileSync(key), certificate }
}
