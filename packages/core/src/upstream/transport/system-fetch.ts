import { ReadableStream } from 'node:stream/web'
import type { Fetch } from './response.ts'

/** Size of a streamed body's pieces, in bytes. */
const pieceBytes = 256 * 1024

/**
 * `globalThis.fetch`, except that Node's HTTP client sends byte bodies if no proxy is in use and `redirect` is `manual`. `fetch` pipes a
 * stream through two more streams, and the garbage adds up when a server uploads gigabytes.
 */
export const systemFetch: Fetch = async (input, init) => {
  const { body, redirect } = init ?? {}
  const goesThroughFetch = !(body instanceof Uint8Array) || redirect !== 'manual' || input instanceof Request || usesProxy()
  if (goesThroughFetch) return streamingFetch(input, init)
  const { sendBytes } = await import('./send-bytes.ts')
  return sendBytes(new URL(input), { ...init, body })
}

/** `globalThis.fetch`, except that a byte body is passed as a stream of views: `fetch` would copy a whole one. */
export const streamingFetch: Fetch = (input, init) => {
  if (!(init?.body instanceof Uint8Array)) return fetch(input, init)
  const headers = new Headers(init.headers)
  headers.set('content-length', String(init.body.byteLength))
  return fetch(input, { ...init, headers, body: ReadableStream.from(piecesOf(init.body)), duplex: 'half' })
}

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}

/**
 * True if `fetch` does not send over its own connections. Behind a proxy, Node's HTTP client cannot replace `fetch`: it leaves refused
 * tunnels open without an error listener (Node 24.21).
 */
function usesProxy(): boolean {
  // https://undici.nodejs.org/#/docs/api/GlobalInstallation
  const dispatcher: unknown = Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.1'))
  return typeof dispatcher === 'object' && dispatcher?.constructor.name !== 'Agent'
}
