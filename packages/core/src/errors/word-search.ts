/** Length of the suffixes by which words are found; shorter words cannot be searched for. */
export const minWordLength = 8

/** A range of text that words cover, from `start` up to but excluding `end`. */
interface Range {
  readonly start: number
  readonly end: number
}

/** Number of words of one length that end in the same suffix. */
interface LengthCount {
  readonly length: number
  count: number
}

const lastIndex = minWordLength - 1
const pairCount = 1 << 16

/**
 * Finds any number of words in one pass over text, skipping ahead by pairs of characters as the Wu–Manber algorithm does. Adding or
 * deleting a word takes the same time however many words there are.
 */
export class WordSearch {
  /** Number of times each word was added. */
  readonly #words = new Map<string, number>()
  /** Lengths of the words that end in each suffix, longest first. */
  readonly #lengths = new Map<string, LengthCount[]>()
  /** Number of suffixes with a given pair of characters at a given index. */
  readonly #pairs = new Uint32Array(pairCount * minWordLength)
  /** Distance that the search may advance, indexed by the last two characters examined. Derived from `#pairs`. */
  readonly #skips = new Uint8Array(pairCount).fill(lastIndex)

  /** Adds a word of at least `minWordLength` characters. A word must be deleted as many times as it was added. */
  add(word: string): void {
    const times = this.#words.get(word) ?? 0
    this.#words.set(word, times + 1)
    if (times > 0) return
    const suffix = word.slice(-minWordLength)
    const lengths = this.#lengths.get(suffix)
    const known = lengths?.find(({ length }) => length === word.length)
    if (known) known.count += 1
    else
      this.#lengths.set(
        suffix,
        [...(lengths ?? []), { length: word.length, count: 1 }].sort((a, b) => b.length - a.length),
      )
    if (!lengths) this.#countPairs(suffix, 1)
  }

  /** Reverses one `add` of the word. */
  delete(word: string): void {
    const times = this.#words.get(word) ?? 0
    if (times > 1) this.#words.set(word, times - 1)
    if (times !== 1) return
    this.#words.delete(word)
    const suffix = word.slice(-minWordLength)
    const lengths = this.#lengths.get(suffix) ?? []
    const known = lengths.find(({ length }) => length === word.length)
    if (!known) return
    known.count -= 1
    if (known.count > 0) return
    if (lengths.length > 1) {
      lengths.splice(lengths.indexOf(known), 1)
      return
    }
    this.#lengths.delete(suffix)
    this.#countPairs(suffix, -1)
  }

  /** Ranges of words in the text, in order. Overlapping ranges are merged. */
  find(text: string): Range[] {
    const found: Range[] = []
    let end = minWordLength
    while (end <= text.length) {
      const skip = this.#skips[pairAt(text, end - 1)] ?? 0
      end += Math.max(skip, 1)
      if (skip > 0) continue
      const wordEnd = end - 1
      const length = this.#lengthBefore(text, wordEnd)
      if (length === undefined) continue
      let start = wordEnd - length
      for (let last = found.at(-1); last && last.end > start; last = found.at(-1)) {
        start = Math.min(start, last.start)
        found.pop()
      }
      found.push({ start, end: wordEnd })
    }
    return found
  }

  /** The length of the longest word that ends at `end`. */
  #lengthBefore(text: string, end: number): number | undefined {
    const lengths = this.#lengths.get(text.slice(end - minWordLength, end))
    return lengths?.find(({ length }) => length <= end && this.#words.has(text.slice(end - length, end)))?.length
  }

  #countPairs(suffix: string, change: 1 | -1): void {
    for (let index = 1; index < minWordLength; index += 1) {
      const pair = pairAt(suffix, index)
      const first = pair * minWordLength
      this.#pairs[first + index] = (this.#pairs[first + index] ?? 0) + change
      // Index 0 has no pair, so its count stays 0; if no suffix has the pair, the skip is the longest possible.
      const last = this.#pairs.subarray(first, first + minWordLength).findLastIndex((count) => count > 0)
      this.#skips[pair] = lastIndex - Math.max(last, 0)
    }
  }
}

/** A number for the character at `index` and the one before it; different pairs may share a number. */
function pairAt(text: string, index: number): number {
  return ((text.charCodeAt(index - 1) * 248) ^ text.charCodeAt(index)) & (pairCount - 1)
}
