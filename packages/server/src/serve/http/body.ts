import { nextTurn } from '@mcp-toolkits/core/base'
import { rpcError, structureProblem } from '../../mcp/rpc-requests.ts'
import { fixedLimits } from './admission/limits.ts'

/** A body's JSON, or the reason there is none. */
export type BodyResult = { readonly json: unknown } | { readonly problem: string } | 'too_large' | 'no_json'

/** Length in characters above which a body is read in one turn of the event loop and answered in the next. */
const longBody = 1024 * 1024

/** Reads a body, and stops once it is too large. `contentLength` is the header, if any. Rejects if the body ends early. */
export async function readText(
  chunks: AsyncIterable<Uint8Array>,
  contentLength: string | null | undefined,
): Promise<{ readonly text: string } | 'too_large'> {
  if (Number(contentLength ?? 0) > fixedLimits.maxBodyBytes) return 'too_large'
  const bytes = await readBytes(chunks, fixedLimits.maxBodyBytes)
  return bytes ? { text: bytes.toString() } : 'too_large'
}

export async function parseBody(text: string): Promise<Exclude<BodyResult, 'too_large'>> {
  const problem = structureProblem(text)
  if (problem !== undefined) return { problem }
  try {
    const json: unknown = JSON.parse(text)
    if (text.length > longBody) await nextTurn()
    return { json }
  } catch {
    return 'no_json'
  }
}

/** Reads a body and parses it. */
export async function readBody(...body: Parameters<typeof readText>): Promise<BodyResult> {
  const read = await readText(...body)
  return read === 'too_large' ? read : parseBody(read.text)
}

/** The response to a request whose body could not be read. It has no id, because none is known. */
export function bodyError(body: 'too_large' | 'no_json' | 'broken_off') {
  if (body === 'too_large') return { status: 413, json: rpcError(-32000, `The body is larger than ${fixedLimits.maxBodyBytes} bytes.`) }
  return { status: 400, json: rpcError(-32700, body === 'no_json' ? 'The body is not JSON.' : 'The body ended early.') }
}

/** A stream's bytes; undefined if there are more than `maxBytes`. */
export async function readBytes(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer<ArrayBuffer> | undefined> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of chunks) {
    length += part.length
    if (length > maxBytes) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts)
}
