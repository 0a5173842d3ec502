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
  /** Md5 of the whole content, in hexadecimal, if the response names it. */
  readonly md5?: string
  readonly mimeType: string
  /** The record of the file that the bytes were checked against; absent when the response left no doubt and no record was known. */
  readonly item?: DriveItem
}

/** A range of a file, with the known facts about the file. */
export interface MediaRequest extends ByteRange {
  readonly id: string
  /** The file's record; it may be out of date. */
  readonly item?: DriveItem | Promise<DriveItem> | undefined
  readonly onData?: () => void
}

/** An item without bytes: a folder, a shortcut or a Google document. */
export class NotDownloadable extends Forbidden {}

/** Longest silence of Drive, in milliseconds: short enough for another attempt after a hang. */
export const mediaSilenceMs = 8_000
/** Slowest rate that is accepted: a KiB a second. */
export const minThroughput = { minBytes: 8 * 1024, windowMs: mediaSilenceMs }
/** Most bytes of a file to read in vain when Drive sends all of it instead of a range. */
const maxSkippedBytes = 16 * 1024 ** 2

export function tooSlow(): ResponseTimeout {
  return new ResponseTimeout('Google Drive sends the content too slowly. Try again, with a smaller chunk where that is possible.')
}

/**
 * Reads a range of a file, in one request unless the connection breaks; then it requests the missing part. The bytes are checked against
 * the record of the file, which is requested if a response could be something else, such as the page of a proxy. A range beyond the end
 * gives no bytes. Throws `NotDownloadable`, and `Unavailable` for bytes that are not the file's.
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
    throw new Unavailable('What arrived is not the content of the file. A proxy may have replaced it, or the file is changing.')
  })
}

/** True if bytes agree with the record of a file in everything that can be compared: size, md5, and being a page or not. */
function isPartOf({ bytes, total, md5, mimeType }: MediaPart, item: DriveItem, { start }: ByteRange): boolean {
  const isWhole = start === 0 && bytes.byteLength === total
  const actualMd5 = isWhole ? hash('md5', bytes) : md5
  const hasSameMd5 = item.md5Checksum === undefined || actualMd5 === undefined || actualMd5 === item.md5Checksum
  return total === byteSize(item) && hasSameMd5 && (!isPage(mimeType) || isPage(item.mimeType))
}

export function isPage(mimeType: string): boolean {
  return /^(text\/html|application\/xhtml\+xml)$/i.test(mimeType)
}

/**
 * True if a response may come from something in between: Drive sends the range that was requested, and the hash of a page that is a file.
 */
function isDoubtful({ status, headers }: Response, mimeType: string): boolean {
  return status === 200 || (isPage(mimeType) && !headers.has('x-goog-hash'))
}

/** Reads a range over one response or several. */
class RangeReader {
  readonly #start: number
  readonly #length: number
  #received = 0
  #buffer: Uint8Array | undefined
  #contentId: string | undefined
  /** Bytes received at the last progress: bytes that are read again do not count. */
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
    // The range counts bytes of the content, not of a compressed form of it.
    return { range: `bytes=${this.#start + this.#received}-${last}`, 'accept-encoding': 'identity' }
  }

  /** Reads the missing part. `isDoubtful` if the response does not prove that it is the file's content. */
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

  /** The bytes received so far belong to a content that no longer exists. */
  #restartIfChanged({ contentId }: Omit<MediaPart, 'bytes'>): void {
    if (this.#contentId === undefined || this.#contentId === contentId) {
      this.#contentId = contentId
      return
    }
    this.restart()
    throw new Unavailable('The file changed while it was being read. Make the call again.')
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

/** Start of the bytes in a response, if it has any, and length of the whole. Throws typed errors for refusals. */
async function rangeOf(response: Response, requested: ByteRange): Promise<{ readonly first?: number; readonly total: number }> {
  const { status, headers } = response
  const [, first, last, unsatisfied, total] = /^bytes (?:(\d+)-(\d+)|(\*))\/(\d+)$/.exec(headers.get('content-range') ?? '') ?? []
  if (status === 416 && unsatisfied !== undefined) return { total: Number(total) }
  if (status === 206 && first !== undefined) {
    const expectedLast = Math.min(requested.start + requested.length, Number(total)) - 1
    if (Number(first) === requested.start && Number(last) === expectedLast) return { first: Number(first), total: Number(total) }
  }
  const length = headers.get('content-length')
  // The range was ignored, so the whole content comes.
  if (status === 200 && length !== null && requested.start <= maxSkippedBytes) return { first: 0, total: Number(length) }
  if (response.ok) throw new Unavailable(`Google Drive did not send the part of the file that was requested (HTTP ${status}).`)
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

/** A hash of the content, or its ETag. */
function fingerprint(headers: Headers): string {
  for (const algorithm of ['md5', 'crc32c'] as const) {
    const found = googleHash(headers, algorithm)
    if (found !== undefined) return `${algorithm}-${found}`
  }
  return headers.get('etag')?.replace(/[^\w-]/g, '') ?? 'unknown'
}

/** A hash of the whole content, in hexadecimal. https://cloud.google.com/storage/docs/xml-api/reference-headers#xgooghash */
function googleHash(headers: Headers, algorithm: 'md5' | 'crc32c'): string | undefined {
  const [, value] = new RegExp(`${algorithm}=([A-Za-z0-9+/=]+)`).exec(headers.get('x-goog-hash') ?? '') ?? []
  return value === undefined ? undefined : Buffer.from(value, 'base64').toString('hex')
}
