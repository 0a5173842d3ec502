import { fileTypeOf, hasAnyType, literal } from './search.ts'

/** Parts of a query in Drive's language: https://developers.google.com/workspace/drive/api/guides/ref-search-terms */
export const syntaxPattern =
  /\b(?:name|title|fullText|mimeType)\s*(?:contains\b|!?=)\s*['"]|\b(?:modified|created|viewedByMe|sharedWithMe)(?:Time|Date)\s*[<>=]|['"][^'"]*['"]\s+in\s+(?:parents|owners|writers|readers)\b|\b(?:trashed|starred)\s*=|\bsharedWithMe\b/i
const connective = /\s*(and\b|or\b|not\b|[()])\s*/iy
const text = /'(?:[^'\\]|\\.)*'|"[^"]*"/.source
const clausePatterns = {
  text: new RegExp(`(name|title|fullText|mimeType)\\s*(contains\\b|!?=)\\s*(${text})`, 'iy'),
  time: new RegExp(`(modified|created|viewedByMe|sharedWithMe)(?:Time|Date)\\s*([<>]=?|!?=)\\s*(${text})`, 'iy'),
  in: new RegExp(`(${text})\\s+in\\s+(parents|owners|writers|readers)\\b`, 'iy'),
  flag: /(starred|sharedWithMe|trashed)\b(?:\s*=\s*(true|false))?/iy,
  other: /[^\s()]+(?:\s+(?!(?:and|or)\b)[^\s()]+)*/iy,
}
const names = ['name', 'fullText', 'mimeType', 'modified', 'created', 'viewedByMe', 'sharedWithMe', 'starred', 'trashed']
const momentPattern = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?)?$/

/** A query in Drive's own language. */
export interface QuerySyntax {
  /** The words to search for; undefined if the query contains none. */
  readonly words: string | undefined
  /** Conditions in Drive's language. */
  readonly conditions: readonly string[]
  /** A folder's id. */
  readonly folder: string | undefined
  /** The filters, as notices name them. */
  readonly filters: readonly string[]
  /** Clauses that cannot be applied. */
  readonly dropped: readonly string[]
}

interface Clause {
  readonly written: string
  /** The clause for Drive; undefined if it cannot be applied. */
  readonly condition?: string
  readonly words?: string
  readonly type?: string
  readonly folder?: string
}

/**
 * Reads a query in Drive's own language: words, types, a folder and other filters joined with `and`, or any expression of clauses that
 * Drive knows. `unreadable` for any other query in that language, undefined for plain words.
 */
export function readQuerySyntax(query: string): QuerySyntax | 'unreadable' | undefined {
  if (!syntaxPattern.test(query)) return undefined
  const tokens = tokenize(query)
  const clauses = tokens.filter((token) => typeof token !== 'string')
  if (!isExpression(tokens)) return 'unreadable'
  if (tokens.some((token) => typeof token === 'string' && token !== 'and')) {
    const parts = tokens.map((token) => (typeof token === 'string' ? token : token.condition))
    if (parts.includes(undefined)) return 'unreadable'
    const whole = `(${parts.join(' ')})`
    return { words: undefined, conditions: [whole], folder: undefined, filters: [`the condition ${whole}`], dropped: [] }
  }
  const words = clauses.flatMap((clause) => clause.words ?? [])
  const [folder] = clauses.flatMap((clause) => clause.folder ?? [])
  const isDropped = (clause: Clause) => clause.condition === undefined || (clause.folder ?? folder) !== folder
  const rest = clauses.filter(
    (clause) => !isDropped(clause) && clause.words === undefined && clause.folder === undefined && clause.condition !== 'trashed = false',
  )
  return {
    words: words.length > 0 ? words.join(' ') : undefined,
    conditions: rest.flatMap(({ condition, type }) => (type === undefined ? condition : hasAnyType([type])) ?? []),
    folder,
    filters: rest.map(({ type, condition }) => (type === undefined ? `the condition ${condition}` : `file_types ${type}`)),
    dropped: clauses.filter(isDropped).map(({ written }) => written),
  }
}

