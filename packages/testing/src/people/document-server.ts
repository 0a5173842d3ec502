import { once } from 'node:events'
import { createServer } from 'node:https'
import { certificateFor } from '@mcp-toolkits/core/testing'

/** An https server on loopback with clients' documents. */
export interface DocumentServer extends AsyncDisposable {
  readonly url: string
  /** Its certificate, as PEM. */
  readonly certificate: string
  /** Content by path: a document, or a whole response. */
  readonly documents: Map<string, object | Response>
  readonly requests: () => number
}

export async function startDocumentServer(): Promise<DocumentServer> {
  const { key, certificate } = certificateFor('127.0.0.1')
  const documents = new Map<string, object | Response>()
  let requests = 0
  const server = createServer({ key, cert: certificate }, (request, response) => {
    requests += 1
    const found = documents.get(request.url ?? '')
    const answer = found instanceof Response ? found.clone() : found ? Response.json(found) : new Response(null, { status: 404 })
    void answer.text().then((text) => response.setHeaders(answer.headers).writeHead(answer.status).end(text))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('The server is not listening on a port.')
  return {
    url: `https://127.0.0.1:${address.port}`,
    certificate,
    documents,
    requests: () => requests,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
