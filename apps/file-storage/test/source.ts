import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { promisify } from 'node:util'

/** The response to one request; `silence` means no response. */
export type ScriptedResponse = 'silence' | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: Buffer }

/** The content and headers that the source sends; tests change them while it runs. */
export interface Served {
  content: Buffer
  /** The content at paths other than `/file`. */
  others: ReadonlyMap<string, Buffer>
  status: number
  headers: Record<string, string>
  /** A strong ETag. Without one, and without Last-Modified among the headers, the source ignores ranges. */
  etag: string | undefined
  /** True if the source sends Content-Length. */
  sendsLength: boolean
  /** The number of bytes after which each of the next connections breaks. */
  cuts: number[]
  /** Responses to the next requests; undefined for the content. */
  scripted: (ScriptedResponse | undefined)[]
  /** True to send the content again and again, without end. */
  isEndless: boolean
  /** From a certain position on, each byte, or each group of this many bytes, arrives separately and after a wait. */
  drip: { readonly from: number; readonly bytes?: number; readonly wait: () => Promise<unknown> } | undefined
  /** Delays every fourth piece of 64 KiB. */
  pace: (() => Promise<unknown>) | undefined
  /** Delays the last piece of the content. */
  hold: (() => Promise<unknown>) | undefined
  /** Called before each response. */
  onRequest: (() => void) | undefined
}

export interface TestSource extends AsyncDisposable {
  readonly served: Served
  readonly url: string
  /** The host, as an operator would allow it. */
  readonly host: string
  /** The headers of all requests. */
  readonly received: IncomingHttpHeaders[]
  /** Counts the bytes of content that the source has sent. */
  readonly sentBytes: () => number
  /** Counts open connections. */
  readonly connections: () => Promise<number>
}

/** A server on this machine with one file. */
export async function source(served: Partial<Served> = {}): Promise<TestSource> {
  const state: Served = {
    content: Buffer.alloc(0),
    others: new Map(),
    status: 200,
    headers: { 'content-type': 'application/octet-stream' },
    etag: undefined,
    sendsLength: true,
    cuts: [],
    scripted: [],
    isEndless: false,
    drip: undefined,
    pace: undefined,
    hold: undefined,
    onRequest: undefined,
    ...served,
  }
  const received: IncomingHttpHeaders[] = []
  let sentBytes = 0
  const server = createServer((request, response) => {
    received.push(request.headers)
    state.onRequest?.()
    const count = (bytes: number) => void (sentBytes += bytes)
    answer(state, request, response, count).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const host = `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  return {
    served: state,
    url: `http://${host}/file`,
    host,
    received,
    sentBytes: () => sentBytes,
    connections: () => promisify(server.getConnections.bind(server))(),
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function answer(served: Served, request: IncomingMessage, response: ServerResponse, count: (bytes: number) => void): Promise<void> {
  const { etag, sendsLength: tellsLength, status } = served
  const content = served.others.get(request.url ?? '') ?? served.content
  const canned = served.scripted.shift()
  if (canned === 'silence') return
  if (canned) {
    response.writeHead(canned.status, canned.headers)
    response.end(canned.body)
    return
  }
  const gone = new AbortController()
  response.once('close', () => {
    gone.abort()
  })
  const validator = etag ?? served.headers['last-modified']
  const isPart = validator !== undefined && request.headers['if-range'] === validator
  const start = isPart ? Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0) : 0
  if (start > 0 && start >= content.length) {
    response.writeHead(416, { 'content-range': `bytes */${content.length}` }).end()
    return
  }
  const cut = served.cuts.shift()
  response.writeHead(start > 0 && status === 200 ? 206 : status, {
    ...served.headers,
    ...(etag !== undefined && { etag }),
    ...(start > 0 && { 'content-range': `bytes ${start}-${content.length - 1}/${content.length}` }),
    ...(tellsLength && !served.isEndless && { 'content-length': content.length - start }),
  })
  const end = cut === undefined ? content.length : Math.min(content.length, start + cut)
  do {
    for (let at = start, next: number; at < end && !response.destroyed; at = next) {
      const drip = served.drip && at >= served.drip.from ? served.drip : undefined
      next = Math.min(end, drip ? at + (drip.bytes ?? 1) : Math.min(at + 65_536, served.drip?.from ?? end))
      await drip?.wait()
      if (at % 262_144 === 0) await served.pace?.()
      if (next === end) await served.hold?.()
      count(next - at)
      const isTaken = response.write(content.subarray(at, next))
      if (!isTaken) await once(response, 'drain', { signal: gone.signal })
    }
  } while (served.isEndless && !response.destroyed)
  if (cut === undefined) response.end()
  else response.write('', () => response.destroy())
}
