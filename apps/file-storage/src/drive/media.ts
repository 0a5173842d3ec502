import { Forbidden, NotFound, Unavailable } from '@mcp-toolkits/core'
import { exchange } from '../transfer/exchange.ts'
import { Patience } from '../transfer/patience.ts'
import type { DriveClient } from './client.ts'
import { failureOf } from './failures.ts'
import { pointingToPicker } from './picker.ts'
import { parsed, reasonsIn } from './reasons.ts'

/** Which bytes of a file; those beyond its end are not there. */
export interface ByteRange {
  readonly start: number
  readonly length: number
}

/** Bytes of a file as they are now. */
export interface Media {
  readonly bytes: Uint8Array
  readonly total: number
  /** Changes with the content; absent where no byte of it was asked for. */
  readonly contentId?: string
  readonly mimeType: string
}

/** An item without bytes: a folder, a shortcut or a Google document. Its message tells only what Drive said. */
export class NoBytes extends Forbidden {}

/**
 * Reads a part of a file, in one request unless the connection breaks; then what is missing is asked for. A range that begins past the
 * end gives no bytes. `onBegun` is told with every piece that comes. Throws `NoBytes` for an item that has none. https://developers.google.com/workspace/drive/api/guides/manage-downloads#partial_download
 */
export async function readMedia(
  drive: DriveClient,
  part: ByteRange & { readonly id: string; readonly onBegun?: () => void },
  signal: AbortSignal,
): Promise<Media> {
  const patience = new Patience(signal)
  const reading = new PartReading(part)
  for (;;) {
    try {
      return await exchange(
        {
          send: (until) => drive.send(mediaPath(part.id), { headers: reading.headers(), signal: until }),
          read: (response, alive) =>
            reading.take(response, () => {
              alive()
              patience.progressed()
              part.onBegun?.()
            }),
        },
        { silentMs: patience.left, signal },
      )
    } catch (error) {
      await patience.after(error)
    }
  }
}

const mediaPath = (id: string) => `drive/v3/files/${id}?alt=media&supportsAllDrives=true`

/** A part of a file that is read over one answer or several. */
class PartReading {
  readonly #start: number
  readonly #length: number
  #got = 0
  #buffer: Uint8Array | undefined
  #contentId: string | undefined

  constructor({ start, length }: ByteRange) {
    this.#start = start
    this.#length = length
  }

  headers(): Record<string, string> {
    const last = this.#start + this.#length - 1
    // Packed content would be other bytes than those that the range counts.
    return { range: `bytes=${this.#start + this.#got}-${last}`, 'accept-encoding': 'identity' }
  }

  async take(response: Response, alive: () => void): Promise<Media> {
    const at = await placeOf(response, this.#start + this.#got)
    const about = aboutOf(response, at.total)
    this.#beginAgainIfChanged(about)
    const wanted = Math.max(0, Math.min(this.#length, at.total - this.#start))
    this.#buffer ??= new Uint8Array(wanted)
    if (at.first !== undefined && wanted > 0) await this.#fill(this.#buffer, { response, skip: this.#start + this.#got - at.first, alive })
    if (this.#got < wanted) throw new Unavailable('Google Drive broke off before the content was complete.')
    return { ...about, bytes: this.#buffer }
  }

  /** What has come so far belongs to a content that is no more. */
  #beginAgainIfChanged({ contentId }: Omit<Media, 'bytes'>): void {
    const isChanged = this.#contentId !== undefined && this.#contentId !== contentId
    this.#contentId = contentId
    if (!isChanged) return
    this.#got = 0
    this.#buffer = undefined
    throw new Unavailable('The file changed while it was read. Make the call again.')
  }

  async #fill(buffer: Uint8Array, { response, skip, alive }: { response: Response; skip: number; alive: () => void }): Promise<void> {
    let left = skip
    if (!response.body) return
    const pieces: AsyncIterable<Uint8Array> = response.body
    for await (const piece of pieces) {
      alive()
      const rest = piece.subarray(Math.min(left, piece.length))
      left -= piece.length - rest.length
      const fitting = rest.subarray(0, buffer.length - this.#got)
      buffer.set(fitting, this.#got)
      this.#got += fitting.length
      if (this.#got === buffer.length) return
    }
  }
}

/** Where the bytes of an answer begin, if it has any, and how long the whole is. Throws typed errors for refusals. */
async function placeOf(response: Response, asked: number): Promise<{ readonly first?: number; readonly total: number }> {
  const { status, headers } = response
  const [, first, unsatisfied, total] = /^bytes (?:(\d+)-\d+|(\*))\/(\d+)$/.exec(headers.get('content-range') ?? '') ?? []
  if (status === 416 && unsatisfied !== undefined) return { total: Number(total) }
  if (status === 206 && first !== undefined && Number(first) === asked) return { first: Number(first), total: Number(total) }
  const length = headers.get('content-length')
  // The range was ignored, so everything comes and is cut here.
  if (status === 200 && length !== null) return { first: 0, total: Number(length) }
  if (response.ok)
    throw new Unavailable(`Google Drive sent a part of the file that was not asked for (HTTP ${status}).`, { retryable: false })
  throw refusalOf(response, await response.text())
}

function refusalOf(response: Response, text: string): Error {
  const reasons = reasonsIn(parsed(text))
  if (reasons.includes('filenotdownloadable')) return new NoBytes('This item has no bytes to download.')
  if (reasons.includes('cannotdownloadabusivefile')) {
    return new Forbidden(
      'Google Drive takes this file for malware or spam and does not hand it out to programs. Its owner can open and check it in a browser.',
    )
  }
  if (reasons.includes('cannotdownloadfile')) {
    return new Forbidden('The owner of this file does not let readers download it. Ask for the right to edit it, or for a copy.')
  }
  const failure = failureOf(response, text)
  return failure instanceof NotFound ? pointingToPicker(failure) : failure
}

function aboutOf({ ok, headers }: Response, total: number): Omit<Media, 'bytes'> {
  const [mimeType = ''] = (headers.get('content-type') ?? '').split(';')
  return {
    total,
    ...(ok && { contentId: `${total}-${fingerprint(headers)}` }),
    mimeType: ok && mimeType !== '' ? mimeType.trim() : 'application/octet-stream',
  }
}

/** What an answer tells of its content; a size alone where it tells nothing. https://cloud.google.com/storage/docs/xml-api/reference-headers#xgooghash */
function fingerprint(headers: Headers): string {
  const hashes = headers.get('x-goog-hash') ?? ''
  const [, md5] = /md5=([A-Za-z0-9+/=]+)/.exec(hashes) ?? []
  if (md5 !== undefined) return `md5-${Buffer.from(md5, 'base64').toString('hex')}`
  const [, crc] = /crc32c=([A-Za-z0-9+/=]+)/.exec(hashes) ?? []
  if (crc !== undefined) return `crc32c-${Buffer.from(crc, 'base64').toString('hex')}`
  return headers.get('etag')?.replace(/[^\w-]/g, '') ?? 'unknown'
}
