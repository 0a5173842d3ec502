import leven from 'leven'
import { countLetters, type Spelling, speller } from './normalize.ts'

/** A candidate with the confidence, in [0, 1], that it is what was wanted. `index` is its place among the candidates. */
export interface Ranked {
  readonly value: string
  readonly index: number
  readonly confidence: number
}

/** Only what is above is ever accepted without asking. */
const acceptedAbove = 0.9
/** The runner-up of what is accepted stays below. */
const runnerUpBelow = 0.85
/** Shorter texts are never accepted: a few letters are as likely to be another name as a slip. */
const fewestLetters = 5

/** The most for a candidate that differs in a digit, in a word of one letter or in a short word in capitals. */
const anotherNumber = 0.8
/** The most for a candidate whose words differ by more than slips. */
const anotherWord = 0.89
/** The most for two wrong letters in one word: too few to pass it over, too many to take it ("Permission", "Permissions"). */
const twoSlips = 0.87
/** The most for a candidate that has a word too many or too few, unless all that is wanted is in it. */
const anotherLength = 0.84

/**
 * The candidates with the confidence that each is meant, best first. 1 is the same text, 0.99 the same but for case, 0.98 but for width,
 * diacritics and punctuation, 0.97 but for spaces; one wrong letter in seven is above 0.90. Equal confidence is ordered by value, so the
 * order of the candidates does not matter.
 */
export function rank(wanted: string, candidates: readonly string[]): Ranked[] {
  const spell = speller()
  const target = spell(wanted)
  return candidates
    .map((value, index) => {
      const name = spell(value)
      const uncapped = likeness(target, name)
      const confidence = uncapped < 0.99 && !sameMarks(target, name) ? Math.min(uncapped, anotherNumber) : uncapped
      return { value, index, confidence, uncapped }
    })
    .sort((a, b) => b.confidence - a.confidence || b.uncapped - a.uncapped || compareText(a.value, b.value) || a.index - b.index)
    .map(({ value, index, confidence }) => ({ value, index, confidence }))
}

/** Whether the best of a ranking stands alone: close to what was wanted, and nothing else is. */
export function standsAlone(ranked: readonly Ranked[], above = acceptedAbove): boolean {
  const [best, runnerUp] = ranked
  return best !== undefined && best.confidence > above && (runnerUp?.confidence ?? 0) < runnerUpBelow
}

/** The best of a ranking if it may be taken without asking anyone, otherwise undefined. */
export function autoAccept(wanted: string, ranked: readonly Ranked[]): Ranked | undefined {
  const [best] = ranked
  if (best === undefined || !standsAlone(ranked)) return undefined
  return countLetters(wanted) >= fewestLetters && countLetters(best.value) >= fewestLetters ? best : undefined
}

function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** Confidence before the marks are looked at. */
function likeness(wanted: Spelling, name: Spelling): number {
  if (wanted.text === name.text) return 1
  if (wanted.lower === name.lower) return 0.99
  if (wanted.letters === '' || name.letters === '') return 0

  const length = Math.max(wanted.letters.length, name.letters.length)
  const edits = distance(wanted.letters, name.letters)
  if (wanted.cut || name.cut) return Math.min(anotherWord, 1 - edits / length)
  if (edits === 0) return wanted.words.join(' ') === name.words.join(' ') ? 0.98 : 0.97
  if (edits === 1) return slips(1, length)
  return Math.max(Math.min(anotherLength, 1 - edits / length), byWords(wanted, name), abbreviated(wanted, name))
}

/** Confidence in a text with that many wrong letters: above 0.90 for one in seven, not above for one in six. */
function slips(edits: number, length: number): number {
  return 1 - (3 * edits) / (5 * length)
}

/** Letters to insert, delete, replace or, once, swap with the next. */
function distance(a: string, b: string): number {
  const edits = leven(a, b)
  return edits === 2 && differByOneSwap(a, b) ? 1 : edits
}

function differByOneSwap(a: string, b: string): boolean {
  if (a.length !== b.length) return false
  let start = 0
  while (a[start] === b[start]) start++
  return a[start] === b[start + 1] && a[start + 1] === b[start] && a.slice(start + 2) === b.slice(start + 2)
}

