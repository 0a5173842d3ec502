import type { DocumentKind } from './outcome.ts'

const bytesPerUnit = 2

/** Text outside the JavaScript heap, as UTF-16: it passes between threads without being copied, and any part can be read directly. */
export class LongText {
  readonly #bytes: Buffer

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  /** Number of UTF-16 code units, as for a string. */
  get length(): number {
    return this.#bytes.byteLength / bytesPerUnit
  }

  slice(start: number, end: number): string {
    return this.#bytes.toString('utf16le', start * bytesPerUnit, end * bytesPerUnit)
  }

  /** A part of at most `limit` characters. It ends at the end of a line, unless its first line is longer, and never splits a character. */
  part(start: number, limit: number): string {
    const part = this.slice(start, start + limit)
    if (start + part.length >= this.length) return part
    const line = part.lastIndexOf('\n') + 1
    if (line > 0) return part.slice(0, line)
    return part.length > 1 && /[\uD800-\uDBFF]$/.test(part) ? part.slice(0, -1) : part
  }
}

/** A file's text, with its SHA-256 and the numbers of PDF pages without text. */
export interface DocumentText {
  readonly kind: DocumentKind
  readonly text: LongText
  readonly digest: string
  readonly pagesWithoutText: readonly number[]
}
