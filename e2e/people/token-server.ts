import { createServer } from 'node:http'
import { TokenIssuer } from '../../packages/team/test/token-issuer.ts'

/** Starts a token issuer on the loopback address. While it is down, connections break. */
export async function startTokenIssuer(): Promise<{ readonly tokens: TokenIssuer } & AsyncDisposable> {
  const server = createServer()
  const { promise, resolve } = Promise.withResolvers<undefined>()
  server.listen(0, '127.0.0.1', () => {
    resolve(undefined)
  })
  await promise
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('The server has no port.')
  const tokens = await TokenIssuer.create(`http://127.0.0.1:${address.port}`)
  server.on('request', (request, response) => {
    tokens
      .fetch(`${tokens.issuer}${request.url ?? '/'}`)
      .then(async (answer) => {
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
      })
      .catch(() => request.socket.destroy())
  })
  return {
    tokens,
    async [Symbol.asyncDispose]() {
      const { promise: closed, resolve: close } = Promise.withResolvers<undefined>()
      server.close(() => {
        close(undefined)
      })
      server.closeAllConnections()
      await closed
    },
  }
}
