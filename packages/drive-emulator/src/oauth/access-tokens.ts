import { createHash, timingSafeEqual } from 'node:crypto'
import { badToken, noToken, scopeMissing } from '../errors.ts'

/** What a token may do, without the part that all scopes share. */
export type Scope = 'drive' | 'drive.readonly' | 'drive.file'

/** Who calls: always the same person, through tokens of different reach. */
export interface Caller {
  readonly scopes: readonly Scope[]
  /** Whether only items count that this app made or was given. */
  readonly onlyGranted: boolean
}

/** What opens the API. */
export interface TokenRegistry {
  /** Tokens that are accepted from the start, each with its scopes. */
  readonly fixed: ReadonlyMap<string, readonly string[]>
  /** The scopes of a token that somebody granted, if it is good. */
  readonly granted: (token: string) => readonly string[] | undefined
}

const scopePrefix = 'https://www.googleapis.com/auth/'
const knownScopes = ['drive', 'drive.readonly', 'drive.file'] as const

/** Recognises an access token: https://developers.google.com/workspace/drive/api/guides/api-specific-auth. */
export function identify(authorization: string | null, tokens: TokenRegistry): Caller {
  if (authorization === null) throw noToken()
  let found: readonly string[] | undefined
  for (const [token, scopes] of tokens.fixed) {
    // Every token is compared in full, so that the time taken tells nothing.
    if (isSameSecret(authorization, `Bearer ${token}`)) found = scopes
  }
  const [, token] = /^Bearer (.+)$/.exec(authorization) ?? []
  found ??= token === undefined ? undefined : tokens.granted(token)
  if (found === undefined) throw badToken()
  return callerWithScopes(found)
}

/** A caller with these scopes, short or in full. */
export function callerWithScopes(names: readonly string[]): Caller {
  const short = names.map((name) => (name.startsWith(scopePrefix) ? name.slice(scopePrefix.length) : name))
  const scopes = knownScopes.filter((scope) => short.includes(scope))
  return { scopes, onlyGranted: !scopes.includes('drive') && !scopes.includes('drive.readonly') }
}

const isSameSecret = (given: string, wanted: string) => timingSafeEqual(sha256(given), sha256(wanted))
const sha256 = (value: string) => createHash('sha256').update(value).digest()

/** What an endpoint asks of a token. */
export const readScopes = ['drive', 'drive.readonly', 'drive.file'] as const
export const writeScopes = ['drive', 'drive.file'] as const
export const driveReadScopes = ['drive', 'drive.readonly'] as const

/** Refuses a caller that has none of the scopes. */
export function checkScope({ scopes }: Caller, wanted: readonly Scope[]): void {
  if (!wanted.some((scope) => scopes.includes(scope))) throw scopeMissing()
}

/** The one scope that goes with the picker. */
export const pickerScope = `${scopePrefix}drive.file`

/** What may be asked for, in words for the page of consent. */
const scopeDescriptions: ReadonlyMap<string, string> = new Map([
  [`${scopePrefix}drive`, 'See, edit, create and delete all files of your drive'],
  [`${scopePrefix}drive.readonly`, 'See and download all files of your drive'],
  [pickerScope, 'See, edit, create and delete only the files that you use with it'],
  ['openid', 'Know who you are'],
  [`${scopePrefix}userinfo.email`, 'See your e-mail address'],
  [`${scopePrefix}userinfo.profile`, 'See your name and picture'],
])

const toFullScope: ReadonlyMap<string, string> = new Map([
  ['email', `${scopePrefix}userinfo.email`],
  ['profile', `${scopePrefix}userinfo.profile`],
])

/** A scope as the page of consent shows it. */
export const describeScope = (scope: string): string => scopeDescriptions.get(scope) ?? scope

/** Whether a person may leave a scope out: all but those by which Google only knows them. */
export const isOptionalScope = (scope: string): boolean => scope.startsWith(`${scopePrefix}drive`)

/** The scopes of a list with blanks, in full; or the first one that does not exist here. */
export function parseScopes(list: string): { readonly scopes: readonly string[] } | { readonly unknown: string } {
  const wanted = list.split(/ +/).filter((scope) => scope !== '')
  const scopes = wanted.map((scope) => toFullScope.get(scope) ?? scope)
  const unknown = scopes.find((scope) => !scopeDescriptions.has(scope))
  return unknown === undefined ? { scopes: [...new Set(scopes)] } : { unknown }
}
