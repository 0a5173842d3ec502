/** A literal in Drive's search language; the only way in which a text enters a query. https://developers.google.com/workspace/drive/api/guides/search-files */
export function literal(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

/** Conditions of which all must hold. */
export function every(...conditions: readonly (string | undefined)[]): string {
  return conditions.filter((condition) => condition !== undefined).join(' and ')
}

/** Conditions of which one must hold. */
export function some(conditions: readonly string[]): string {
  return conditions.length === 1 ? conditions.join('') : `(${conditions.join(' or ')})`
}

export const notTrashed = 'trashed = false'

export function inFolder(folder: string): string {
  return `${literal(folder)} in parents`
}

export function named(names: readonly string[]): string {
  return some(names.map((name) => `name = ${literal(name)}`))
}

/** Items whose name or content has the words; words in double quotes are a phrase, and a quote without its twin is dropped. */
export function matching(words: string): string {
  const balanced = words.split('"').length % 2 === 1 ? words : words.replaceAll('"', ' ')
  const term = balanced.trim()
  return some([`name contains ${literal(term.replaceAll('"', ''))}`, `fullText contains ${literal(term)}`])
}

/** Longest query that is sent, as it stands in the URL: request lines over 8 KB are refused on the way. */
const longest = 6_000

export function fitsIntoUrl(query: string): boolean {
  return encodeURIComponent(query).length <= longest
}
