import { createHash } from 'node:crypto'
import { ReadableStream } from 'node:stream/web'
import { abortReason, Mutex, withTimeout } from '@mcp-toolkits/core/base'
import {
  Conflict,
  count,
  Forbidden,
  InvalidInput,
  Message,
  sentence,
  TooLarge,
  type ToolError,
  Unavailable,
} from '@mcp-toolkits/core/errors'
import type { CallScope } from '@mcp-toolkits/core/tool'
import { type Attempts, type GuardedFetch, type GuardedRequest, type GuardedResponse, withRetry } from '@mcp-toolkits/core/upstream'
import { BodyReader } from '../drive/content/body-reader.ts'
import { type Mark, RunningMd5 } from './running-md5.ts'

export interface SourceOptions {
  readonly fetch: GuardedFetch
  readonly url: string
  /** Maximum size, in bytes, of content to read. */
  readonly maxBytes: number
  readonly attempts: Attempts
  readonly scope: CallScope
  /** Called whenever bytes arrive, even reread ones. */
  readonly onData: () => void
}

/** The position in the content at which an earlier call stopped reading. */
export interface ReadFrom {
  /** Identifies the content. */
  readonly etag: string
  readonly mark: Mark
}

/** Minimum transfer rate: 1 KiB per second, far below that of any usable connection; the window is shorter than clients usually wait. */
const minThroughput = { minBytes: 25 * 1024, windowMs: 25_000 }

/**
 * A URL's content, read once, from its first byte or a mark to its last byte. After a broken connection, reading continues from the same
 * position: with the strong validator, or by rereading and comparing the beginning. Throws typed errors that reveal nothing about the host,
 * including `TooLarge` past the limit, and a permanent `Unavailable` for a server that sends too slowly.
 */
export class Source {
  readonly #options: SourceOptions
  readonly #hash: RunningMd5
  /** Serializes reads: a read-ahead may still be running. */
  readonly #reads = new Mutex()
  /** Undefined while there is no connection. */
  #reader: BodyReader | undefined
  /** Bytes that have arrived but have not been returned yet. */
  #pending: Uint8Array | undefined
  /** True while rereading bytes that were read before. */
  #isComparing = false
  /** Aborted when the source is closed or the call ends. */
  readonly #lifetime = new AbortController()
  readonly #scope: CallScope
  /** True if the server has sent every requested part so far. */
  #canSendParts: boolean
  /** The URL after all redirects. */
  readonly url: string
  readonly headers: Headers
  /** Position at which reading started. */
  readonly start: number
  /** Size, in bytes, of the content, if the server reports it. */
  readonly length: number | undefined
  /** The strong ETag or, without one, the date of the last change, which identifies exactly this content. */
  readonly etag: string | undefined

