// Rank of the right tool by BM25 over name and description, for hosts that show a model only the tools that match a search.
import type { Tool } from '@modelcontextprotocol/client'
import { createSearch } from './search.ts'
import wishes from './wishes.json' with { type: 'json' }

/** Lowest rank at which a host still shows the right tool. */
export const goodRank = 3

export interface RankedWish {
  readonly tool: string
  readonly wish: string
  /** 1 for the first; beyond the last for a tool that has no word of the wish. */
  readonly rank: number
  /** The tools above it. */
  readonly above: readonly string[]
}

/** The rank of the right tool for every wish, among the tools of all servers. */
export function rankWishes(tools: readonly Tool[]): RankedWish[] {
  const search = createSearch(
    tools.map(({ name, description = '' }) => `${name} ${description}`),
    plainWords,
  )
  return Object.entries(wishes).flatMap(([tool, phrasings]) =>
    phrasings.map((wish) => {
      const found = search(wish).map(({ index }) => tools[index]?.name ?? '')
      const index = found.includes(tool) ? found.indexOf(tool) : tools.length
      return { tool, wish, rank: index + 1, above: found.slice(0, index) }
    }),
  )
}

/** Lower-case words and parts of names, exactly as written, as in a host that knows nothing about language. */
function plainWords(text: string): string[] {
  return (
    text
      .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[a-z]+/g) ?? []
  )
}
