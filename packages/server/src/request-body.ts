/** Largest request body in bytes; larger ones are answered 413 while they are still arriving. */
export const maxBodyBytes = 4 * 1024 * 1024

/** The JSON of a body, or why there is none. */
export type BodyResult = { readonly json: unknown } | 'too_large' | 'no_json'

/**
 * Reads a body, and stops once it is too large. `contentLength` is the header, if any. Rejects when the body ends early.
 */
export async function readBody(chunks: AsyncIterable<Uint8Array>, contentLength: string | null | undefined): Promise<BodyResult> {
  if (Number(contentLength ?? 0) > maxBodyBytes) return 'too_large'
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of chunks) {
    bytes += part.length
    if (bytes > maxBodyBytes) return 'too_large'
    parts.push(part)
  }
  try {
    return { json: JSON.parse(Buffer.concat(parts).toString()) }
  } catch {
    return 'no_json'
  }
}

/** The response to a body that could not be read. It has no id, because none is known. */
export function bodyError(body: 'too_large' | 'no_json' | 'broken_off') {
  if (body === 'too_large') return { status: 413, json: rpcError(-32000, `The body is larger than ${maxBodyBytes} bytes.`) }
  return { status: 400, json: rpcError(-32700, body === 'no_json' ? 'The body is not JSON.' : 'The body could not be read to its end.') }
}

/** An error of JSON-RPC without an id. */
export function rpcError(code: number, message: string) {
  return { jsonrpc: '2.0', error: { code, message }, id: null }
}
