import { invalid } from '../refusals.ts'

/** A piece of a query. */
export type Token =
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'word'; readonly value: string }
  | { readonly kind: 'sign'; readonly value: string }

const blank = /\s+/y
const word = /[A-Za-z]+/y
const sign = /<=|>=|!=|[=<>()]/y
// Between quotes a backslash stands before a quote or a backslash, and nowhere else.
const text = /'((?:[^'\\]|\\['\\])*)'/y

/** Cuts a query into its tokens. */
export function tokensOf(query: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at
    const match = pattern.exec(query)
    if (match) at = pattern.lastIndex
    return match
  }
  while (at < query.length) {
    if (take(blank)) continue
    const quoted = take(text)
    if (quoted) {
      tokens.push({ kind: 'text', value: (quoted[1] ?? '').replace(/\\(['\\])/g, '$1') })
      continue
    }
    const plain = take(word)
    const [value] = plain ?? take(sign) ?? []
    if (value === undefined) throw invalid('q')
    tokens.push({ kind: plain ? 'word' : 'sign', value })
  }
  return tokens
}
