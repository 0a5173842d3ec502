import { once } from 'node:events'
import type { Server } from 'node:http'

/** A server that listens on this machine. */
export interface LoopbackServer extends AsyncDisposable {
  /** Without a path: `http://127.0.0.1:49152`. */
  readonly url: string
}

/** Listens on a free port. Disposing ends all connections. */
export async function listenOnLoopback(server: Server): Promise<LoopbackServer> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
