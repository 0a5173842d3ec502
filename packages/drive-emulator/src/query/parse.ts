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

/** What a query asks: https://developers.google.com/workspace/drive/api/guides/ref-search-terms. */
export type Query =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Query[] }
  | { readonly kind: 'not'; readonly part: Query }
  | { readonly kind: 'text'; readonly field: TextField; readonly operator: string; readonly value: string }
  | { readonly kind: 'moment'; readonly field: MomentField; readonly operator: string; readonly value: string }
  | { readonly kind: 'flag'; readonly field: FlagField; readonly value: boolean }
  | { readonly kind: 'in'; readonly collection: Collection; readonly value: string }

const textFields = { name: ['=', '!=', 'contains'], fullText: ['contains'], mimeType: ['=', '!=', 'contains'] } as const
const momentFields = ['modifiedTime', 'createdTime', 'viewedByMeTime'] as const
const flagFields = ['trashed', 'starred', 'sharedWithMe'] as const
const collections = ['parents', 'owners', 'writers', 'readers'] as const

export type TextField = keyof typeof textFields
export type MomentField = (typeof momentFields)[number]
export type FlagField = (typeof flagFields)[number]
export type Collection = (typeof collections)[number]

/** Deeper queries are refused before they exhaust the stack. */
const deepest = 100

interface Reader {
  /** Takes the next token if it is this word or sign. */
  readonly skip: (value: string) => boolean
  readonly next: () => Token
  readonly isAtEnd: () => boolean
}

/** Reads a query; what is not in the grammar is refused. */
export function parseQuery(query: string): Query {
  const tokens = readerOf(tokensOf(query))
  const parsed = either(tokens, 0)
  if (!tokens.isAtEnd()) throw invalid('q')
  return parsed
}

function readerOf(tokens: readonly Token[]): Reader {
  let at = 0
  return {
    skip(value) {
      const token = tokens[at]
      const fits = token !== undefined && token.kind !== 'text' && token.value === value
      if (fits) at += 1
      return fits
    },
    next() {
      const token = tokens[at]
      if (token === undefined) throw invalid('q')
      at += 1
      return token
    },
    isAtEnd: () => at === tokens.length,
  }
}

function either(tokens: Reader, depth: number): Query {
  if (depth > deepest) throw invalid('q', 'The query is too complex.')
  const parts = [all(tokens, depth)]
  while (tokens.skip('or')) parts.push(all(tokens, depth))
  return combined('or', parts)
}

function all(tokens: Reader, depth: number): Query {
  const parts = [negated(tokens, depth)]
  while (tokens.skip('and')) parts.push(negated(tokens, depth))
  return combined('and', parts)
}

function combined(kind: 'and' | 'or', parts: readonly Query[]): Query {
  const [first] = parts
  return parts.length === 1 && first !== undefined ? first : { kind, parts }
}

function negated(tokens: Reader, depth: number): Query {
  if (depth > deepest) throw invalid('q', 'The query is too complex.')
  if (tokens.skip('not')) return { kind: 'not', part: negated(tokens, depth + 1) }
  if (!tokens.skip('(')) return term(tokens)
  const inner = either(tokens, depth + 1)
  if (!tokens.skip(')')) throw invalid('q')
  return inner
}

function term(tokens: Reader): Query {
  const first = tokens.next()
  if (first.kind === 'text') {
    if (!tokens.skip('in')) throw invalid('q')
    return { kind: 'in', collection: oneOf(collections, tokens.next()), value: first.value }
  }
  if (first.value === 'sharedWithMe') return flag(tokens, 'sharedWithMe')
  if (isTextField(first.value)) {
    const operator = oneOf(textFields[first.value], tokens.next())
    return { kind: 'text', field: first.value, operator, value: textIn(tokens) }
  }
  const moment = momentFields.find((name) => name === first.value)
  if (moment !== undefined) {
    const operator = oneOf(['=', '!=', '<', '<=', '>', '>='], tokens.next())
    return { kind: 'moment', field: moment, operator, value: momentIn(tokens) }
  }
  return flag(tokens, oneOf(flagFields, first))
}

const isTextField = (value: string): value is TextField => Object.hasOwn(textFields, value)

/** `sharedWithMe` may stand alone; the others are compared. */
function flag(tokens: Reader, field: FlagField): Query {
  const isEqual = tokens.skip('=')
  if (!isEqual && !tokens.skip('!=')) {
    if (field !== 'sharedWithMe') throw invalid('q')
    return { kind: 'flag', field, value: true }
  }
  const value = oneOf(['true', 'false'], tokens.next()) === 'true'
  return { kind: 'flag', field, value: value === isEqual }
}

function oneOf<T extends string>(wanted: readonly T[], { kind, value }: Token): T {
  const found = kind === 'text' ? undefined : wanted.find((each) => each === value)
  if (found === undefined) throw invalid('q')
  return found
}

function textIn(tokens: Reader): string {
  const { kind, value } = tokens.next()
  if (kind !== 'text') throw invalid('q')
  return value
}

/** RFC 3339, in UTC unless it says otherwise. */
function momentIn(tokens: Reader): string {
  const given = textIn(tokens)
  const match = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(Z|[+-]\d\d:\d\d)?$/.exec(given)
  const moment = match === null ? NaN : Date.parse(match[1] === undefined ? `${given}Z` : given)
  if (Number.isNaN(moment)) throw invalid('q')
  return new Date(moment).toISOString()
}
