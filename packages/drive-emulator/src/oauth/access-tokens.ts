import { createHash, timingSafeEqual } from 'node:crypto'
import { badToken, noToken, scopeMissing } from '../errors.ts'

/** A scope of Drive without the URL prefix. */
export type Scope = 'drive' | 'drive.readonly' | 'drive.file'

/** The caller: always the same person, with the scopes of the token. */
export interface Caller {
  readonly scopes: readonly Scope[]
  /** Whether the caller sees only items that the app created or was given. */
  readonly onlyGranted: boolean
}

/** The access tokens that the API accepts. */
export interface TokenRegistry {
  /** Tokens that are accepted from the start, each with its scopes. */
  readonly fixed: ReadonlyMap<string, readonly string[]>
  /** The scopes of a token issued by OAuth; undefined if it is not valid. */
  readonly scopesOf: (token: string) => readonly string[] | undefined
}

const scopePrefix = 'https://www.googleapis.com/auth/'
const knownScopes = ['drive', 'drive.readonly', 'drive.file'] as const

/** Authenticates a request: https://developers.google.com/workspace/drive/api/guides/api-specific-auth. */
export function identify(authorization: string | null, tokens: TokenRegistry): Caller {
  if (authorization === null) throw noToken()
  let found: readonly string[] | undefined
  for (const [token, scopes] of tokens.fixed) {
    // Compare every token in full so that timing reveals nothing.
    if (isSameSecret(authorization, `Bearer ${token}`)) found = scopes
  }
  const [, token] = /^Bearer (.+)$/.exec(authorization) ?? []
  found ??= token === undefined ? undefined : tokens.scopesOf(token)
  if (found === undefined) throw badToken()
  return callerWithScopes(found)
}

/** A caller with these scopes, with or without the URL prefix. */
export function callerWithScopes(names: readonly string[]): Caller {
  const short = names.map((name) => (name.startsWith(scopePrefix) ? name.slice(scopePrefix.length) : name))
  const scopes = knownScopes.filter((scope) => short.includes(scope))
  return { scopes, onlyGranted: !scopes.includes('drive') && !scopes.includes('drive.readonly') }
}

const isSameSecret = (given: string, wanted: string) => timingSafeEqual(sha256(given), sha256(wanted))
const sha256 = (value: string) => createHash('sha256').update(value).digest()

/** Scopes that endpoints accept. */
export const readScopes = ['drive', 'drive.readonly', 'drive.file'] as const
export const writeScopes = ['drive', 'drive.file'] as const
export const driveReadScopes = ['drive', 'drive.readonly'] as const

/** Throws if the caller has none of these scopes. */
export function checkScope({ scopes }: Caller, wanted: readonly Scope[]): void {
  if (!wanted.some((scope) => scopes.includes(scope))) throw scopeMissing()
}

/** The only scope that a picker request may have. */
export const pickerScope = `${scopePrefix}drive.file`

/** Scopes as the consent page describes them. */
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

/** The description of a scope for the consent page. */
export const describeScope = (scope: string): string => scopeDescriptions.get(scope) ?? scope

/** Whether a person may deselect a scope; the profile scopes are always granted. */
export const isOptionalScope = (scope: string): boolean => scope.startsWith(`${scopePrefix}drive`)

/** Parses a space-separated list of scopes; returns the first unknown one if there is any. */
export function parseScopes(list: string): { readonly scopes: readonly string[] } | { readonly unknown: string } {
  const wanted = list.split(/ +/).filter((scope) => scope !== '')
  const scopes = wanted.map((scope) => toFullScope.get(scope) ?? scope)
  const unknown = scopes.find((scope) => !scopeDescriptions.has(scope))
  return unknown === undefined ? { scopes: [...new Set(scopes)] } : { unknown }
}
