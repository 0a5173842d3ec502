import { TooLarge, Unavailable } from '../../errors/errors.ts'
import { parseJson } from '../../base/json.ts'

/** The signature of `globalThis.fetch`. All requests to a vendor go through one, and every emulator provides one. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

/** A response whose body has been read to its end. */
export interface CompleteResponse {
  readonly status: number
  /** True for a status of 2xx. */
  readonly ok: boolean
  readonly headers: Headers
  /** Address of the response; empty if no network delivered it. */
  readonly url: string
  readonly text: string
}

/** A response with more bytes than are read. Something in between may have sent it, so one more attempt is made. */
export class OversizedResponse extends TooLarge {}

/**
 * Reads a body that has at most `maxBytes`, as sent and as decoded, and holds nothing beyond that. Throws `OversizedResponse` after it
 * has closed the connection.
 */
export async function readWhole(
  response: Response,
  { vendor, maxBytes, isWrite = false }: { vendor: string; maxBytes: number; isWrite?: boolean },
): Promise<CompleteResponse> {
  const { status, ok, headers, url, body } = response
  // The answer to a write is short: nothing could be asked for less.
  const advice = isWrite ? '' : ' Ask for less at once.'
  const oversized = () =>
    new OversizedResponse(
      `${vendor} answered with more than ${Math.floor(maxBytes / 1024 ** 2) || 1} MiB, which is more than is read.${advice}`,
      isWrite ? { sent: 'maybe' } : {},
    )
  if (Number(headers.get('content-length') ?? 0) > maxBytes) {
    await body?.cancel().catch(() => undefined)
    throw oversized()
  }
  // Decoded at the end, because the text of a response that turns out too long would stay in memory for longer than its bytes.
  const chunks: Uint8Array[] = []
  let size = 0
  if (body) {
    // Leaving the loop cancels the body, which closes the connection.
    const stream: AsyncIterable<Uint8Array> = body
    for await (const chunk of stream) {
      size += chunk.byteLength
      if (size > maxBytes) throw oversized()
      chunks.push(chunk)
    }
  }
  const decoder = new TextDecoder()
  const text = chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('') + decoder.decode()
  return { status, ok, headers, url, text }
}

/**
 * The JSON of a response. Throws `Unavailable`, which is retried, for an HTML page, an empty or broken body and any other type of
 * content: then it was probably not the vendor that answered. No part of the body is repeated.
 */
export function jsonOf({ status, headers, text }: CompleteResponse, vendor: string): unknown {
  const type = headers.get('content-type')
  const value = type === null || /\bjson\b/i.test(type) ? parseJson(text) : undefined
  if (value !== undefined) return value
  throw new Unavailable(`HTTP ${status} came without valid JSON, so it may not be ${vendor} that answered (a proxy or a sign-in page?).`)
}
