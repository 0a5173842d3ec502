import { hash } from 'node:crypto'
import { parseJson } from '@mcp-toolkits/emulator'
import { invalidValue } from './errors.ts'
import type { Params } from './parameters.ts'

/** End of a page: the sort values of its last row. */
export type PagePosition = readonly (string | number)[]

const tokenPrefix = '~!!~'

/** Creates a token for the rows after a position. `list` identifies the query. */
export function createPageToken(list: string, place: PagePosition): string {
  return tokenPrefix + Buffer.from(JSON.stringify([hash('sha256', list).slice(0, 16), ...place])).toString('base64url')
}

/** The position in a token; empty for the first page. Throws for a token from a different query. */
export function readPageToken(token: string | undefined, list: string): PagePosition {
  if (token === undefined) return []
  const json: unknown = token.startsWith(tokenPrefix)
    ? parseJson(Buffer.from(token.slice(tokenPrefix.length), 'base64url').toString())
    : undefined
  const parts: unknown[] = Array.isArray(json) ? json : []
  const [of, ...place] = parts
  const isPlace = place.every((value) => typeof value === 'string' || typeof value === 'number')
  if (of !== hash('sha256', list).slice(0, 16) || !isPlace || place.length === 0) throw invalidValue('pageToken')
  return place.filter((value) => typeof value === 'string' || typeof value === 'number')
}

/** One page of a list that has been read whole, and the token for the next one, if any. */
export function pageOf<T>({ params }: { readonly params: Params }, all: readonly T[], { list, size }: { list: string; size: number }) {
  const start = Number(readPageToken(params.text('pageToken'), list)[0] ?? 0)
  const end = start + size
  return { shown: all.slice(start, end), next: end < all.length && { nextPageToken: createPageToken(list, [end]) } }
}
