import { invalidValue } from '../http/errors.ts'

/** A piece of a query. */
interface Token {
  readonly kind: 'text' | 'word' | 'sign'
  readonly value: string
}

const blankPattern = /\s+/y
const wordPattern = /[A-Za-z]+/y
const operatorPattern = /<=|>=|!=|[=<>(){}]/y
// In quotes, a backslash may stand only before a quote or a backslash.
const text = /'((?:[^'\\]|\\['\\])*)'/y

function tokenize(query: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at
    const match = pattern.exec(query)
    if (match) at = pattern.lastIndex
    return match
  }
  while (at < query.length) {
    if (take(blankPattern)) continue
    const quoted = take(text)
    if (quoted) {
      tokens.push({ kind: 'text', value: (quoted[1] ?? '').replace(/\\(['\\])/g, '$1') })
      continue
    }
    const plain = take(wordPattern)
    const [value] = plain ?? take(operatorPattern) ?? []
    if (value === undefined) throw invalidValue('q')
    tokens.push({ kind: plain ? 'word' : 'sign', value })
  }
  return tokens
}

/** A parsed query: https://developers.google.com/workspace/drive/api/guides/ref-search-terms. */
export type Query =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Query[] }
  | { readonly kind: 'not'; readonly part: Query }
  | { readonly kind: 'text'; readonly field: TextField; readonly operator: string; readonly value: string }
  | { readonly kind: 'moment'; readonly field: MomentField; readonly operator: string; readonly value: string }
  | { readonly kind: 'flag'; readonly field: FlagField; readonly value: boolean }
  | { readonly kind: 'in'; readonly collection: Collection; readonly value: string }
  | { readonly kind: 'property'; readonly field: PropertyField; readonly key: string; readonly value: string }
  | { readonly kind: 'visibility'; readonly operator: string; readonly value: Visibility }

const textFields = { name: ['=', '!=', 'contains'], fullText: ['contains'], mimeType: ['=', '!=', 'contains'] } as const
const momentFields = ['modifiedTime', 'createdTime', 'viewedByMeTime'] as const
const flagFields = ['trashed', 'starred', 'sharedWithMe'] as const
const collections = ['parents', 'owners', 'writers', 'readers'] as const
const propertyFields = ['properties', 'appProperties'] as const
const visibilities = ['anyoneCanFind', 'anyoneWithLink', 'domainCanFind', 'domainWithLink', 'limited'] as const

type TextField = keyof typeof textFields
type MomentField = (typeof momentFields)[number]
export type FlagField = (typeof flagFields)[number]
export type Collection = (typeof collections)[number]
type PropertyField = (typeof propertyFields)[number]
type Visibility = (typeof visibilities)[number]

/** Deeper queries are refused before they exhaust the stack. */
const maxDepth = 100

/** Parses a query. Throws for anything outside the grammar. */
export function parseQuery(query: string): Query {
  const tokens = createReader(tokenize(query))
  const parsed = parseOr(tokens, 0)
  if (!tokens.isAtEnd()) throw invalidValue('q')
  return parsed
}

type Reader = ReturnType<typeof createReader>

function createReader(tokens: readonly Token[]) {
  let at = 0
  return {
    /** Takes the next token if it is this word or symbol. */
    skip(value: string) {
      const token = tokens[at]
      const fits = token !== undefined && token.kind !== 'text' && token.value === value
      if (fits) at += 1
      return fits
    },
    next() {
      const token = tokens[at]
      if (token === undefined) throw invalidValue('q')
      at += 1
      return token
    },
    isAtEnd: () => at === tokens.length,
  }
}

function parseOr(tokens: Reader, depth: number): Query {
  if (depth > maxDepth) throw invalidValue('q', 'The query is too complex.')
  const parts = [parseAnd(tokens, depth)]
  while (tokens.skip('or')) parts.push(parseAnd(tokens, depth))
  return combine('or', parts)
}

function parseAnd(tokens: Reader, depth: number): Query {
  const parts = [parseNot(tokens, depth)]
  while (tokens.skip('and')) parts.push(parseNot(tokens, depth))
  return combine('and', parts)
}

function combine(kind: 'and' | 'or', parts: readonly Query[]): Query {
  const [first] = parts
  return parts.length === 1 && first !== undefined ? first : { kind, parts }
}

function parseNot(tokens: Reader, depth: number): Query {
  if (depth > maxDepth) throw invalidValue('q', 'The query is too complex.')
  if (tokens.skip('not')) return { kind: 'not', part: parseNot(tokens, depth + 1) }
  if (!tokens.skip('(')) return parseTerm(tokens)
  const inner = parseOr(tokens, depth + 1)
  if (!tokens.skip(')')) throw invalidValue('q')
  return inner
}

function parseTerm(tokens: Reader): Query {
  const first = tokens.next()
  if (first.kind === 'text') {
    if (!tokens.skip('in')) throw invalidValue('q')
    return { kind: 'in', collection: expectOneOf(collections, tokens.next()), value: first.value }
  }
  if (first.value === 'sharedWithMe') return expectFlag(tokens, 'sharedWithMe')
  if (isTextField(first.value)) {
    const operator = expectOneOf(textFields[first.value], tokens.next())
    return { kind: 'text', field: first.value, operator, value: expectText(tokens) }
  }
  const moment = momentFields.find((name) => name === first.value)
  if (moment !== undefined) {
    const operator = expectOneOf(['=', '!=', '<', '<=', '>', '>='], tokens.next())
    return { kind: 'moment', field: moment, operator, value: expectMoment(tokens) }
  }
  const properties = propertyFields.find((name) => name === first.value)
  if (properties !== undefined) return expectProperty(tokens, properties)
  if (first.value === 'visibility') return expectVisibility(tokens)
  return expectFlag(tokens, expectOneOf(flagFields, first))
}

/** `has { key='a' and value='b' }`. Drive refuses a key alone, although its guide shows one. */
function expectProperty(tokens: Reader, field: PropertyField): Query {
  for (const word of ['has', '{', 'key', '=']) expectOneOf([word], tokens.next())
  const key = expectText(tokens)
  for (const word of ['and', 'value', '=']) expectOneOf([word], tokens.next())
  const value = expectText(tokens)
  expectOneOf(['}'], tokens.next())
  return { kind: 'property', field, key, value }
}

function expectVisibility(tokens: Reader): Query {
  const operator = expectOneOf(['=', '!='], tokens.next())
  const wanted = expectText(tokens)
  const value = visibilities.find((each) => each === wanted)
  if (value === undefined) throw invalidValue('q')
  return { kind: 'visibility', operator, value }
}

const isTextField = (value: string): value is TextField => Object.hasOwn(textFields, value)

/** `sharedWithMe` may stand alone; the other flags need a comparison. */
function expectFlag(tokens: Reader, field: FlagField): Query {
  const isEqual = tokens.skip('=')
  if (!isEqual && !tokens.skip('!=')) {
    if (field !== 'sharedWithMe') throw invalidValue('q')
    return { kind: 'flag', field, value: true }
  }
  const value = expectOneOf(['true', 'false'], tokens.next()) === 'true'
  return { kind: 'flag', field, value: value === isEqual }
}

function expectOneOf<T extends string>(allowed: readonly T[], { kind, value }: Token): T {
  const found = kind === 'text' ? undefined : allowed.find((each) => each === value)
  if (found === undefined) throw invalidValue('q')
  return found
}

function expectText(tokens: Reader): string {
  const { kind, value } = tokens.next()
  if (kind !== 'text') throw invalidValue('q')
  return value
}

/** Reads an RFC 3339 time, in UTC unless it says otherwise. */
function expectMoment(tokens: Reader): string {
  const value = expectText(tokens)
  const match = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(Z|[+-]\d\d:\d\d)?$/.exec(value)
  const moment = match === null ? NaN : Date.parse(match[1] === undefined ? `${value}Z` : value)
  if (Number.isNaN(moment)) throw invalidValue('q')
  return new Date(moment).toISOString()
}
