import { distance, type Ranked, rank } from '../references/matching/closest-names.ts'
import { isReversal, splitWords, stem } from './reversals.ts'

/** Longest text that is compared with the expected ones, in UTF-16 units; nothing that is expected is as long. */
const maxCompared = 100

/** True if a text is short enough to be compared. Comparing a longer one takes too long. */
export function isComparable(text: string): boolean {
  return text.length <= maxCompared
}

/** Suggestions are at least this likely. */
const minConfidence = 0.55
const maxSuggestions = 3

/** A word this long may have one wrong letter. Two make another word: `onboarding` and `offboarding`. */
const minLetters = 4

/**
 * The text without what is only another way to write it: case, blanks, underscores and hyphens between letters, quotation marks and blanks
 * around it. Any other sign may have a meaning (`!done`, `-label`) and stays. A longer text than any that is expected stays as it is.
 */
export function foldSpelling(text: string): string {
  if (!isComparable(text)) return text
  return unquote(text.normalize('NFKC'))
    .replace(/(?<=[\p{L}\p{N}])[\s_‐-―-]+(?=[\p{L}\p{N}])/gu, '')
    .toLowerCase()
}

/** The text without blanks and quotation marks around it. */
export function unquote(text: string): string {
  const isOuter = (letter = '') => /[\s"'“”‘’`]/.test(letter)
  let [start, end] = [0, text.length]
  while (isOuter(text[start])) start += 1
  while (isOuter(text[end - 1])) end -= 1
  return text.slice(start, end)
}

/** True if the texts have the same words, but for a slip of the pen or an ending (`plural`, `plurals`). */
export function isMisspelling(written: string, meant: string): boolean {
  if (!isComparable(written) || isReversal(written, meant)) return false
  const [words, others] = [splitWords(written), splitWords(meant)]
  if (distance(words.join(''), others.join('')) <= (words.join('').length >= minLetters ? 1 : 0) && digits(written) === digits(meant))
    return true
  return words.length === others.length && words.every((word, index) => isSameWord(word, others[index] ?? ''))
}

export function isSameWord(word: string, other: string): boolean {
  return stem(word) === stem(other) || isSlip(word, other)
}

function isSlip(word: string, other: string): boolean {
  const length = Math.min(word.length, other.length)
  // Two numbers differ, however alike they are.
  if (length < minLetters || digits(word) !== digits(other)) return false
  return distance(word, other) <= 1
}

function digits(text: string): string {
  return text.replace(/\D/g, '')
}

/** The texts that are most like a written one and do not reverse it, the most likely first. */
export function closest(written: string, texts: readonly string[]): Ranked[] {
  if (!isComparable(written)) return []
  return rank(written, texts, { minConfidence }).slice(0, maxSuggestions)
}
