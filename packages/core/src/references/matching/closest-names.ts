import leven from 'leven'
import type { Suggestion } from '../../errors/errors.ts'
import { areReversed } from '../../corrections/reversals.ts'
import { countLetters, createNormalizer, type NormalizedText } from './normalize.ts'

/** Text with the confidence, in [0, 1], that the reference means it. `index` is its position among the texts. */
export interface Ranked {
  readonly value: string
  readonly index: number
  readonly confidence: number
}

/** Confidence above which a match is accepted without asking … */
const acceptAbove = 0.9
/** … if the second best is below this confidence. */
const runnerUpBelow = 0.85
/** Minimum number of letters in a text that may be a typo: with fewer, it is as likely to be a different name. */
const minLetters = 5
/** Minimum confidence of a suggestion: a less likely one would only distract. */
export const suggestionThreshold = 0.55

/** Confidence below which nothing is proposed, so that no check for a reversed meaning is needed. */
const minDecisive = 0.5

/** Maximum confidence if a digit, a one-letter word or a short word in capitals differs. */
const maxWithDifferentNumber = 0.8
/** Maximum confidence if words differ by more than typos. */
const maxWithDifferentWord = 0.89
/** Maximum confidence for two wrong letters in one word: too close to ignore, too far to accept ("Onboarding", "Offboarding"). */
const maxWithTwoTypos = 0.87
/** Minimum confidence for a name that begins with the whole text, apart from one wrong letter. */
const minWithWrongLetter = 0.76
/** Maximum confidence with an extra or missing word, unless the name contains the whole text. */
const maxWithDifferentLength = 0.84

/**
 * Texts by the confidence that the reference means each one, highest first. 1 is the same text, 0.99 the same except for case, 0.98 except
 * for width, diacritics and punctuation, 0.97 except for spaces; one wrong letter in seven is above 0.90. Ties are ordered by value, so the
 * texts' order does not matter. Ranking several references with the same `normalize` reads the texts only once.
 */
export function rank(
  reference: string,
  texts: readonly string[],
  { normalize = createNormalizer(), minConfidence = 0 }: RankOptions = {},
): Ranked[] {
  const target = normalize(reference)
  return texts
    .flatMap((value, index) => {
      const name = normalize(value)
      if (canReach(minConfidence, target, name)) {
        const uncapped = similarity(target, name)
        const confidence = uncapped < 0.99 && !hasSameDistinctions(target, name) ? Math.min(uncapped, maxWithDifferentNumber) : uncapped
        const isMeant = confidence < minDecisive || !areReversed(target.plainWords, name.plainWords)
        if (confidence >= minConfidence && isMeant) return [{ value, index, confidence, uncapped }]
      }
      return []
    })
    .sort((a, b) => b.confidence - a.confidence || b.uncapped - a.uncapped || compareText(a.value, b.value))
    .map(({ value, index, confidence }) => ({ value, index, confidence }))
}

export interface RankOptions {
  readonly normalize?: ReturnType<typeof createNormalizer>
  /** Texts below this confidence are omitted, most of them without an expensive comparison. */
  readonly minConfidence?: number
}

/**
 * True if two texts can reach this confidence, judging only by letter frequencies: whatever the word order, each extra or missing letter
 * takes an edit. The shorter text can also be part of the longer, which then has all of its letters, or all but one.
 */
function canReach(confidence: number, a: NormalizedText, b: NormalizedText): boolean {
  const length = Math.max(a.letters.length, b.letters.length)
  let moreInA = 0
  let moreInB = 0
  for (let bucket = 0; bucket < a.letterCounts.length; bucket += 1) {
    const difference = (a.letterCounts[bucket] ?? 0) - (b.letterCounts[bucket] ?? 0)
    if (difference > 0) moreInA += difference
    else moreInB -= difference
  }
  if (moreInA === 0 || moreInB === 0) return true
  // The words that the two texts share may differ by one wrong letter.
  if (Math.min(moreInA, moreInB) === 1 && Math.min(a.letters.length, b.letters.length) >= minLetters && a.words.length !== b.words.length)
    return true
  const edits = Math.max(moreInA, moreInB)
  // One or two wrong letters cost less each than three or more.
  return (edits > 2 ? 1 - edits / length : typoConfidence(edits, length)) >= confidence
}

