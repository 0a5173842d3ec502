import { request } from 'node:https'
import { text } from 'node:stream/consumers'
import type { HttpRequest } from '../../packages/testing/src/processes/protocol.ts'
import type { HttpResponse } from '../http-process.ts'
import type { NativeBalancer } from './balancer.ts'

/** Sends a request over TLS to a name that a balancer serves, without resolving the name. */
export async function sendTo(
  { port, authority: ca }: NativeBalancer,
  host: string,
  { method = 'POST', path = '/mcp', headers = {}, body }: HttpRequest,
): Promise<HttpResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>()
  const options = { host: '127.0.0.1', port, servername: host, ca, method, path, headers: { ...headers, host }, agent: false }
  const outgoing = request(options, (incoming) => {
    text(incoming).then((read) => {
      resolve({ status: incoming.statusCode, headers: incoming.headers, body: read })
    }, reject)
  })
  outgoing.once('error', reject)
  outgoing.end(body)
  return promise
}
