import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'

/** A Pipelines API on a port of this machine that accepts everything and only counts, so that it can take a million calls. */
export interface CountingVendor extends AsyncDisposable {
  readonly url: string
  /** The ids of accepted calls. */
  readonly ids: ReadonlySet<string>
  /** Number of accepted calls, including duplicates. */
  readonly calls: () => number
  readonly requests: () => number
}

export interface CountingVendorOptions {
  /** Called before a request is answered. */
  readonly onRequest?: (request: number) => Promise<void> | void
}

export async function startCountingVendor({ onRequest }: CountingVendorOptions = {}): Promise<CountingVendor> {
  const ids = new Set<string>()
  let calls = 0
  let requests = 0
  const server = createServer((request, response) => {
    void text(request).then(async (body) => {
      requests += 1
      for (const [, id = ''] of body.matchAll(/"messageId":"([^"]+)"/g)) {
        ids.add(id)
        calls += 1
      }
      await onRequest?.(requests)
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/v1`,
    ids,
    calls: () => calls,
    requests: () => requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await once(server.close(), 'close')
    },
  }
}
