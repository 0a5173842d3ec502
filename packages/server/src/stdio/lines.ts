import { RequestIdScanner } from './request-id.ts'

/** What a stream of bytes holds, line by line. */
export type Line =
  { readonly kind: 'text'; readonly text: string } | { readonly kind: 'too_long'; readonly id: string | number | undefined }

const newline = 0x0a

/** Cuts bytes into lines of at most `limit` bytes. A longer one is read to its end, reported with its request id, and dropped. */
export class LineReader {
  readonly #limit: number
  #parts: Uint8Array[] = []
  #bytes = 0
  #scanner: RequestIdScanner | undefined

  constructor(limit: number) {
    this.#limit = limit
  }

  /** The lines that `chunk` completes. */
  *read(chunk: Uint8Array): Generator<Line> {
    let start = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      this.#add(chunk.subarray(start, end))
      yield* this.end()
      start = end + 1
    }
    this.#add(chunk.subarray(start))
  }

  /** The last line, when the stream ends without a line break. */
  *end(): Generator<Line> {
    if (this.#scanner) yield { kind: 'too_long', id: this.#scanner.id }
    else {
      const text = Buffer.concat(this.#parts).toString().trim()
      if (text !== '') yield { kind: 'text', text }
    }
    this.#parts = []
    this.#bytes = 0
    this.#scanner = undefined
  }

  #add(part: Uint8Array): void {
    if (this.#scanner) {
      this.#scanner.read(part)
      return
    }
    this.#parts.push(part)
    this.#bytes += part.length
    if (this.#bytes <= this.#limit) return
    this.#scanner = new RequestIdScanner()
    for (const held of this.#parts) this.#scanner.read(held)
    this.#parts = []
  }
}
