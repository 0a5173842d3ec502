import { Refused } from './outcome.ts'

/** Longest text of a file, in characters. */
const maxCharacters = 16 * 1024 ** 2

/** Collects the text of a file. A short file can ask for an endless text, by repeating a cell or a string. */
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

  /** All that was added. */
  toString(): string {
    return this.#pieces.join('')
  }
}
