import type { Fetch } from './response.ts'

/**
 * `globalThis.fetch`, except that requests with a byte body go through Node's HTTP client. `fetch` would copy the bytes; given a stream, it
 * pipes it through two more, and the garbage of each request adds up when a server uploads gigabytes. Redirects must be `manual`.
 */
export const systemFetch: Fetch = async (input, init) => {
  const { body, redirect } = init ?? {}
  const goesThroughFetch = !(body instanceof Uint8Array) || redirect !== 'manual' || input instanceof Request || usesProxy()
  if (goesThroughFetch) return fetch(input, init)
  const { sendBytes } = await import('./send-bytes.ts')
  return sendBytes(new URL(input), { ...init, body })
}

/**
 * Whether `fetch` sends through something other than its own connections. Behind a proxy Node's HTTP client is no substitute: it leaves
 * refused tunnels open without a listener for their errors (Node 24.21).
 */
function usesProxy(): boolean {
  // https://undici.nodejs.org/#/docs/api/GlobalInstallation
  const dispatcher: unknown = Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.1'))
  return typeof dispatcher === 'object' && dispatcher?.constructor.name !== 'Agent'
}