  private constructor(options: SourceOptions, { url, headers, body, status }: GuardedResponse, hash: RunningMd5) {
    this.#options = options
    this.#hash = hash
    this.start = hash.bytes
    this.#scope = { ...options.scope, signal: this.#lifetime.signal }
    options.scope.signal.addEventListener('abort', this.#endWithCall)
    this.#reader = this.#readerOf(body)
    this.url = url
    this.headers = headers
    this.length = status === 206 ? contentRange(headers).total : contentLength(headers)
    this.etag = strongValidator(headers)
    this.#canSendParts = this.etag !== undefined
  }

  /** Resolves when the content begins: at the mark, if the server still has that content and sends parts. */
  static async open(options: SourceOptions, from?: ReadFrom): Promise<Source> {
    const continued = from && (await RunningMd5.resume(from.mark))
    return withRetry(options.attempts, async () => {
      const response = await request(options, from && continued ? partFrom(from.mark.bytes, from.etag) : {})
      if (from && continued && isPartFrom(response, from)) return new Source(options, response, continued)
      const whole = response.status === 206 || response.status === 416 ? await requestWhole(options, response) : response
      await requireWholeContent(whole)
      const length = contentLength(whole.headers)
      if (length !== undefined && length > options.maxBytes) {
        await whole.body.cancel()
        throw tooLarge(options.maxBytes, length)
      }
      return new Source(options, whole, await RunningMd5.start())
    })
  }

  /** The next bytes; undefined at the end. */
  read(): Promise<Uint8Array | undefined> {
    return this.#reads.runExclusive(async () => {
      const piece = await this.#nextPiece()
      if (piece) this.#count(piece)
      return piece
    })
  }

  /** Reads until `position` without returning the bytes. */
  skipTo(position: number): Promise<void> {
    return this.#reads.runExclusive(async () => {
      while (this.bytesRead < position) {
        const piece = await this.#nextPiece()
        if (!piece) throw contentChanged()
        const skipped = piece.subarray(0, position - this.bytesRead)
        this.#count(skipped)
        if (skipped.byteLength < piece.byteLength) this.#pending = piece.subarray(skipped.byteLength)
      }
    })
  }

  /** Reads to the end. */
  async drain(): Promise<void> {
    while (await this.read());
  }

  get bytesRead(): number {
    return this.#hash.bytes
  }

  /** MD5 of the bytes read, in hexadecimal. */
  md5(): string {
    return this.#hash.hex()
  }

  /** Mark for a later call that does not need anything before `position`. */
  markAt(position: number): Mark | undefined {
    return this.#hash.markAt(position)
  }

  /** Closes the connection, ending any running read, and opens no more. */
  async close(): Promise<void> {
    this.#options.scope.signal.removeEventListener('abort', this.#endWithCall)
    this.#lifetime.abort(new DOMException('The source is closed.', 'AbortError'))
    await this.#reader?.cancel()
  }

  readonly #endWithCall = () => {
    this.#lifetime.abort(abortReason(this.#options.scope.signal))
  }

  #count(bytes: Uint8Array): void {
    const { maxBytes, onData } = this.#options
    onData()
    this.#hash.update(bytes)
    if (this.bytesRead > maxBytes) throw tooLarge(maxBytes)
  }

  async #nextPiece(): Promise<Uint8Array | undefined> {
    const { attempts } = this.#options
    attempts.restart()
    return withRetry(attempts, this.#readPiece)
  }

  readonly #readPiece = async (): Promise<Uint8Array | undefined> => {
    this.#lifetime.signal.throwIfAborted()
    const reader = (this.#reader ??= await this.#reconnect())
    const pending = this.#pending
    this.#pending = undefined
    if (pending) return pending
    try {
      const piece = await reader.read()
      if (!piece && this.length !== undefined && this.bytesRead < this.length) throw connectionBroke()
      return piece
    } catch (error) {
      this.#reader = undefined
      await reader.cancel()
      throw error
    }
  }

  #readerOf(body: ReadableStream<Uint8Array>): BodyReader {
    const { attempts } = this.#options
    const onProgress = () => {
      if (this.#isComparing) attempts.touch()
      else attempts.progress()
    }
    return new BodyReader(body, { ...minThroughput, tooSlow, onProgress, scope: this.#scope })
  }

  /** Opens a connection that continues after the last byte read. */
  async #reconnect(): Promise<BodyReader> {
    const asksForPart = this.#canSendParts && this.bytesRead > 0
    const response = await request({ ...this.#options, scope: this.#scope }, asksForPart ? partFrom(this.bytesRead, this.etag) : {})
    if (asksForPart && (response.status === 206 || response.status === 416)) return this.#readerOf(await this.#requirePart(response))
    await requireWholeContent(response)
    const length = contentLength(response.headers)
    if (length !== undefined && this.length !== undefined && length !== this.length) {
      await response.body.cancel()
      throw contentChanged()
    }
    const reader = this.#readerOf(response.body)
    try {
      await this.#skipKnownBytes(reader)
    } catch (error) {
      await reader.cancel()
      throw error
    }
    return reader
  }

  /** Returns the requested part. If a different part arrives, the whole content is requested and compared. */
  async #requirePart({ status, headers, body }: GuardedResponse): Promise<ReadableStream<Uint8Array>> {
    const { first, total } = contentRange(headers)
    const etag = strongValidator(headers)
    const hasSameLength = total === undefined || this.length === undefined || total === this.length
    if (status === 206 && first === this.bytesRead && hasSameLength && etag === this.etag) return body
    await body.cancel()
    const isAtEnd = status === 416 && total === this.bytesRead && hasSameLength && (etag === undefined || etag === this.etag)
    if (isAtEnd) return ReadableStream.from([])
    this.#canSendParts = false
    throw connectionBroke()
  }

  /** Rereads known bytes. If they are the same, the content counts as unchanged. */
  async #skipKnownBytes(reader: BodyReader): Promise<void> {
    const { onData } = this.#options
    const hash = createHash('md5')
    this.#isComparing = true
    try {
      for (let compared = 0; compared < this.bytesRead;) {
        const value = await reader.read()
        if (!value) throw contentChanged()
        onData()
        const known = value.subarray(0, this.bytesRead - compared)
        hash.update(known)
        compared += known.byteLength
        if (known.byteLength < value.byteLength) this.#pending = value.subarray(known.byteLength)
      }
    } finally {
      this.#isComparing = false
    }
    if (hash.digest('hex') !== this.md5()) throw contentChanged()
  }
}

async function request({ fetch, url, attempts, scope }: SourceOptions, headers: GuardedRequest['headers'] = {}): Promise<GuardedResponse> {
  const { signal, clock } = scope
  const ms = attempts.attemptMs
  const reason = () => new Unavailable("The URL's server did not answer in time. Try again later, or give another link to the file.")
  return withTimeout({ ms, reason, signal, clock }, (timeout) => fetch(url, { signal: timeout.signal, headers }))
}

function contentLength(headers: Headers): number | undefined {
  const length = headers.get('content-length')
  return length !== null && /^\d{1,15}$/.test(length) ? Number(length) : undefined
}

