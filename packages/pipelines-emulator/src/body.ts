import { gunzipSync } from 'node:zlib'

/** A request's body after decompression. */
export interface DecodedBody {
  readonly text: string
  /** Length in bytes, which the limits count. */
  readonly bytes: number
  /** Why the body cannot be used. */
  readonly problem?: string
}

/** More than any limit, so that a small gzip cannot fill the memory. */
const maxDecompressed = 16 * 1024 * 1024

/** Undoes the content encoding and the UTF-8 of a body. */
export function decodeBody(body: Uint8Array, encoding: string | null): DecodedBody {
  const plain = decompress(body, encoding)
  if (plain === undefined) return { ...lossy(body), problem: 'the body is not valid gzip' }
  if (plain === 'unknown') return { ...lossy(body), problem: 'the content encoding is neither gzip nor identity' }
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(plain)
    return { text, bytes: plain.byteLength }
  } catch {
    return { ...lossy(plain), problem: 'the body is not UTF-8' }
  }
}

function decompress(body: Uint8Array, encoding: string | null): Uint8Array | 'unknown' | undefined {
  const name = encoding?.trim().toLowerCase() ?? 'identity'
  if (name === 'identity' || name === '') return body
  if (name !== 'gzip') return 'unknown'
  try {
    return gunzipSync(body, { maxOutputLength: maxDecompressed })
  } catch {
    return undefined
  }
}

const lossy = (body: Uint8Array) => ({ text: new TextDecoder().decode(body), bytes: body.byteLength })

/** The value of a JSON text, or undefined when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
