import { splitWords } from '../../corrections/reversals.ts'

/** Maximum number of characters to compare, so that long untrusted text cannot make a comparison expensive. */
const maxCompared = 256

/** Text without insignificant differences. */
export interface NormalizedText {
  readonly text: string
  /** The text, as returned by `foldCase`. */
  readonly lower: string
  /** The words without case, width, diacritics and punctuation; one code unit per grapheme. */
  readonly words: readonly string[]
  /** All words run together. */
  readonly letters: string
  /** Frequencies of the letters in `letters`, by bucket; different letters can share one. */
  readonly letterCounts: Uint16Array
  /** The numbers in order, as one string. */
  readonly numbers: string
  /** The one-letter words, ideographs and symbols in order, as one string. */
  readonly singles: string
  /** Short words in capitals (`US`, `API`), folded like `words`. */
  readonly codes: readonly string[]
  /** The words that can show a reversal, split on first use: few texts are similar enough to need them. */
  readonly plainWords: readonly string[]
  /** True if the text is longer than the compared part. */
  readonly isTruncated: boolean
}

const severalUnits = /[\p{M}\u200d\u{10000}-\u{10ffff}]/u
const ascii = /^[\0-\x7f]*$/
const invisible = /[\p{Variation_Selector}\u00a9\u00ad\u00ae\u0640\u200b\u200e\u200f\u2060\u2122\ufeff]/gu
const apostrophes = /['’ʼ`´]/g
const words = /[\p{L}\p{M}\p{N}\u200c\u200d]+|[\p{S}#]/gu
const emojiParts = /[\p{Emoji}--[#*0-9]]|\u20e3/v
const runs = /\p{N}+|[\p{L}\p{M}]+|[\p{S}#]/gu
const number = /^(?:\p{N}+|[ivx]{2,})$/u
const single = /^(?:[\p{S}#]|\p{L}\p{M}*)$/u
const ideographs = /\p{Script=Han}/gu
const code = /(?<![\p{L}\p{N}])\p{Lu}{2,4}(?![\p{L}\p{N}])/gu

/** Marks that can be ignored. A Japanese voicing mark or an Indic vowel sign is kept, because it makes a different letter. */
const diacritics = /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]/g
const withoutDecomposition: Readonly<Record<string, string>> = { ø: 'o', đ: 'd', ð: 'd', ł: 'l', ħ: 'h', æ: 'ae', œ: 'oe', þ: 'th' }

/** Converts to upper case first, which turns `ß` into `ss`. A final sigma becomes an ordinary one. Independent of the locale. */
const lowerCase = (text: string): string => text.toUpperCase().toLowerCase().replaceAll('ς', 'σ')

/** The text for case-insensitive comparison: composed, in lower case, with single spaces between words and none around the text. */
export function foldCase(text: string): string {
  return lowerCase(text.normalize('NFC')).replace(/\s+/gu, ' ').trim()
}

/** The number of letters in text: not digits, marks or punctuation. */
export function countLetters(text: string): number {
  return text.normalize('NFKC').match(/\p{L}/gu)?.length ?? 0
}

/** Emoji are words, too. Their pattern is built only for text that needs it, because building it takes ten milliseconds. */
const wordsOf = (plain: string) =>
  plain.match(emojiParts.test(plain) ? /[\p{L}\p{M}\p{N}\u200c\u200d]+|\p{RGI_Emoji}|[\p{S}#]/gv : words) ?? []

function withoutDiacritics(text: string): string {
  if (ascii.test(text)) return text
  const stripped = text.normalize('NFD').replace(diacritics, '').normalize('NFC')
  return stripped.replace(/[øđðłħæœþ]/g, (letter) => withoutDecomposition[letter] ?? letter)
}

/** Gives every grapheme one code unit, so that a metric on code units counts letters as a reader does. */
class GraphemeAlphabet {
  readonly #units = new Map<string, string>()
  /** Built on first use: the first segmenter takes ten milliseconds, and most texts need none. */
  #graphemes: Intl.Segmenter | undefined

  encode(word: string): string {
    if (!severalUnits.test(word)) return word
    this.#graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
    return Array.from(this.#graphemes.segment(word), ({ segment }) => this.#unit(segment)).join('')
  }

  #unit(grapheme: string): string {
    if (grapheme.length === 1) return grapheme
    // The private use area: 6,400 code units, enough for any one comparison.
    const unit = this.#units.get(grapheme) ?? String.fromCharCode(0xe000 + (this.#units.size % 6400))
    this.#units.set(grapheme, unit)
    return unit
  }
}

/** Enough to tell the letters of an alphabet apart. */
const buckets = 32

function countByBucket(letters: string): Uint16Array {
  const counts = new Uint16Array(buckets)
  for (let index = 0; index < letters.length; index += 1) {
    const bucket = letters.charCodeAt(index) % buckets
    counts[bucket] = (counts[bucket] ?? 0) + 1
  }
  return counts
}

/** Returns a function that normalizes each text once; only results from the same function are comparable. */
export function createNormalizer(): (text: string) => NormalizedText {
  const alphabet = new GraphemeAlphabet()
  const fold = (plain: string) => wordsOf(withoutDiacritics(plain)).map((word) => alphabet.encode(word))

  const normalize = (text: string): NormalizedText => {
    const visible = text.slice(0, maxCompared).replace(invisible, '').normalize('NFKC').replace(apostrophes, '').replace(/ & /g, ' and ')
    const plain = lowerCase(visible)
    const folded = fold(plain)
    const letters = folded.join('')
    const parts = plain.match(runs) ?? []
    let plainWords: readonly string[] | undefined
    return {
      text,
      get plainWords() {
        return (plainWords ??= splitWords(text))
      },
      lower: foldCase(text),
      words: folded,
      letters,
      letterCounts: countByBucket(letters),
      numbers: parts.filter((part) => number.test(part)).join(' '),
      singles: parts.flatMap((part) => (single.test(part) ? [part] : (part.match(ideographs) ?? []))).join(' '),
      codes: (visible.match(code) ?? []).flatMap((capitals) => fold(lowerCase(capitals))),
      isTruncated: text.length > maxCompared,
    }
  }
  const known = new Map<string, NormalizedText>()
  return (text) => {
    const normalized = known.get(text) ?? normalize(text)
    known.set(text, normalized)
    return normalized
  }
}
