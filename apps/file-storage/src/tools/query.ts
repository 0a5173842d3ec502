import { joinWords, quote } from '@mcp-toolkits/core/errors'
import { momentOf, type QuerySyntax, readQuerySyntax } from '../drive/listings/query-syntax.ts'
import { fileTypeOf, fileTypes, hasAnyType, literal } from '../drive/listings/search.ts'
import { fileTypeSynonyms } from '../vocabulary/values.ts'

/** `-draft` and `NOT draft`, as in other search languages. */
const operators = /(?:^|\s)-\p{L}|\b(?:NOT|AND|OR)\b|\s\|{1,2}\s|&&/u
/** `type:pdf`, `owner:me`, `before:2026-01-01`. */
const filters =
  /(?:^|[\s(-])(?:(?:file|mime)?_?type|ext(?:ension)?|owner|creator|from|to|in|is|has|title|name|folder|parent|drive|size|date|before|after|since|modified|created|updated|shared(?:with)?|starred|trashed)[:=<>]\S/i
/** Words that describe a file rather than occur in it. */
const descriptions =
  /\b(?:not|without|except|excluding)\s|\b(?:today|yesterday|(?:last|this|past) (?:day|week|month|year))\b|\b(?:modified|changed|created|updated|owned|shared) (?:by|before|after|since|on|in|with)\b|\b(?:before|after|since) \d/i
const plainWordsNotice =
  'query was read as plain words: operators ("-", NOT, AND, OR) have no meaning, and words cannot exclude files or filter by date, owner or state. For a type, pass file_types; for a folder, folder_path_or_id; for a shared drive, shared_drive_id.'

interface SearchMeaning extends Pick<QuerySyntax, 'words' | 'conditions' | 'folder'> {
  /** A sentence on how the query was read, if it is not just words. */
  readonly reading?: string
  /** The notice on words that may be meant as operators or filters; it depends on whether the search finds anything. */
  readonly filterNotice: (isEmpty: boolean) => string | undefined
}

/** Reads a query: words, Google Drive's own language, or other searches' filters and wildcards. */
export function readQuery(query: string, folder: string | undefined): SearchMeaning {
  const syntax = readQuerySyntax(query)
  const filterNotice = () => undefined
  if (syntax === undefined) return readPlainQuery(query, folder)
  if (syntax === 'unreadable') {
    const reading =
      "The query looks like Google Drive's own syntax, but was searched for as plain words. Pass only words; use file_types and folder_path_or_id for the rest."
    return { words: query, conditions: [], folder, reading, filterNotice }
  }
  const isOther = folder !== undefined && syntax.folder !== undefined && folder !== syntax.folder
  const meaning = [
    syntax.words === undefined ? 'any words' : `the words ${JSON.stringify(syntax.words)}`,
    ...syntax.filters,
    ...(syntax.folder === undefined || isOther ? [] : [`folder_path_or_id ${syntax.folder}`]),
  ]
  const dropped = [...syntax.dropped, ...(isOther ? [`'${syntax.folder}' in parents`] : [])]
  const place = syntax.words === undefined ? '' : ', in names and contents'
  return {
    words: syntax.words,
    conditions: syntax.conditions,
    folder: folder ?? syntax.folder,
    reading: `The query is in Google Drive's own syntax; it was read as ${joinWords(meaning)}${place}.${leftOut(dropped)}`,
    filterNotice,
  }
}

function leftOut(clauses: readonly string[]): string {
  return clauses.length === 0 ? '' : ` Left out: ${joinWords(clauses.map((clause) => quote(clause, 80)))}.`
}

/** Reads words with filters that a search can apply, and with wildcards; what remains is searched for as words. */
function readPlainQuery(query: string, folder: string | undefined): SearchMeaning {
  const found: string[] = []
  const conditions: string[] = []
  const bare = query.replace(/(?<!\S)(?:(\w+):|\*\.)([^\s:"]+)(?!\S)/g, (written, name: string | undefined, value: string) => {
    const condition = filterOf(name?.toLowerCase().replace('_', '') ?? 'ext', value)
    if (condition === undefined) return written
    found.push(written)
    conditions.push(condition)
    return ''
  })
  const isWild = query.includes('*')
  const words = isWild ? bare.replace(/\*+\.?|\.?\*+/g, ' ') : bare
  if (found.length === 0 && !isWild)
    return {
      words: query,
      conditions,
      folder,
      filterNotice: (isEmpty) => noticeOn(query, isEmpty && descriptions.test(query)),
    }
  const text = /[^\s"]/.test(words) ? words.trim().replace(/\s+/g, ' ') : undefined
  const meaning = [
    text === undefined ? 'any words' : `the words ${JSON.stringify(text)}`,
    ...conditions.map((each) => `the condition ${each}`),
  ]
  const notice = text === undefined ? undefined : noticeOn(text)
  const rest = notice === undefined ? '' : ` ${notice}`
  const wild = isWild && text !== undefined ? ' "*" is not a wildcard: names match from the beginning of a word.' : ''
  return {
    words: text,
    conditions,
    folder,
    reading: `query was read as ${joinWords(meaning)}.${wild}${rest}`,
    filterNotice: () => undefined,
  }
}

/** The notice on words with operators or filters, with the searches to make instead of the operators. */
function noticeOn(query: string, isDescription = false): string | undefined {
  if (!operators.test(query) && !filters.test(query) && !isDescription) return undefined
  const excluded = [...query.matchAll(/(?<!\S)(?:-|(?:AND\s+)?NOT\s+)("[^"]*"|[^\s()]+)/g)].map(([, word = '']) => word)
  const terms = query
    .replace(/(?<!\S)(?:-|(?:AND\s+)?NOT\s+)(?:"[^"]*"|[^\s()]+)/g, '')
    .replace(/\bAND\b|&&|[()]/g, ' ')
    .replace(/\s+/g, ' ')
    .split(/ (?:OR|\|\|?) /)
    .map((term) => term.trim())
    .filter((term) => term !== '')
  if (!operators.test(query) || terms.length === 0) return plainWordsNotice
  const calls = terms.map((term) => JSON.stringify({ query: term })).join(', then ')
  const out = excluded.length > 0 ? ` Leave out results with ${joinWords(excluded, 'or')} yourself.` : ''
  return `${plainWordsNotice} Instead, search for each term alone: ${calls}.${out}`
}

/** The condition for a filter in another search's syntax; undefined if Drive's search has no such filter. */
function filterOf(name: string, value: string): string | undefined {
  const text = value.toLowerCase()
  if (/^(?:file|mime)?type$|^ext(?:ension)?$/.test(name)) {
    const type =
      fileTypes.find((each) => each === text) ?? (Object.hasOwn(fileTypeSynonyms, text) ? fileTypeSynonyms[text] : fileTypeOf(text))
    return type === undefined ? undefined : hasAnyType([type])
  }
  if (name === 'owner' && (text === 'me' || text.includes('@'))) return `${literal(text)} in owners`
  if (name === 'is' && text === 'starred') return 'starred = true'
  const moment = momentOf(value)
  if (moment === undefined || !/^(?:before|after|since)$/.test(name)) return undefined
  return `modifiedTime ${name === 'before' ? '<' : '>='} ${literal(moment)}`
}
