/** Largest request body in bytes; larger ones are answered 413 while they are still arriving. */
export const maxBodyBytes = 4 * 1024 * 1024

/** What came of reading a body: its JSON, or why there is none. */
export type BodyResult = { readonly json: unknown } | 'too_large' | 'no_json'

/**
 * Reads a body, or as much of it as shows that it is too large. `announced` is the length that the sender gave, if any. Rejects where the
 * body breaks off.
 */
export async function readBody(arriving: AsyncIterable<Uint8Array>, announced: string | null | undefined): Promise<BodyResult> {
  if (Number(announced ?? 0) > maxBodyBytes) return 'too_large'
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of arriving) {
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

/** What is answered to a request that could not be read; without an id, because none is known. */
export function bodyError(body: 'too_large' | 'no_json' | 'broken_off') {
  if (body === 'too_large') return { status: 413, json: rpcError(-32000, `The body is larger than ${maxBodyBytes} bytes.`) }
  return { status: 400, json: rpcError(-32700, body === 'no_json' ? 'The body is not JSON.' : 'The body could not be read to its end.') }
}

/** An error of JSON-RPC without an id. */
export function rpcError(code: number, message: string) {
  return { jsonrpc: '2.0', error: { code, message }, id: null }
}
