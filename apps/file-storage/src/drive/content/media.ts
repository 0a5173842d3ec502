import { hash } from 'node:crypto'
import { parseJson } from '@mcp-toolkits/core/base'
import { Forbidden, Unavailable } from '@mcp-toolkits/core/errors'
import type { CallScope } from '@mcp-toolkits/core/tool'
import { Attempts, type CompleteResponse, ResponseTimeout, withRetry } from '@mcp-toolkits/core/upstream'
import { BodyReader, type BodyReaderOptions } from './body-reader.ts'
import { completeResponse, type DriveClient, transferRetryPolicy } from '../client.ts'
import { errorFrom, errorReasons } from '../errors.ts'
import { getItem } from '../files.ts'
import { byteSize, type DriveItem } from '../items.ts'

/** A range of bytes in a file; it may extend past the file's end. */
export interface ByteRange {
  readonly start: number
  readonly length: number
}

/** Bytes from a file's current content. */
export interface MediaPart {
  readonly bytes: Uint8Array
  readonly total: number
  /** Identifies the content; absent if the range is past the end. */
  readonly contentId?: string
  /** MD5 of the whole content, in hexadecimal, if the response contains it. */
  readonly md5?: string
  readonly mimeType: string
  /** The record that the bytes were checked against; absent if none was known and the response needed no check. */
  readonly item?: DriveItem
}

/** A range in a file, with what is known about the file. */
export interface MediaRequest extends ByteRange {
  readonly id: string
  /** The file's record, which may be out of date. */
  readonly item?: DriveItem | Promise<DriveItem> | undefined
  readonly onData?: () => void
}

/** An item without bytes: a folder, a shortcut or a Google document. */
export class NotDownloadable extends Forbidden {}

/** Maximum time, in milliseconds, without a byte from Drive: short enough to leave time for a retry after a hang. */
export const mediaSilenceMs = 8_000
/** Minimum transfer rate: 1 KiB per second. */
export const minThroughput = { minBytes: 8 * 1024, windowMs: mediaSilenceMs }
/** Maximum number of bytes to skip if Drive sends the whole file instead of a range. */
const maxSkippedBytes = 16 * 1024 ** 2

export function tooSlow(): ResponseTimeout {
  return new ResponseTimeout('Google Drive is sending the content too slowly. Try again, with a smaller chunk if possible.')
}

/**
 * Reads a range of a file, in one request unless the connection breaks; then the missing part is requested. The bytes are checked against
 * the file's record, which is requested if a response could be something else, such as a proxy's page. A range past the end returns no
 * bytes. Throws `NotDownloadable`, and `Unavailable` for bytes that are not the file's.
 * https://developers.google.com/workspace/drive/api/guides/manage-downloads#partial_download
 */
export async function readMedia(drive: DriveClient, request: MediaRequest, scope: CallScope): Promise<MediaPart> {
  const attempts = new Attempts(transferRetryPolicy, scope)
  const reader = new RangeReader(request, { attempts, scope })
  const transfer = { to: `drive/v3/files/${request.id}?alt=media&supportsAllDrives=true`, method: 'GET', silenceMs: mediaSilenceMs }
  const read = (response: Response, onData: () => void) =>
    reader.read(response, () => {
      onData()
      request.onData?.()
    })
  let known = request.item
  return withRetry(attempts, async () => {
    const part = await drive.transfer({ ...transfer, headers: reader.headers(), isRetry: attempts.hasFailed, read }, scope)
    let item = await known
    if (item ? isPartOf(part, item, request) : !part.isDoubtful) return { ...part, ...(item && { item }) }
    if (!item || !isPage(part.mimeType)) {
      // The record may be older than the content.
      known = item = await getItem(drive, request.id, scope)
      if (isPartOf(part, item, request)) return { ...part, item }
    }
    reader.restart()
    throw new Unavailable("What arrived is not the file's content. A proxy may have replaced it, or the file is changing.")
  })
}

/** True if the bytes match a file's record in everything that can be compared: size, MD5, and whether they are a web page. */
function isPartOf({ bytes, total, md5, mimeType }: MediaPart, item: DriveItem, { start }: ByteRange): boolean {
  const isWhole = start === 0 && bytes.byteLength === total
  const actualMd5 = isWhole ? hash('md5', bytes) : md5
  const hasSameMd5 = item.md5Checksum === undefined || actualMd5 === undefined || actualMd5 === item.md5Checksum
  return total === byteSize(item) && hasSameMd5 && (!isPage(mimeType) || isPage(item.mimeType))
}

export function isPage(mimeType: string): boolean {
  return /^(text\/html|application\/xhtml\+xml)$/i.test(mimeType)
}

/** True if a response may be from an intermediary: Drive itself sends the requested range, and a hash if the file is a web page. */
function isDoubtful({ status, headers }: Response, mimeType: string): boolean {
  return status === 200 || (isPage(mimeType) && !headers.has('x-goog-hash'))
}

/** Reads a range from one or more responses. */
class RangeReader {
  readonly #start: number
  readonly #length: number
  #received = 0
  #buffer: Uint8Array | undefined
  #contentId: string | undefined
  /** The most bytes received so far: after a restart, known bytes do not count as progress. */
  #furthest = 0
  readonly #readerOptions: BodyReaderOptions

