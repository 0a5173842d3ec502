import { createHash, type Hash } from 'node:crypto'
import type { ReadableStreamDefaultReader } from 'node:stream/web'
import { Conflict, Forbidden, InvalidInput, type ToolError, Unavailable } from '@mcp-toolkits/core'
import type { GuardedFetch, GuardedResponse } from '@mcp-toolkits/core/guarded-fetch'
import { Patience } from '../transfer/patience.ts'

export interface SourceOptions {
  readonly fetch: GuardedFetch
  readonly url: string
  readonly signal: AbortSignal
}

/**
 * The content behind a URL, read once from its first byte to its last. A connection that breaks is taken up where it broke: by its
 * strong ETag, or by reading the beginning again and comparing it. Throws typed errors that reveal nothing of what the URL leads to.
 */
export class Source {
  readonly #options: SourceOptions
  readonly #patience: Patience
  readonly #hash: Hash = createHash('md5')
  #reader: ReadableStreamDefaultReader<Uint8Array>
  /** Bytes of a piece that was not yet given out. */
  #pending: Uint8Array | undefined
  /** How many bytes were given out. */
  #read = 0
  /** Where it was found, and its headers. */
  readonly url: string
  readonly headers: Headers
  /** How many bytes there are, where the source says so. */
  readonly length: number | undefined
  /** A name of exactly this content, where the source gives one. */
  readonly etag: string | undefined

  private constructor(options: SourceOptions, patience: Patience, { url, headers, body }: GuardedResponse) {
    this.#options = options
    this.#patience = patience
    this.#reader = body.getReader()
    this.url = url
    this.headers = headers
    this.length = lengthIn(headers)
    this.etag = strongEtag(headers)
  }

  /** Resolves once the content begins. */
  static async open(options: SourceOptions): Promise<Source> {
    const { fetch, url, signal } = options
    const patience = new Patience(signal)
    for (;;) {
      try {
        const response = await fetch(url, { signal })
        await refuseOther(response)
        return new Source(options, patience, response)
      } catch (error) {
        await patience.after(error)
      }
    }
  }

  /** The next bytes; undefined after the last. */
  async read(): Promise<Uint8Array | undefined> {
    // What the caller did in the meantime is not the source's delay.
    this.#patience.waited()
    const piece = await this.#piece()
    if (piece) this.#count(piece)
    return piece
  }

  #count(bytes: Uint8Array): void {
    this.#patience.progressed()
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
    if (this.length !== undefined && this.#read < this.length) throw new Unavailable('The server of the URL broke off.')
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
    const { fetch, url, signal } = this.#options
    let cause = error
    for (;;) {
      await this.#patience.after(cause)
      try {
        const part = this.etag === undefined || this.#read === 0 ? {} : { range: `bytes=${this.#read}-`, 'if-range': this.etag }
        const response = await fetch(url, { signal, headers: part })
        await this.#goOn(response)
        return
      } catch (again) {
        cause = again
      }
    }
  }

  async #goOn({ status, headers, body }: GuardedResponse): Promise<void> {
    const [, first, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers.get('content-range') ?? '') ?? []
    if (status === 206) {
      const isSame = total === '*' || this.length === undefined || Number(total) === this.length
      const etag = strongEtag(headers)
      if (Number(first) !== this.#read || !isSame || (etag !== undefined && etag !== this.etag)) {
        await body.cancel()
        throw changed()
      }
      this.#reader = body.getReader()
      return
    }
    await refuseOther({ status, headers, body })
    this.#reader = body.getReader()
    await this.#compareBeginning()
  }

  /** Everything comes again: it is the same content if its beginning is. */
  async #compareBeginning(): Promise<void> {
    const hash = createHash('md5')
    for (let compared = 0; compared < this.#read;) {
      const { value } = await this.#reader.read()
      if (!value) throw changed()
      this.#patience.waited()
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

function lengthIn(headers: Headers): number | undefined {
  const length = headers.get('content-length')
  return length !== null && /^\d{1,15}$/.test(length) ? Number(length) : undefined
}

/** https://www.rfc-editor.org/rfc/rfc9110#name-etag: a weak one names contents that are alike. */
function strongEtag(headers: Headers): string | undefined {
  const etag = headers.get('etag') ?? ''
  return /^"[\x21\x23-\x7e]*"$/.test(etag) ? etag : undefined
}

/** Refuses everything but the whole content as it is. */
async function refuseOther({ status, headers, body }: Omit<GuardedResponse, 'url'>): Promise<void> {
  if (status === 200 && !isPacked(headers)) return
  await body.cancel()
  throw status === 200 ? packed() : refusal(status)
}

const isPacked = (headers: Headers) => !['', 'identity'].includes((headers.get('content-encoding') ?? '').trim().toLowerCase())

function packed(): InvalidInput {
  return new InvalidInput('The server of the URL sends the content compressed although it was asked not to. Give another link to the file.')
}

function changed(): Conflict {
  return new Conflict('The content of the URL changed while it was read, so nothing was uploaded. Make the call again.', {
    retryable: true,
  })
}

/** What an answer without content means for a caller. Never `NotFound`, which would speak of Drive. */
function refusal(status: number): ToolError {
  if (status === 404 || status === 410) {
    return new InvalidInput(`The URL leads to nothing: its server answered HTTP ${status}. Check the address. Nothing was uploaded.`)
  }
  if (status === 401 || status === 403) {
    return new Forbidden(`The server of the URL does not hand out the file (HTTP ${status}). Give a link that anyone can open.`)
  }
  if (status === 408 || status === 429 || status >= 500) {
    return new Unavailable(`The server of the URL answered HTTP ${status}. Try again later, or give another link to the file.`)
  }
  return new InvalidInput(`The server of the URL answered HTTP ${status}, which is no file. Give the address of the file itself.`)
}
