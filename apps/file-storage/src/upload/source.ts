import { createHash, type Hash } from 'node:crypto'
import { ReadableStream, type ReadableStreamDefaultReader } from 'node:stream/web'
import type { GuardedFetch, GuardedResponse } from '@mcp-toolkits/core/guarded-fetch'
import type { Patience } from '../transfer/patience.ts'
import { brokeOff, changed, lengthIn, partIn, refuseOther, strongEtag, tooSlow } from './source-answers.ts'

export interface SourceOptions {
  readonly fetch: GuardedFetch
  readonly url: string
  readonly patience: Patience
  /** Told that bytes came, be it for the second time. */
  readonly onBytes: () => void
}

/**
 * The content behind a URL, read once from its first byte to its last. A connection that breaks is taken up where it broke: by its
 * strong ETag, or by reading the beginning again and comparing it. Throws typed errors that reveal nothing of what the URL leads to.
 */
export class Source {
  readonly #options: SourceOptions
  readonly #hash: Hash = createHash('md5')
  #reader: ReadableStreamDefaultReader<Uint8Array>
  /** Bytes of a piece that was not yet given out. */
  #pending: Uint8Array | undefined
  /** How many bytes were given out. */
  #read = 0
  /** Whether the server can be trusted to send the part that it is asked for. */
  #givesParts: boolean
  /** Where it was found, and its headers. */
  readonly url: string
  readonly headers: Headers
  /** How many bytes there are, where the source says so. */
  readonly length: number | undefined
  /** A name of exactly this content, where the source gives one. */
  readonly etag: string | undefined

  private constructor(options: SourceOptions, { url, headers, body }: GuardedResponse) {
    this.#options = options
    this.#reader = body.getReader()
    this.url = url
    this.headers = headers
    this.length = lengthIn(headers)
    this.etag = strongEtag(headers)
    this.#givesParts = this.etag !== undefined
  }

  /** Resolves once the content begins. */
  static async open(options: SourceOptions): Promise<Source> {
    const { fetch, url, patience } = options
    for (;;) {
      try {
        const response = await patience.attempt((signal) => fetch(url, { signal }), tooSlow)
        await refuseOther(response)
        return new Source(options, response)
      } catch (error) {
        await patience.after(error)
      }
    }
  }

  /** The next bytes; undefined after the last. */
  async read(): Promise<Uint8Array | undefined> {
    const piece = await this.#piece()
    if (piece) this.#count(piece)
    return piece
  }

  #count(bytes: Uint8Array): void {
    this.#options.patience.progressed()
    this.#options.onBytes()
    this.#hash.update(bytes)
    this.#read += bytes.byteLength
  }

  async #piece(): Promise<Uint8Array | undefined> {
    for (;;) {
      try {
        const piece = this.#pending ?? (await this.#next())
        this.#pending = undefined
        return piece
      } catch (error) {
        await this.#takeUp(error)
      }
    }
  }

  async #next(): Promise<Uint8Array | undefined> {
    const { value } = await this.#reader.read()
    if (value) return value
    if (this.length !== undefined && this.#read < this.length) throw brokeOff()
    return undefined
  }

  /** Reads so many bytes without giving them out; what follows is next. */
  async skip(count: number): Promise<void> {
    while (this.#read < count) {
      const piece = await this.#piece()
      if (!piece) throw changed()
      const skipped = piece.subarray(0, count - this.#read)
      this.#count(skipped)
      if (skipped.byteLength < piece.byteLength) this.#pending = piece.subarray(skipped.byteLength)
    }
  }

  /** How many bytes were read. */
  get bytes(): number {
    return this.#read
  }

  /** Reads to the end. */
  async drain(): Promise<void> {
    while (await this.read());
  }

  /** Of all bytes that were read, in hexadecimal. */
  md5(): string {
    return this.#hash.copy().digest('hex')
  }

  async close(): Promise<void> {
    await this.#reader.cancel().catch(() => undefined)
  }

  /** Connects again after `error` and goes on behind the last byte. Throws what cannot be mended. */
  async #takeUp(error: unknown): Promise<void> {
    const { fetch, url, patience } = this.#options
    let cause = error
    for (;;) {
      await patience.after(cause)
      try {
        const part = this.#givesParts && this.#read > 0 ? { range: `bytes=${this.#read}-`, 'if-range': this.etag } : {}
        await this.#goOn(await patience.attempt((signal) => fetch(url, { signal, headers: part }), tooSlow))
        return
      } catch (again) {
        cause = again
      }
    }
  }

  async #goOn(response: GuardedResponse): Promise<void> {
    const { status, headers, body } = response
    if (this.#givesParts && this.#read > 0 && (status === 206 || status === 416)) {
      this.#reader = (await this.#rest(response)).getReader()
      return
    }
    await refuseOther(response)
    const length = lengthIn(headers)
    if (length !== undefined && this.length !== undefined && length !== this.length) {
      await body.cancel()
      throw changed()
    }
    this.#reader = body.getReader()
    await this.#compareBeginning()
  }

  /** The part that was asked for. After any other one everything is asked for, which tells by itself whether it is the same. */
  async #rest({ status, headers, body }: GuardedResponse): Promise<ReadableStream<Uint8Array>> {
    const { first, total } = partIn(headers)
    const etag = strongEtag(headers)
    const isWhole = total === undefined || this.length === undefined || total === this.length
    if (status === 206 && first === this.#read && isWhole && etag === this.etag) return body
    await body.cancel()
    // Only its end had not come.
    if (status === 416 && total === this.#read && isWhole && (etag === undefined || etag === this.etag)) return ReadableStream.from([])
    this.#givesParts = false
    throw brokeOff()
  }

  /** Everything comes again: it is the same content if its beginning is. */
  async #compareBeginning(): Promise<void> {
    const hash = createHash('md5')
    for (let compared = 0; compared < this.#read;) {
      const { value } = await this.#reader.read()
      if (!value) throw changed()
      this.#options.patience.waited()
      this.#options.onBytes()
      const part = value.subarray(0, this.#read - compared)
      hash.update(part)
      compared += part.byteLength
      if (part.byteLength < value.byteLength) this.#pending = value.subarray(part.byteLength)
    }
    if (hash.digest('hex') === this.md5()) return
    await this.close()
    this.#pending = undefined
    throw changed()
  }
}
