import type { Fetch } from './response.ts'

/**
 * `globalThis.fetch`, except that Node's HTTP client sends bodies of bytes. `fetch` would copy them; and a stream of them it reads through
 * two others, whose remains of each request pile up in a server that uploads gigabytes.
 */
export const systemFetch: Fetch = async (input, init) => {
  const { body, redirect } = init ?? {}
  if (!(body instanceof Uint8Array) || redirect !== 'manual' || input instanceof Request) return fetch(input, init)
  const { sendBytes } = await import('./send-bytes.ts')
  return sendBytes(new URL(input), { ...init, body })
}
