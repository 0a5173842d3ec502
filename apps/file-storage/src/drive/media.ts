import { Forbidden, Unavailable } from '@mcp-toolkits/core'
import { parseJson } from '@mcp-toolkits/core/json'
import { Attempts, withRetry } from '@mcp-toolkits/core/retry'
import { transferRetryPolicy, type DriveClient } from './client.ts'
import { errorFrom, errorReasons, withPickerIfNotFound } from './errors.ts'

/** Some bytes of a file; those beyond its end do not exist. */
export interface ByteRange {
  readonly start: number
  readonly length: number
}

/** Bytes of a file as they are now. */
export interface MediaPart {
  readonly bytes: Uint8Array
  readonly total: number
  /** Changes with the content; absent when the range is beyond it. */
  readonly contentId?: string
  readonly mimeType: string
}

/** An item without bytes: a folder, a shortcut or a Google document. */
export class NotDownloadable extends Forbidden {}

/**
 * Reads a range of a file, in one request unless the connection breaks; then it requests what is missing. A range beyond the end gives no
 * bytes. Throws `NotDownloadable`. https://developers.google.com/workspace/drive/api/guides/manage-downloads#partial_download
 */
export async function readMedia(
  drive: DriveClient,
  range: ByteRange & { readonly id: string; readonly onData?: () => void },
  signal: AbortSignal,
): Promise<MediaPart> {
  const budget = new Attempts(transferRetryPolicy, { signal, clock: drive.clock })
  const reader = new RangeReader(range)
  const to = `drive/v3/files/${range.id}?alt=media&supportsAllDrives=true`
  const read = (response: Response, onData: () => void) =>
    reader.read(response, () => {
      onData()
      budget.progress()
      range.onData?.()
    })
  return withRetry(budget, () => drive.transfer({ to, init: { headers: reader.headers() }, read }, budget))
}

/** Reads a range over one response or several. */
class RangeReader {
  readonly #start: number
  readonly #length: number
  #received = 0
  #buffer: Uint8Array | undefined
  #contentId: string | undefined

  constructor({ start, length }: ByteRange) {
    this.#start = start
    this.#length = length
  }

  headers(): Record<string, string> {
    const last = this.#start + this.#length - 1
    // The range counts bytes of the content, not of a compressed form of it.
    return { range: `bytes=${this.#start + this.#received}-${last}`, 'accept-encoding': 'identity' }
  }

  async read(response: Response, onData: () => void): Promise<MediaPart> {
    const position = this.#start + this.#received
    const { first, total } = await rangeOf(response, position)
    const description = describe(response, total)
    this.#restartIfChanged(description)
    const length = Math.max(0, Math.min(this.#length, total - this.#start))
    this.#buffer ??= new Uint8Array(length)
    if (first !== undefined && length > 0) await this.#fill(this.#buffer, skip(piecesOf(response, onData), position - first))
    if (this.#received < length) throw new Unavailable('Google Drive broke off before the content was complete.')
    return { ...description, bytes: this.#buffer }
  }

  /** The bytes received so far belong to a content that no longer exists. */
  #restartIfChanged({ contentId }: Omit<MediaPart, 'bytes'>): void {
    const isChanged = this.#contentId !== undefined && this.#contentId !== contentId
    this.#contentId = contentId
    if (!isChanged) return
    this.#received = 0
    this.#buffer = undefined
    throw new Unavailable('The file changed while it was read. Make the call again.')
  }

  async #fill(buffer: Uint8Array, pieces: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const piece of pieces) {
      const fitting = piece.subarray(0, buffer.length - this.#received)
      buffer.set(fitting, this.#received)
      this.#received += fitting.length
      if (this.#received === buffer.length) return
    }
  }
}

async function* piecesOf({ body }: Response, onData: () => void): AsyncGenerator<Uint8Array> {
  if (!body) return
  const pieces: AsyncIterable<Uint8Array> = body
  for await (const piece of pieces) {
    onData()
    yield piece
  }
}

async function* skip(pieces: AsyncIterable<Uint8Array>, count: number): AsyncGenerator<Uint8Array> {
  let missing = count
  for await (const piece of pieces) {
    const rest = piece.subarray(Math.min(missing, piece.length))
    missing -= piece.length - rest.length
    yield rest
  }
}

/** Where the bytes of a response begin, if it has any, and the length of the whole. Throws typed errors for refusals. */
async function rangeOf(response: Response, requested: number): Promise<{ readonly first?: number; readonly total: number }> {
  const { status, headers } = response
  const [, first, unsatisfied, total] = /^bytes (?:(\d+)-\d+|(\*))\/(\d+)$/.exec(headers.get('content-range') ?? '') ?? []
  if (status === 416 && unsatisfied !== undefined) return { total: Number(total) }
  if (status === 206 && first !== undefined && Number(first) === requested) return { first: Number(first), total: Number(total) }
  const length = headers.get('content-length')
  // The range was ignored, so the whole content comes.
  if (status === 200 && length !== null) return { first: 0, total: Number(length) }
  if (response.ok)
    throw new Unavailable(`Google Drive sent a part of the file that was not requested (HTTP ${status}).`, { retryable: false })
  throw downloadError(response, await response.text())
}

function downloadError(response: Response, text: string): Error {
  const reasons = errorReasons(parseJson(text))
  if (reasons.includes('filenotdownloadable')) return new NotDownloadable('This item has no bytes to download.')
  if (reasons.includes('cannotdownloadabusivefile')) {
    return new Forbidden(
      'Google Drive takes this file for malware or spam and does not hand it out to programs. Its owner can open and check it in a browser.',
    )
  }
  if (reasons.includes('cannotdownloadfile')) {
    return new Forbidden('The owner of this file does not let readers download it. Ask for the right to edit it, or for a copy.')
  }
  return withPickerIfNotFound(errorFrom(response, text))
}

function describe({ ok, headers }: Response, total: number): Omit<MediaPart, 'bytes'> {
  const [mimeType = ''] = (headers.get('content-type') ?? '').split(';')
  return {
    total,
    ...(ok && { contentId: `${total}-${fingerprint(headers)}` }),
    mimeType: ok && mimeType !== '' ? mimeType.trim() : 'application/octet-stream',
  }
}

/** A hash of the content, or its ETag. https://cloud.google.com/storage/docs/xml-api/reference-headers#xgooghash */
function fingerprint(headers: Headers): string {
  const hashes = headers.get('x-goog-hash') ?? ''
  for (const algorithm of ['md5', 'crc32c']) {
    const [, value] = new RegExp(`${algorithm}=([A-Za-z0-9+/=]+)`).exec(hashes) ?? []
    if (value !== undefined) return `${algorithm}-${Buffer.from(value, 'base64').toString('hex')}`
  }
  return headers.get('etag')?.replace(/[^\w-]/g, '') ?? 'unknown'
}
