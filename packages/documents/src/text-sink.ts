import { Refused } from './outcome.ts'

/** Maximum length of a file's text, in characters. */
const maxCharacters = 16 * 1024 ** 2

/** Collects a file's text, up to a limit: a short file can expand to endless text by repeating a cell or a string. */
export class TextSink {
  readonly #pieces: string[] = []
  #length = 0

  get length(): number {
    return this.#length
  }

  add(text: string): void {
    this.#length += text.length
    if (this.#length > maxCharacters) throw new Refused('too_large')
    this.#pieces.push(text)
  }

  /** All text added. */
  toString(): string {
    return this.#pieces.join('')
  }
}