/** True if the best text in a ranking is likely and no other text is. */
export function isClearlyBest(ranked: readonly Pick<Ranked, 'confidence'>[], above = acceptAbove): boolean {
  const [best, runnerUp] = ranked
  return (best?.confidence ?? 0) > above && (runnerUp?.confidence ?? 0) < runnerUpBelow
}

/** The best text in a ranking if it may be accepted without asking, otherwise undefined. */
export function autoAccept(reference: string, ranked: readonly Ranked[]): Ranked | undefined {
  const [best] = ranked
  const isLong = [reference, best?.value ?? ''].every((text) => countLetters(text) >= minLetters)
  return isLong && isClearlyBest(ranked) ? best : undefined
}

/** A suggestion with its rank's confidence, rounded. */
export function suggestionOf({ confidence }: Pick<Ranked, 'confidence'>, suggested: Omit<Suggestion, 'confidence'>): Suggestion {
  return { ...suggested, confidence: Math.round(confidence * 100) / 100 }
}

function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** Confidence, before numbers, single letters and codes are compared. */
function similarity(reference: NormalizedText, name: NormalizedText): number {
  if (reference.text === name.text) return 1
  if (reference.lower === name.lower) return 0.99
  if (reference.letters === '' || name.letters === '') return 0

  const length = Math.max(reference.letters.length, name.letters.length)
  const edits = distance(reference.letters, name.letters)
  if (reference.isTruncated || name.isTruncated) return Math.min(maxWithDifferentWord, 1 - edits / length)
  if (edits === 0) return reference.words.join(' ') === name.words.join(' ') ? 0.98 : 0.97
  if (edits === 1) return typoConfidence(1, length)
  return Math.max(
    Math.min(maxWithDifferentLength, 1 - edits / length),
    wordConfidence(reference, name),
    abbreviationConfidence(reference, name),
  )
}

/** Confidence for text with this many wrong letters: above 0.90 for one in seven, but not for one in six. */
function typoConfidence(edits: number, length: number): number {
  return 1 - (3 * edits) / (5 * length)
}

/** Number of letters to insert, delete or replace; a single swap of neighbours counts as one. */
export function distance(a: string, b: string): number {
  const edits = leven(a, b)
  return edits === 2 && differByOneSwap(a, b) ? 1 : edits
}

function differByOneSwap(a: string, b: string): boolean {
  let start = 0
  while (a[start] === b[start]) start++
  return a[start] === b[start + 1] && a[start + 1] === b[start] && a.slice(start + 2) === b.slice(start + 2)
}

/** True if the texts agree on the parts that matter even in a long name: "Sprint 12" and "Sprint 13", "Team A" and "Team B". */
function hasSameDistinctions(reference: NormalizedText, name: NormalizedText): boolean {
  if (reference.numbers !== name.numbers) return false
  // "U.S. Sales" and "US Sales": the same letters, only spaced differently.
  const spacing = reference.letters === name.letters && reference.words.length !== name.words.length
  if (spacing) return true
  if (reference.words.length !== name.words.length) return reference.singles === name.singles
  return (
    reference.singles === name.singles &&
    reference.codes.every((code) => name.words.includes(code)) &&
    name.codes.every((code) => reference.words.includes(code))
  )
}

interface Pairing {
  /** Number of wrong letters in all pairs together. */
  readonly edits: number
  /** Number of letters in unpaired words. */
  readonly unpaired: number
  /** True if each pair differs by at most one letter in five. */
  readonly hasOnlyTypos: boolean
  /** True if the word order differs. */
  readonly isReordered: boolean
}