/** Whether the texts agree in what a name turns on however long it is: "Sprint 12" and "Sprint 13", "Team A" and "Team B". */
function sameMarks(wanted: Spelling, name: Spelling): boolean {
  if (wanted.numbers !== name.numbers) return false
  // "U.S. Sales" and "US Sales": the letters are the same, they are only spaced differently.
  const spacing = wanted.letters === name.letters && wanted.words.length !== name.words.length
  if (spacing) return true
  if (wanted.words.length !== name.words.length) return wanted.singles === name.singles
  return (
    wanted.singles === name.singles &&
    wanted.codes.every((code) => name.words.includes(code)) &&
    name.codes.every((code) => wanted.words.includes(code))
  )
}

interface Pairing {
  /** Wrong letters in all pairs. */
  readonly edits: number
  /** Letters of the words that are left over. */
  readonly unpaired: number
  /** Whether no pair differs by more than one letter in five. */
  readonly onlySlips: boolean
  /** Whether the words stand in another order. */
  readonly moved: boolean
}

/** Pairs each word with the nearest that is left, equal ones first. `name` has at least as many words. */
function pair(wanted: readonly string[], name: readonly string[]): Pairing {
  const free = new Set(name.keys())
  const places = wanted.map((word) => {
    const equal = [...free].find((place) => name[place] === word)
    if (equal !== undefined) free.delete(equal)
    return equal
  })
  let edits = 0
  let onlySlips = true
  for (const [index, word] of wanted.entries()) {
    if (places[index] !== undefined) continue
    const [nearest] = [...free].map((place) => ({ place, edits: distance(word, name[place] ?? '') })).sort((a, b) => a.edits - b.edits)
    if (nearest === undefined) continue
    free.delete(nearest.place)
    places[index] = nearest.place
    edits += nearest.edits
    onlySlips &&= nearest.edits === 1 && Math.max(word.length, name[nearest.place]?.length ?? 0) >= fewestLetters
  }
  const moved = places.some((place, index) => index > 0 && (place ?? 0) < (places[index - 1] ?? 0))
  const unpaired = [...free].reduce((sum, place) => sum + (name[place]?.length ?? 0), 0)
  return { edits, unpaired, onlySlips, moved }
}

/** Confidence when the words are compared one by one, in whatever order they stand. */
function byWords(wanted: Spelling, name: Spelling): number {
  const fewer = Math.min(wanted.words.length, name.words.length)
  if (fewer > 8) return 0
  const length = Math.max(wanted.letters.length, name.letters.length)
  const [few, many] = fewer === wanted.words.length ? [wanted, name] : [name, wanted]
  const { edits, unpaired, onlySlips, moved } = pair(few.words, many.words)
  const order = moved ? 0.04 : 0

  if (few.words.length < many.words.length) {
    const covered = 1 - (edits + unpaired) / length
    if (edits > 0) return Math.min(anotherLength, covered)
    // All that is wanted is there: this may be the full name, so it stands in the way of any other.
    return few === wanted ? runnerUpBelow + 0.02 * covered : 0.8 + 0.04 * covered
  }
  // In three words or more the order can matter: "Sales to Finance" is not "Finance to Sales".
  if (onlySlips && edits <= 2 && !(moved && fewer > 2)) return slips(edits, length) - order
  const shared = edits === 2 && length > 7 ? Math.min(twoSlips, slips(2, length)) : 1 - edits / length
  return Math.max(0, Math.min(anotherWord, shared) - order)
}

/** Confidence that the shorter text abbreviates the longer: "eng", "mktg" or "cs" for "Customer Success". */
function abbreviated(a: Spelling, b: Spelling): number {
  const [short, long] = a.letters.length < b.letters.length ? [a, b] : [b, a]
  const covered = short.letters.length / long.letters.length
  if (short.letters.length < 2) return 0
  if (short.letters === long.words.map((word) => word.charAt(0)).join('')) return 0.75
  if (beginsEach(short.words, long.words)) return 0.6 + 0.2 * covered
  if (long.letters.includes(short.letters)) return 0.55 + 0.2 * covered
  const initial = short.letters.charAt(0)
  return short.letters.length > 2 && long.letters.startsWith(initial) && inOrder(short.letters, long.letters) ? 0.5 + 0.2 * covered : 0
}

function beginsEach(beginnings: readonly string[], words: readonly string[]): boolean {
  let place = 0
  return beginnings.every((beginning) => {
    while (place < words.length && !words[place]?.startsWith(beginning)) place++
    return place++ < words.length
  })
}

function inOrder(letters: string, text: string): boolean {
  let place = 0
  for (const letter of letters) {
    place = text.indexOf(letter, place) + 1
    if (place === 0) return false
  }
  return true
}
