import { hash } from 'node:crypto'
import { parseJson } from '@mcp-toolkits/emulator'
import { invalidParameter, invalidValue } from './errors.ts'

/** The parameters of a request. */
export interface Params {
  readonly text: (name: string) => string | undefined
  /** True or false, false when absent. */
  readonly flag: (name: string, absent?: boolean) => boolean
  readonly whole: (name: string, range: { readonly usual: number; readonly largest: number }) => number
}

export function parseParams({ searchParams }: URL): Params {
  // rclone sends empty parameters; they count as absent.
  const text = (name: string) => {
    const value = searchParams.get(name)
    return value === null || value === '' ? undefined : value
  }
  return {
    text,
    flag(name, absent = false) {
      const value = text(name)
      if (value === undefined) return absent
      if (value !== 'true' && value !== 'false') throw invalidParameter(name, `Invalid value '${value}'. Allowed values are: [true, false]`)
      return value === 'true'
    },
    whole(name, { usual, largest }) {
      const value = text(name)
      if (value === undefined) return usual
      const number = /^\d{1,9}$/.test(value) ? Number(value) : 0
      if (number < 1 || number > largest)
        throw invalidParameter(name, `Invalid value '${value}'. Values must be within the range: [1, ${largest}]`)
      return number
    },
  }
}

/** Where a page ended: the sort values of its last row. */
export type PagePosition = readonly (string | number)[]

const tokenPrefix = '~!!~'

/** Creates a token for the rows after a position. `list` identifies the query. */
export function createPageToken(list: string, place: PagePosition): string {
  return tokenPrefix + Buffer.from(JSON.stringify([hash('sha256', list).slice(0, 16), ...place])).toString('base64url')
}

/** The position in a token; empty for the first page. Throws for a token of another query. */
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
