import { TooLarge, Unavailable } from '../../errors/errors.ts'
import { parseJson } from '../../base/json.ts'

/** The signature of `globalThis.fetch`. All requests to a vendor go through such a function, and every emulator provides one. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

/** A response whose body has been read in full. */
export interface CompleteResponse {
  readonly status: number
  readonly ok: boolean
  readonly headers: Headers
  /** The response's address; empty if no network delivered it. */
  readonly url: string
  readonly text: string
}

/** A response over the size limit. It may be from an intermediary, so one more attempt is made. */
export class OversizedResponse extends TooLarge {}

/**
 * Reads a body of at most `maxBytes`, both as sent and as decoded, and keeps nothing beyond the limit. Throws `OversizedResponse` after
 * closing the connection.
 */
export async function readWhole(
  response: Response,
  { vendor, maxBytes, isWrite = false }: { vendor: string; maxBytes: number; isWrite?: boolean },
): Promise<CompleteResponse> {
  const { status, ok, headers, url, body } = response
  // The response to a write should be short anyway, so asking for less does not help.
  const advice = isWrite ? '' : ' Ask for less at once.'
  const oversized = () =>
    new OversizedResponse(
      `${vendor} answered with more than ${Math.floor(maxBytes / 1024 ** 2) || 1} MiB, which is over the limit.${advice}`,
      isWrite ? { sent: 'maybe' } : {},
    )
  if (Number(headers.get('content-length') ?? 0) > maxBytes) {
    await body?.cancel().catch(() => undefined)
    throw oversized()
  }
  // Decoded at the end: text stays in memory longer than bytes, even if the response turns out to be oversized.
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
 * A response's JSON. Throws `Unavailable`, which is retried, for an HTML page, an empty or broken body, or an unexpected content type: the
 * response is then probably not from the vendor. The error quotes nothing from the body.
 */
export function jsonOf({ status, headers, text }: CompleteResponse, vendor: string): unknown {
  const type = headers.get('content-type')
  const value = type === null || /\bjson\b/i.test(type) ? parseJson(text) : undefined
  if (value !== undefined) return value
  throw new Unavailable(`HTTP ${status} came without valid JSON, so it may not be ${vendor} that answered (a proxy or a sign-in page?).`)
}
