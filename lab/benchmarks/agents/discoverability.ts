// BM25 rank of the right tool by name and description, for hosts that show a model only the tools matching a search.
import type { Tool } from '@modelcontextprotocol/client'
import wishes from './wishes.json' with { type: 'json' }

/** Lowest rank at which a host still shows the right tool. */
export const goodRank = 3

/** The usual parameters of BM25: saturation of a word's frequency, and weight of a document's length. */
const [saturation, lengthWeight] = [1.2, 0.75]

/** The rank of the right tool for every request, among the tools of all servers: 1 for the first, beyond the last if no word is found. */
export function rankWishes(tools: readonly Tool[]) {
  const documents = tools.map(({ name, description = '' }) => ({ name, words: plainWords(`${name} ${description}`) }))
  const averageLength = documents.reduce((sum, { words }) => sum + words.length, 0) / documents.length
  const scoreOf = (words: readonly string[], word: string) => {
    const having = documents.filter((each) => each.words.includes(word)).length
    const rarity = Math.log(1 + (documents.length - having + 0.5) / (having + 0.5))
    const count = words.filter((each) => each === word).length
    const norm = saturation * (1 - lengthWeight + (lengthWeight * words.length) / averageLength)
    return (rarity * count * (saturation + 1)) / (count + norm)
  }
  const search = (wish: string) => {
    const wanted = [...new Set(plainWords(wish))]
    const scored = documents.map(({ name, words }) => ({ name, score: wanted.reduce((sum, word) => sum + scoreOf(words, word), 0) }))
    const hits = scored.filter(({ score }) => score > 0)
    return hits.toSorted((one, other) => other.score - one.score).map(({ name }) => name)
  }
  return Object.entries(wishes).flatMap(([tool, phrasings]) =>
    phrasings.map((wish) => {
      const found = search(wish)
      const index = found.includes(tool) ? found.indexOf(tool) : tools.length
      return { tool, wish, rank: index + 1, above: found.slice(0, index) }
    }),
  )
}

/** Lower-case words and parts of names, without stemming, as a host with no knowledge of language would see them. */
function plainWords(text: string): string[] {
  const parts = text.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
  return parts.match(/[a-z]+/g) ?? []
}