/** Pairs each word with the closest unpaired word, equal words first. `name` has at least as many words. */
function pairWords(reference: readonly string[], name: readonly string[]): Pairing {
  const free = new Set(name.keys())
  const places = reference.map((word) => {
    const equal = [...free].find((place) => name[place] === word)
    if (equal !== undefined) free.delete(equal)
    return equal
  })
  let edits = 0
  let hasOnlyTypos = true
  for (const [index, word] of reference.entries()) {
    if (places[index] !== undefined) continue
    const [nearest] = [...free].map((place) => ({ place, edits: distance(word, name[place] ?? '') })).sort((a, b) => a.edits - b.edits)
    if (nearest === undefined) continue
    free.delete(nearest.place)
    places[index] = nearest.place
    edits += nearest.edits
    hasOnlyTypos &&= nearest.edits === 1 && Math.max(word.length, name[nearest.place]?.length ?? 0) >= minLetters
  }
  const isReordered = places.some((place, index) => (place ?? 0) < (places[index - 1] ?? 0))
  const unpaired = [...free].reduce((sum, place) => sum + (name[place]?.length ?? 0), 0)
  return { edits, unpaired, hasOnlyTypos, isReordered }
}

/** Confidence from comparing the words one by one, in any order. */
function wordConfidence(reference: NormalizedText, name: NormalizedText): number {
  const fewer = Math.min(reference.words.length, name.words.length)
  if (fewer > 8) return 0
  const length = Math.max(reference.letters.length, name.letters.length)
  const [few, many] = fewer === reference.words.length ? [reference, name] : [name, reference]
  const { edits, unpaired, hasOnlyTypos, isReordered } = pairWords(few.words, many.words)
  const order = isReordered ? 0.04 : 0

  if (few.words.length < many.words.length) {
    const covered = 1 - (edits + unpaired) / length
    // "Robbin" for "Robin Vance": the name begins with the whole text, apart from one wrong letter.
    const isBeginning = few === reference && distance(few.words[0] ?? '', many.words[0] ?? '') <= 1
    if (isBeginning && hasOnlyTypos && edits === 1) return minWithWrongLetter + 0.04 * covered
    if (edits > 0) return Math.min(maxWithDifferentLength, covered)
    // The name contains the whole text: it may be the full name, so no other name may be accepted.
    return few === reference ? runnerUpBelow + 0.02 * covered : 0.8 + 0.04 * covered
  }
  // With three words or more, the order can matter: "Sales to Finance" is not "Finance to Sales".
  if (hasOnlyTypos && edits <= 2 && !(isReordered && fewer > 2)) return typoConfidence(edits, length) - order
  const shared = edits === 2 && length > 7 ? Math.min(maxWithTwoTypos, typoConfidence(2, length)) : 1 - edits / length
  return Math.max(0, Math.min(maxWithDifferentWord, shared) - order)
}

/** Confidence that the shorter text abbreviates the longer, such as "eng", "mktg", or "cs" for "Customer Success". */
function abbreviationConfidence(a: NormalizedText, b: NormalizedText): number {
  const [short, long] = a.letters.length < b.letters.length ? [a, b] : [b, a]
  const covered = short.letters.length / long.letters.length
  if (short.letters.length < 2) return 0
  if (short.letters === long.words.map((word) => word.charAt(0)).join('')) return 0.75
  if (areWordPrefixes(short.words, long.words)) return 0.6 + 0.2 * covered
  if (long.letters.includes(short.letters)) return 0.55 + 0.2 * covered
  const initial = short.letters.charAt(0)
  return short.letters.length > 2 && long.letters.startsWith(initial) && containsInOrder(short.letters, long.letters)
    ? 0.5 + 0.2 * covered
    : 0
}

function areWordPrefixes(beginnings: readonly string[], words: readonly string[]): boolean {
  let place = 0
  return beginnings.every((beginning) => {
    while (place < words.length && !words[place]?.startsWith(beginning)) place++
    return place++ < words.length
  })
}

function containsInOrder(letters: string, text: string): boolean {
  let place = 0
  for (const letter of letters) {
    place = text.indexOf(letter, place) + 1
    if (place === 0) return false
  }
  return true
}
