import { type ExpiringRecords, parseJson, stringMember } from '@mcp-toolkits/core/base'
import { digest, isSameToken, randomToken } from '../connect/connect-records.ts'
import type { AttemptProblem, Cookies } from '../connect/browser-state.ts'
import { lifetimes } from './tokens/lifetimes.ts'
import { recordKey } from './storage.ts'

/** One browser's visit to the identity provider for one authorization request. */
export interface SignIn {
  /** The id of the authorization request. */
  readonly interaction: string
  readonly verifier: string
  readonly nonce: string
}

/** Current visits. Each is bound to its browser by a cookie and counts once. */
export interface SignInRecords {
  /** Resolves with the header that binds the browser to the visit. */
  readonly begin: (state: string, signIn: SignIn) => Promise<string>
  /** Changes nothing for an invalid return. */
  readonly take: (request: Request, state: string) => Promise<SignIn | AttemptProblem>
  /** The header that removes an ended visit's cookie. */
  readonly clear: (state: string) => string
}

/** Prefix of sign-in states: the states of connect attempts, which return to the same address, lack it. */
const prefix = 'oauth.'

export const newState = (state: string) => `${prefix}${state}`
export const isOwnState = (state: string) => state.startsWith(prefix)

export function signInRecords(records: ExpiringRecords, cookies: Cookies): SignInRecords {
  const keyOf = (state: string) => recordKey('oauth sign-in', digest(state))
  const cookieOf = (state: string) => `authorize-${digest(state).slice(0, 8)}`
  return {
    async begin(state, signIn) {
      const browser = randomToken()
      await records.set(keyOf(state), JSON.stringify({ ...signIn, browser: digest(browser) }), lifetimes.interaction * 1_000)
      return cookies.set(cookieOf(state), browser, lifetimes.interaction)
    },
    async take(request, state) {
      const stored = readSignIn(await records.get(keyOf(state)))
      if (!stored) return 'unknown'
      const { browser, ...signIn } = stored
      if (!isSameToken(digest(cookies.read(request, cookieOf(state)) ?? ''), browser)) return 'other browser'
      return (await records.take(keyOf(state))) === undefined ? 'unknown' : signIn
    },
    clear: (state) => cookies.clear(cookieOf(state)),
  }
}

function readSignIn(text: string | undefined): (SignIn & { readonly browser: string }) | undefined {
  const value = text === undefined ? undefined : parseJson(text)
  const [interaction, verifier] = [stringMember(value, 'interaction'), stringMember(value, 'verifier')]
  const [nonce, browser] = [stringMember(value, 'nonce'), stringMember(value, 'browser')]
  if (interaction === undefined || verifier === undefined || nonce === undefined || browser === undefined) return undefined
  return { interaction, verifier, nonce, browser }
}
