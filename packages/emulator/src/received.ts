/** A request that arrived complete, with the bytes of its body as they came. */
export interface Received {
  readonly method: string
  readonly url: URL
  readonly path: string
  readonly headers: Headers
  readonly body: Uint8Array<ArrayBuffer>
  /** Aborted when the caller has gone, or the emulator closes. */
  readonly signal: AbortSignal
}

/** Reads a request to its end. */
export async function receive(request: Request, signal: AbortSignal): Promise<Received> {
  const url = new URL(request.url)
  const body = new Uint8Array(await request.arrayBuffer())
  return { method: request.method, url, path: url.pathname, headers: request.headers, body, signal }
}

/** The same request again, for a router. */
export function toRequest({ method, url, headers, body, signal }: Received): Request {
  return new Request(url, { method, headers, signal, ...(mayHaveBody(method) && { body }) })
}

const mayHaveBody = (method: string) => method !== 'GET' && method !== 'HEAD'