/** A timestamp in Drive's format; undefined otherwise. */
export function momentOf(written: string): string | undefined {
  if (!momentPattern.test(written) || Number.isNaN(Date.parse(written))) return undefined
  return written.includes('T') ? written : `${written}T00:00:00`
}

function tokenize(query: string): (Clause | string)[] {
  const tokens: (Clause | string)[] = []
  let at = 0
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at
    const match = pattern.exec(query)
    if (match) at = pattern.lastIndex
    return match ?? undefined
  }
  while (at < query.trimEnd().length) {
    const [, joined] = take(connective) ?? []
    if (joined === undefined) take(/\s+/y)
    tokens.push(joined?.toLowerCase() ?? nextClause(take))
  }
  return tokens
}

function nextClause(take: (pattern: RegExp) => RegExpExecArray | undefined): Clause {
  const clause = textClause(take(clausePatterns.text)) ?? timeClause(take(clausePatterns.time)) ?? inClause(take(clausePatterns.in))
  if (clause) return clause
  const [written = '', flag = '', value = 'true'] = take(clausePatterns.flag) ?? take(clausePatterns.other) ?? []
  const name = properName(flag)
  // A search never covers the trash.
  const isKnown = name !== undefined && (name !== 'trashed' || value.toLowerCase() === 'false')
  return { written, ...(isKnown && { condition: `${name} = ${value.toLowerCase()}` }) }
}

function textClause(match: RegExpExecArray | undefined): Clause | undefined {
  if (!match) return undefined
  const [written, field = '', sign = '', value = ''] = match
  const [name = '', plain] = [properName(field), plainText(value)]
  if (plain === '') return { written }
  const operator = name === 'fullText' ? 'contains' : sign.toLowerCase()
  const condition = `${name} ${operator} ${literal(plain)}`
  if (sign === '!=') return name === 'fullText' ? { written } : { written, condition }
  const type = name === 'mimeType' ? fileTypeOf(plain) : undefined
  // A type can cover MIME types beyond this one.
  const isKind = type !== undefined && hasAnyType([type]) === condition
  return { written, condition, ...(isKind && { type }), ...(name !== 'mimeType' && { words: plain }) }
}

function timeClause(match: RegExpExecArray | undefined): Clause | undefined {
  if (!match) return undefined
  const [written, field = '', operator = '', value = ''] = match
  const moment = momentOf(plainText(value))
  return { written, ...(moment !== undefined && { condition: `${properName(field)}Time ${operator} ${literal(moment)}` }) }
}

function inClause(match: RegExpExecArray | undefined): Clause | undefined {
  if (!match) return undefined
  const [written, value = '', collection = ''] = match
  const id = plainText(value)
  const condition = `${literal(id)} in ${collection.toLowerCase()}`
  if (!/^parents$/i.test(collection)) return { written, condition }
  return /^[\w-]+$/.test(id) ? { written, condition, folder: id } : { written }
}

function properName(written: string): string | undefined {
  return names.find((name) => name.toLowerCase() === written.toLowerCase().replace('title', 'name'))
}

function plainText(quoted: string): string {
  return quoted
    .slice(1, -1)
    .replace(quoted.startsWith("'") ? /\\(.)/g : /$^/, '$1')
    .trim()
}

/** True if clauses, operators and brackets form one expression. */
function isExpression(tokens: readonly (Clause | string)[]): boolean {
  let shape = tokens.map((token) => (typeof token === 'string' ? token : 'x')).join(' ')
  for (let before = ''; before !== shape;) {
    before = shape
    shape = shape.replace(/\bnot x\b|\( x \)|\bx (?:and|or) x\b/g, 'x')
  }
  return shape === 'x'
}