/** Minimum age of content, in milliseconds, for its date to rule out another change in the same second. */
const settledMs = 60_000

/**
 * The strong ETag, because a weak one (https://www.rfc-editor.org/rfc/rfc9110#name-etag) only says that contents are alike. A sufficiently
 * old date is just as strong: https://www.rfc-editor.org/rfc/rfc9110#name-comparison-2
 */
function strongValidator(headers: Headers): string | undefined {
  const etag = headers.get('etag') ?? ''
  if (/^"[\x21\x23-\x7e]*"$/.test(etag)) return etag
  const changed = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/.exec(headers.get('last-modified') ?? '')?.[0] ?? ''
  return Date.parse(headers.get('date') ?? '') - Date.parse(changed) >= settledMs ? changed : undefined
}

/** Headers that request the rest of exactly this content, or the whole of any different content. */
function partFrom(position: number, validator: string | undefined): GuardedRequest['headers'] {
  return { range: `bytes=${position}-`, 'if-range': validator }
}

function isPartFrom({ status, headers, url }: GuardedResponse, { etag, mark }: ReadFrom): boolean {
  return status === 206 && contentRange(headers).first === mark.bytes && strongValidator(headers) === etag && !isCompressed(headers, url)
}

/** Requests the whole content from a server that did not send the requested part. */
async function requestWhole(options: SourceOptions, { body }: GuardedResponse): Promise<GuardedResponse> {
  await body.cancel()
  return request(options)
}

/** Start of a part and length of the whole, if the server reports them. https://www.rfc-editor.org/rfc/rfc9110#name-content-range */
function contentRange(headers: Headers): { readonly first: number | undefined; readonly total: number | undefined } {
  const [, first, total] = /^bytes (?:(\d+)-\d+|\*)\/(\d+|\*)$/.exec(headers.get('content-range') ?? '') ?? []
  return {
    first: first === undefined ? undefined : Number(first),
    total: total === undefined || total === '*' ? undefined : Number(total),
  }
}

/** Refuses everything except the whole, uncompressed content. */
async function requireWholeContent({ status, headers, body, url }: GuardedResponse): Promise<void> {
  if (status === 200 && !isCompressed(headers, url)) return
  await body.cancel()
  if (status !== 200) throw sourceError(status)
  throw new InvalidInput(
    "The URL's server sends the content compressed even though it was requested uncompressed. Give another link to the file.",
  )
}

/**
 * True for content compressed in transfer. Some servers wrongly declare an archive's own compression; `aws-chunked` concerns only storage.
 */
function isCompressed(headers: Headers, url: string): boolean {
  const codings = (headers.get('content-encoding') ?? '').split(',').map((coding) => coding.trim().toLowerCase())
  const isArchive = /\.(gz|tgz)$/i.test(new URL(url).pathname)
  const harmless = ['', 'identity', 'aws-chunked', ...(isArchive ? ['gzip', 'x-gzip'] : [])]
  return codings.some((coding) => !harmless.includes(coding))
}

function contentChanged(): Conflict {
  return new Conflict("The URL's content changed while it was being read, so nothing was uploaded. Retry the call.", {
    retryable: true,
  })
}

function tooLarge(maxBytes: number, length?: number): TooLarge {
  const size = length === undefined ? `more than ${maxBytes} bytes` : `${length} bytes`
  return new TooLarge(
    Message.of(
      `The file behind the URL has ${size}, but at most ${maxBytes} may be uploaded. Nothing was uploaded; give a link to a smaller file.`,
      sentence`The operator of this server can raise the limit with ${{ option: '--max-upload-bytes' }}, up to what Google Drive stores.`,
    ),
  )
}

/**
 * The error for a slow server. The error is permanent unless nothing arrived at all, so that no more connections to the same server are
 * tried.
 */
function tooSlow(bytes: number): Unavailable {
  return new Unavailable(
    `The URL's server sends too slowly: ${count(bytes, 'byte')} in ${minThroughput.windowMs / 1000} seconds. Give another link to the file.`,
    { retryable: bytes === 0 },
  )
}

function connectionBroke(): Unavailable {
  return new Unavailable("The connection to the URL's server was lost. Try again later, or give another link to the file.")
}

/** Error for a response without content; never `NotFound`, which would refer to Drive. */
function sourceError(status: number): ToolError {
  if (status === 404 || status === 410) {
    return new InvalidInput(`Nothing was found at the URL (HTTP ${status}). Check the URL. Nothing was uploaded.`)
  }
  if (status === 401 || status === 403) {
    return new Forbidden(`The URL's server refuses the file (HTTP ${status}). Give a link that anyone can open.`)
  }
  if (status === 408 || status === 429 || status >= 500) {
    return new Unavailable(`The URL's server answered HTTP ${status}. Try again later, or give another link to the file.`)
  }
  return new InvalidInput(`The URL's server answered HTTP ${status}, which is not a file. Give the address of the file itself.`)
}
