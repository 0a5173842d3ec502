import type { Server } from 'node:http'

export interface ListenAddress {
  readonly host: string
  /** The port; 0 lets the system choose. */
  readonly port: number
}

/** Resolves with the origin at which the server listens, such as `http://127.0.0.1:9464`. Rejects if the address is unusable. */
export async function listen(server: Server, { host, port }: ListenAddress): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>()
  server.once('error', reject)
  server.listen(port, host, () => {
    server.off('error', reject)
    resolve(undefined)
  })
  await promise
  const address = server.address()
  const chosen = typeof address === 'object' && address ? address.port : port
  return `http://${host.includes(':') ? `[${host}]` : host}:${chosen}`
}