  constructor({ start, length }: ByteRange, { attempts, scope }: { readonly attempts: Attempts; readonly scope: CallScope }) {
    this.#start = start
    this.#length = length
    const onProgress = () => {
      if (this.#received > this.#furthest) attempts.progress()
      else attempts.touch()
      this.#furthest = Math.max(this.#furthest, this.#received)
    }
    this.#readerOptions = { ...minThroughput, onProgress, tooSlow, scope }
  }

  headers(): Record<string, string> {
    const last = this.#start + this.#length - 1
    // The range refers to bytes of the content, not of its compressed form.
    return { range: `bytes=${this.#start + this.#received}-${last}`, 'accept-encoding': 'identity' }
  }

  /** Reads the missing part. `isDoubtful` is true if the response does not prove that its body is the file's content. */
  async read(response: Response, onData: () => void): Promise<MediaPart & { readonly isDoubtful: boolean }> {
    const position = this.#start + this.#received
    const { first, total } = await rangeOf(response, { start: position, length: this.#length - this.#received })
    const description = describe(response, total)
    this.#restartIfChanged(description)
    const length = Math.max(0, Math.min(this.#length, total - this.#start))
    this.#buffer ??= new Uint8Array(length)
    if (first !== undefined && length > 0) await this.#fill(this.#buffer, skip(this.#piecesOf(response, onData), position - first))
    if (this.#received < length) throw new Unavailable('The connection to Google Drive was lost before the content was complete.')
    return { ...description, bytes: this.#buffer, isDoubtful: isDoubtful(response, description.mimeType) }
  }

  /** Drops the received bytes. */
  restart(): void {
    this.#received = 0
    this.#buffer = undefined
    this.#contentId = undefined
  }

  /** Drops the bytes received so far if the content has changed since. */
  #restartIfChanged({ contentId }: Omit<MediaPart, 'bytes'>): void {
    if (this.#contentId === undefined || this.#contentId === contentId) {
      this.#contentId = contentId
      return
    }
    this.restart()
    throw new Unavailable('The file changed while it was being read. Retry the call.')
  }

  async *#piecesOf({ body }: Response, onData: () => void): AsyncGenerator<Uint8Array> {
    if (!body) return
    const reader = new BodyReader(body, this.#readerOptions)
    try {
      for (let piece = await reader.read(); piece; piece = await reader.read()) {
        onData()
        yield piece
      }
    } finally {
      void reader.cancel()
    }
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

async function* skip(pieces: AsyncIterable<Uint8Array>, count: number): AsyncGenerator<Uint8Array> {
  let missing = count
  for await (const piece of pieces) {
    const rest = piece.subarray(Math.min(missing, piece.length))
    missing -= piece.length - rest.length
    yield rest
  }
}

/** Position of a response's first byte, if it has any, and the whole file's length. Throws typed errors for refusals. */
async function rangeOf(response: Response, requested: ByteRange): Promise<{ readonly first?: number; readonly total: number }> {
  const { status, headers } = response
  const [, first, last, unsatisfied, total] = /^bytes (?:(\d+)-(\d+)|(\*))\/(\d+)$/.exec(headers.get('content-range') ?? '') ?? []
  if (status === 416 && unsatisfied !== undefined) return { total: Number(total) }
  if (status === 206 && first !== undefined) {
    const expectedLast = Math.min(requested.start + requested.length, Number(total)) - 1
    if (Number(first) === requested.start && Number(last) === expectedLast) return { first: Number(first), total: Number(total) }
  }
  const length = headers.get('content-length')
  // The range was ignored, so the whole content follows.
  if (status === 200 && length !== null && requested.start <= maxSkippedBytes) return { first: 0, total: Number(length) }
  if (response.ok) throw new Unavailable(`Google Drive did not send the requested part of the file (HTTP ${status}).`)
  throw downloadError(await completeResponse(response))
}

function downloadError(response: CompleteResponse): Error {
  const reasons = errorReasons(parseJson(response.text))
  if (reasons.includes('filenotdownloadable')) return new NotDownloadable('This item has no bytes to download.')
  return errorFrom(response)
}

function describe({ ok, headers }: Response, total: number): Omit<MediaPart, 'bytes'> {
  const [mimeType = ''] = (headers.get('content-type') ?? '').split(';')
  const md5 = googleHash(headers, 'md5')
  return {
    total,
    ...(ok && { contentId: `${total}-${fingerprint(headers)}` }),
    ...(ok && md5 !== undefined && { md5 }),
    mimeType: ok && mimeType !== '' ? mimeType.trim() : 'application/octet-stream',
  }
}

/** The content's hash or ETag. */
function fingerprint(headers: Headers): string {
  for (const algorithm of ['md5', 'crc32c'] as const) {
    const found = googleHash(headers, algorithm)
    if (found !== undefined) return `${algorithm}-${found}`
  }
  return headers.get('etag')?.replace(/[^\w-]/g, '') ?? 'unknown'
}

/** The whole content's hash, in hexadecimal. https://cloud.google.com/storage/docs/xml-api/reference-headers#xgooghash */
function googleHash(headers: Headers, algorithm: 'md5' | 'crc32c'): string | undefined {
  const [, value] = new RegExp(`${algorithm}=([A-Za-z0-9+/=]+)`).exec(headers.get('x-goog-hash') ?? '') ?? []
  return value === undefined ? undefined : Buffer.from(value, 'base64').toString('hex')
}
