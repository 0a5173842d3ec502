const base = 'https://www.googleapis.com/auth/'

/** The one scope that goes with the picker. */
export const pickerScope = `${base}drive.file`

/** What may be asked for, in words for the page of consent. */
const scopeWords: ReadonlyMap<string, string> = new Map([
  [`${base}drive`, 'See, edit, create and delete all files of your drive'],
  [`${base}drive.readonly`, 'See and download all files of your drive'],
  [pickerScope, 'See, edit, create and delete only the files that you use with it'],
  ['openid', 'Know who you are'],
  [`${base}userinfo.email`, 'See your e-mail address'],
  [`${base}userinfo.profile`, 'See your name and picture'],
])

const inFull: ReadonlyMap<string, string> = new Map([
  ['email', `${base}userinfo.email`],
  ['profile', `${base}userinfo.profile`],
])

/** A scope as the page of consent shows it. */
export const wordsFor = (scope: string): string => scopeWords.get(scope) ?? scope

/** Whether a person may leave a scope out: all but those by which Google only knows them. */
export const isOptional = (scope: string): boolean => scope.startsWith(`${base}drive`)

/** The scopes of a list with blanks, in full; or the first one that does not exist here. */
export function parseScopes(list: string): { readonly scopes: readonly string[] } | { readonly unknown: string } {
  const wanted = list.split(/ +/).filter((scope) => scope !== '')
  const scopes = wanted.map((scope) => inFull.get(scope) ?? scope)
  const unknown = scopes.find((scope) => !scopeWords.has(scope))
  return unknown === undefined ? { scopes: [...new Set(scopes)] } : { unknown }
}
