import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'

/** What a source answers; tests change it while it serves. */
export interface Served {
  content: Buffer
  /** What lies at other paths than `/file`. */
  others: ReadonlyMap<string, Buffer>
  status: number
  headers: Record<string, string>
  /** A strong ETag that ranges go with; without one nothing but the whole is sent. */
  etag: string | undefined
  /** Whether it says how long the content is. */
  tellsLength: boolean
  /** After how many bytes the next connections break. */
  cuts: number[]
  /** Called before each answer. */
  onRequest: (() => void) | undefined
}

export interface TestSource extends AsyncDisposable {
  readonly served: Served
  readonly url: string
  /** As an operator allows it. */
  readonly host: string
  /** The headers of all requests. */
  readonly received: IncomingHttpHeaders[]
}

/** A server on this machine that holds one file. */
export async function source(served: Partial<Served> = {}): Promise<TestSource> {
  const state: Served = {
    content: Buffer.alloc(0),
    others: new Map(),
    status: 200,
    headers: { 'content-type': 'application/octet-stream' },
    etag: undefined,
    tellsLength: true,
    cuts: [],
    onRequest: undefined,
    ...served,
  }
  const received: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    received.push(request.headers)
    state.onRequest?.()
    answer(state, request, response).catch(() => response.destroy())
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
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function answer(served: Served, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { etag, tellsLength, status } = served
  const content = served.others.get(request.url ?? '') ?? served.content
  const gone = new AbortController()
  response.once('close', () => {
    gone.abort()
  })
  const start =
    etag !== undefined && request.headers['if-range'] === etag ? Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0) : 0
  const cut = served.cuts.shift()
  response.writeHead(start > 0 ? 206 : status, {
    ...served.headers,
    ...(etag !== undefined && { etag }),
    ...(start > 0 && { 'content-range': `bytes ${start}-${content.length - 1}/${content.length}` }),
    ...(tellsLength && { 'content-length': content.length - start }),
  })
  const end = cut === undefined ? content.length : Math.min(content.length, start + cut)
  for (let at = start; at < end && !response.destroyed; at += 65_536) {
    const isTaken = response.write(content.subarray(at, Math.min(end, at + 65_536)))
    if (!isTaken) await once(response, 'drain', { signal: gone.signal })
  }
  if (cut === undefined) response.end()
  else response.destroy()
}
