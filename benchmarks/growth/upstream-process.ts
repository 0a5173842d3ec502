// An upstream that answers at once: it takes events and counts them. Started by upstream.ts in a process of its own so that its work is not
// counted as that of the server or of the client.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listenOnLoopback } from '../../e2e/loopback.ts'

const counts = { requests: 0, bytes: 0 }

/** Reads the whole body and counts it. */
async function discard(request: IncomingMessage): Promise<void> {
  for await (const chunk of request) if (chunk instanceof Uint8Array) counts.bytes += chunk.byteLength
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url === '/counts') {
    response.end(JSON.stringify(counts))
    Object.assign(counts, { requests: 0, bytes: 0 })
    return
  }
  counts.requests += 1
  await discard(request)
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
}

const listener = await listenOnLoopback(
  createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  }),
)
console.log(listener.url)
