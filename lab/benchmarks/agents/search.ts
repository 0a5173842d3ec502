/** The usual parameters of BM25: how soon more of the same word stops counting, and how much the length of a document counts. */
const saturation = 1.2
const lengthWeight = 0.75

/** A document that has words of the query; `index` is its place among the documents. */
export interface SearchHit {
  readonly index: number
  readonly score: number
}

/** Searches a few short documents by BM25. The best hit comes first; documents without a word of the query are left out. */
export function createSearch(documents: readonly string[], wordsOf: (text: string) => readonly string[]): (query: string) => SearchHit[] {
  const entries = documents.map(wordsOf)
  const averageLength = entries.reduce((sum, words) => sum + words.length, 0) / entries.length
  const rarity = (word: string) => {
    const having = entries.filter((words) => words.includes(word)).length
    return Math.log(1 + (entries.length - having + 0.5) / (having + 0.5))
  }
  const score = (words: readonly string[], word: string) => {
    const count = words.filter((each) => each === word).length
    const norm = saturation * (1 - lengthWeight + (lengthWeight * words.length) / averageLength)
    return (rarity(word) * count * (saturation + 1)) / (count + norm)
  }
  return (query) => {
    const wanted = [...new Set(wordsOf(query))]
    return entries
      .map((words, index) => ({ index, score: wanted.reduce((sum, word) => sum + score(words, word), 0) }))
      .filter((hit) => hit.score > 0)
      .sort((a, b) => b.score - a.score)
  }
}
