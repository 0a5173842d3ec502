import { gunzipSync } from 'node:zlib'
import { isSameSecret } from '@mcp-toolkits/emulator'

/** A request's body after decompression. */
export interface DecodedBody {
  readonly text: string
  /** Length in bytes, to which the limits apply. */
  readonly bytes: number
  /** Why the body cannot be used. */
  readonly problem?: string
}

/** Above every limit, and low enough that a small gzip body cannot fill the memory. */
const maxDecompressed = 16 * 1024 * 1024

/** Decompresses a body and decodes its UTF-8. */
export function decodeBody(body: Uint8Array, encoding: string | null): DecodedBody {
  const plain = decompress(body, encoding)
  if (plain === undefined) return { ...decodeLossy(body), problem: 'the body is not valid gzip' }
  if (plain === 'unknown') return { ...decodeLossy(body), problem: 'the content encoding is neither gzip nor identity' }
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(plain)
    return { text, bytes: plain.byteLength }
  } catch {
    return { ...decodeLossy(plain), problem: 'the body is not UTF-8' }
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

const decodeLossy = (body: Uint8Array) => ({ text: new TextDecoder().decode(body), bytes: body.byteLength })

const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

/**
 * The elements of the array `property` in a JSON object, exactly as written: parsing and stringifying would change lengths, escapes and
 * long numbers. `json` must be valid, and its last `property` an array.
 */
export function arrayElements(json: string, property: string): string[] {
  let found: string[] = []
  let depth = 0
  let key: unknown
  let inArray = false
  let start: number | undefined
  let previous = { token: '', end: 0 }
  for (const { 0: token, index } of json.matchAll(tokens)) {
    if (depth === 1 && token === ':') key = JSON.parse(previous.token)
    if (inArray && depth === 2 && (token === ',' || token === ']')) {
      if (start !== undefined) found.push(json.slice(start, previous.end))
      start = undefined
    } else if (inArray) {
      start ??= index
    }
    if (token === '{' || token === '[') depth += 1
    if (token === '}' || token === ']') depth -= 1
    if (depth === 1) inArray = false
    if (depth === 2 && token === '[' && !inArray && key === property) {
      inArray = true
      found = []
    }
    previous = { token, end: index + token.length }
  }
  return found
}

/** The result of checking a request's key. The key itself is never stored. */
export type KeyVerdict = ReturnType<typeof checkKey>

/** Checks an `Authorization` header: Basic, with the key as user name and an empty password. */
export function checkKey(authorization: string | null, key: string) {
  if (authorization === null) return 'missing'
  const [scheme = '', credentials = '', ...rest] = authorization.split(' ')
  if (scheme.toLowerCase() !== 'basic' || rest.length > 0) return 'not Basic'
  const decoded = Buffer.from(credentials, 'base64')
  if (credentials === '' || decoded.toString('base64') !== credentials) return 'not base64'
  const pair = decoded.toString('utf8')
  if (!pair.includes(':')) return 'no colon after the key'
  if (!pair.endsWith(':')) return 'a password after the colon'
  return isSameSecret(pair, `${key}:`) ? 'ok' : 'wrong key'
}
