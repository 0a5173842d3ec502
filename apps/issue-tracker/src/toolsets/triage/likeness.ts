/** Words that say nothing about a subject. */
const common = new Set(
  'a an and are as at be by can cannot do does for from has have how if in into is it its more no not of on or so than that the then there this to too was we when where which while will with you'.split(
    ' ',
  ),
)

/** The distinct words that show what a text is about, without grammatical endings. */
export function wordsOf(text: string): string[] {
  const words =
    text
      .normalize('NFD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  return [...new Set(words.filter((word) => word.length > 1 && !common.has(word)).map(stem))]
}

/** The part shared by a word's forms: verif for verify and verified, batter for battery and batteries, stop for stopped. */
function stem(word: string): string {
  const singular = word.replace(/(?<=..[^s])s$/, '')
  const plain = singular.replace(/(?<=...)(?:ing|ed|e)$/, '')
  return plain.replace(/(?<=..)([b-df-hj-np-tv-z])\1$/, '$1').replace(/(?<=...)[iy]$/, '')
}

interface Described {
  readonly title: string
  readonly text: string
}

/** Similarity of two issues, from 0 to 1: titles count three times as much as all words together, and equal texts alone give 0.5. */
export function likeness(one: Described, other: Described): number {
  const titles = overlap(wordsOf(one.title), wordsOf(other.title))
  const all = overlap(wordsOf(`${one.title} ${one.text}`), wordsOf(`${other.title} ${other.text}`))
  const texts = overlap(wordsOf(one.text), wordsOf(other.text))
  return Math.round(Math.max(0.75 * titles + 0.25 * all, 0.5 * texts) * 100) / 100
}

/** Dice coefficient of two lists of words: twice the number of shared words, divided by the number of words in both lists. */
function overlap(one: readonly string[], other: readonly string[]): number {
  const shared = one.filter((word) => other.includes(word)).length
  return shared === 0 ? 0 : (2 * shared) / (one.length + other.length)
}
