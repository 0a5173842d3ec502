// Whether a host that shows a model only the tools that match a search shows the right one: its rank by BM25 over name and description.
import type { Tool } from '@modelcontextprotocol/client'
import { wishes } from './wishes.ts'

/** The usual parameters of BM25. */
const saturation = 1.2
const lengthWeight = 0.75

/** How far down the right tool may stand. */
export const goodRank = 3

export interface RankedWish {
  readonly tool: string
  readonly wish: string
  /** 1 for the first. */
  readonly rank: number
  /** The tools above it. */
  readonly above: readonly string[]
}

/** The rank of the right tool for every wish, among the tools of all servers. */
export function rankWishes(tools: readonly Tool[]): RankedWish[] {
  const search = createSearch(tools.map(({ name, description = '' }) => ({ name, words: wordsOf(`${name} ${description}`) })))
  return Object.entries(wishes).flatMap(([tool, phrasings]) =>
    phrasings.map((wish) => {
      const found = search(wordsOf(wish))
      const rank = found.indexOf(tool) + 1
      return { tool, wish, rank, above: found.slice(0, rank - 1) }
    }),
  )
}

interface Entry {
  readonly name: string
  readonly words: readonly string[]
}

function createSearch(entries: readonly Entry[]): (words: readonly string[]) => string[] {
  const averageLength = entries.reduce((sum, { words }) => sum + words.length, 0) / entries.length
  const rarity = (word: string) => {
    const having = entries.filter(({ words }) => words.includes(word)).length
    return Math.log(1 + (entries.length - having + 0.5) / (having + 0.5))
  }
  const score = ({ words }: Entry, word: string) => {
    const count = words.filter((each) => each === word).length
    const norm = saturation * (1 - lengthWeight + (lengthWeight * words.length) / averageLength)
    return (rarity(word) * count * (saturation + 1)) / (count + norm)
  }
  return (wanted) =>
    entries
      .map((entry) => ({ name: entry.name, score: wanted.reduce((sum, word) => sum + score(entry, word), 0) }))
      .toSorted((a, b) => b.score - a.score)
      .map(({ name }) => name)
}

/** Words that searches leave out because they say nothing. */
const stopWords = new Set(
  'a an and any are as at be by can do for from has have how i in into is it its me my of on or our so that the their them there they this to up was what when where which who with you'.split(
    ' ',
  ),
)

/** Lower-case words without the endings of plurals; the parts of a name are words of their own. */
function wordsOf(text: string): string[] {
  const spaced = text.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
  const words = (spaced.match(/[a-z0-9]+/g) ?? []).filter((word) => !stopWords.has(word))
  return words.map((word) => (word.length > 3 ? word.replace(/(?<=[^s])s$/, '') : word))
}
