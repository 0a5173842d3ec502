import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { minWordLength, WordSearch } from './word-search.ts'

interface Place {
  readonly start: number
  end: number
}

/** The expected result of `find`, determined by trying each word at each place. */
function findEach(text: string, words: readonly string[]): Place[] {
  const merged: Place[] = []
  for (let start = 0; start < text.length; start += 1) {
    const ends = words.filter((word) => text.startsWith(word, start)).map(({ length }) => start + length)
    if (ends.length === 0) continue
    const [end, last] = [Math.max(...ends), merged.at(-1)]
    if (last && start < last.end) last.end = Math.max(last.end, end)
    else merged.push({ start, end })
  }
  return merged
}

/** Few distinct characters, so that words overlap, contain each other and share endings. */
const words = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: minWordLength, maxLength: minWordLength + 4 })
const changes = fc.array(fc.record({ word: words, isAdded: fc.boolean(), other: fc.nat() }), { maxLength: 40 })
const texts = fc.string({ unit: fc.constantFrom('a', 'a', 'b', 'b', 'c'), maxLength: 200 })

describe('WordSearch', () => {
  it('finds exactly the words that it contains after any additions and deletions', () => {
    fc.assert(
      fc.property(changes, texts, (steps, text) => {
        const search = new WordSearch()
        const added: string[] = []
        for (const { word, isAdded, other } of steps) {
          const [old] = isAdded ? [] : added.splice(other % Math.max(added.length, 1), 1)
          if (old === undefined) added.push(word)
          if (old === undefined) search.add(word)
          else search.delete(old)
          const shown = `${text}${word}c${old ?? ''}`
          expect(search.find(shown)).toEqual(findEach(shown, added))
        }
      }),
    )
  })

  it('finds a word until it is deleted as often as it was added', () => {
    const search = new WordSearch()
    search.add('0123456789')
    search.add('0123456789')
    search.delete('0123456789')
    expect(search.find('-0123456789-')).toEqual([{ start: 1, end: 11 }])
    search.delete('0123456789')
    search.delete('0123456789')
    expect(search.find('-0123456789-')).toEqual([])
    search.add('0123456789')
    expect(search.find('-0123456789-')).toEqual([{ start: 1, end: 11 }])
  })

  it('finds each of many words that end in the same characters, and of those that were not deleted', () => {
    const all = Array.from({ length: 5_000 }, (_, index) => `${index}-the-same-end`)
    const search = new WordSearch()
    for (const word of all) search.add(word)
    for (const word of all.slice(0, 4_999)) search.delete(word)
    expect(search.find(all.join(' '))).toHaveLength(1)
    for (const word of all.slice(0, 4_999)) search.add(word)
    expect(search.find(all.join(' '))).toHaveLength(5_000)
  })
})
