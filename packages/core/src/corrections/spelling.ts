import { distance, type Ranked, rank } from '../references/matching/closest-names.ts'
import { isReversal, splitWords, stem } from './reversals.ts'

/** Maximum length, in UTF-16 units, of text to compare with expected texts, which are all shorter. */
const maxCompared = 100

/** True if text is short enough to compare. Comparing longer text would take too long. */
export function isComparable(text: string): boolean {
  return text.length <= maxCompared
}

/** Minimum confidence of a suggestion. */
const minConfidence = 0.55
const maxSuggestions = 3

/** Minimum length of a word that may have one wrong letter. Two wrong letters make a different word: `onboarding` and `offboarding`. */
const minLetters = 4

/** The text without case, marks and blanks between letters, or quotation marks around it; other characters may mean something: `!done`. */
export function foldSpelling(text: string): string {
  if (!isComparable(text)) return text
  const plain = unquote(text.normalize('NFKC'))
  return plain.replace(/(?<=[\p{L}\p{N}])[\s_‐-―-]+(?=[\p{L}\p{N}])/gu, '').toLowerCase()
}

/** The text without surrounding blanks and quotation marks. */
export function unquote(text: string): string {
  const isOuter = (letter = '') => /[\s"'“”‘’`]/.test(letter)
  let [start, end] = [0, text.length]
  while (isOuter(text[start])) start += 1
  while (isOuter(text[end - 1])) end -= 1
  return text.slice(start, end)
}

/** True if the texts have the same words, except for a typo or an ending (`plural`, `plurals`). */
export function isMisspelling(written: string, meant: string): boolean {
  if (!isComparable(written) || isReversal(written, meant)) return false
  const [words, others] = [splitWords(written), splitWords(meant)]
  if (distance(words.join(''), others.join('')) <= (words.join('').length >= minLetters ? 1 : 0) && digits(written) === digits(meant))
    return true
  return words.length === others.length && words.every((word, index) => isSameWord(word, others[index] ?? ''))
}

/** True for the same word, except for its ending or one wrong letter. Different numbers never match, however similar. */
export function isSameWord(word: string, other: string): boolean {
  const isLong = Math.min(word.length, other.length) >= minLetters
  return stem(word) === stem(other) || (isLong && digits(word) === digits(other) && distance(word, other) <= 1)
}

function digits(text: string): string {
  return text.replace(/\D/g, '')
}

/** The texts that are most similar to the written text without reversing it, most likely first. */
export function closest(written: string, texts: readonly string[]): Ranked[] {
  if (!isComparable(written)) return []
  return rank(written, texts, { minConfidence }).slice(0, maxSuggestions)
}
