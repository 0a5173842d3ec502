import type { ExpiringRecords, RecordKey } from '@mcp-toolkits/core/shared-state'
import { parseJson, stringMember } from '@mcp-toolkits/core/json'
import { decodeLinkKey, digest, encodeLinkKey, isSameToken, type LinkKey, randomToken } from './connect-records.ts'
import type { Cookies } from './cookies.ts'

/** Where a browser is to come back to. */
export type AttemptStep =
  /** From the identity provider. */
  | 'sign in'
  /** From the vendor. */
  | 'consent'
  /** With an API key in a form. */
  | 'key'

/** One visit of one browser to a page outside, from which it is to come back. */
export interface Attempt {
  readonly step: AttemptStep
  /** Absent for who signs in to see their accounts. */
  readonly link: LinkKey | undefined
  readonly verifier: string
  readonly nonce: string
}

/** Why the return of a browser does not count. */
export type AttemptProblem =
  /** It was answered already, has expired or never existed. */
  | 'unknown'
  /** It was begun in another browser. */
  | 'other browser'

/**
 * The attempts that are under way. Each is bound to one browser by a cookie that no other attempt has, and counts once: of two returns
 * with one state, one is taken.
 */
export interface ConnectAttempts {
  /** Stores an attempt for `ms` milliseconds, and resolves with the header that binds the browser to it. */
  readonly begin: (state: string, attempt: Attempt, ms: number) => Promise<string>
  /** Looks at an attempt without using it up. */
  readonly find: (request: Request, state: string, step: AttemptStep) => Promise<Attempt | AttemptProblem>
  /** Uses an attempt up. A return that does not count changes nothing. */
  readonly take: (request: Request, state: string, step: AttemptStep) => Promise<Attempt | AttemptProblem>
  /** The header that removes the cookie of an attempt that has ended. */
  readonly clear: (state: string) => string
}

/** Under whom attempts are stored: who signs in is not known when they begin. They hold nothing about a person. */
const owner = 'connecting'

export function attempts(records: ExpiringRecords, cookies: Cookies): ConnectAttempts {
  const recordKey = (state: string): RecordKey => ({ owner, kind: 'connect attempt', name: digest(state) })
  const cookieOf = (state: string) => `connect-${digest(state).slice(0, 8)}`
  const find: ConnectAttempts['find'] = async (request, state, step) => {
    const stored = readAttempt(await records.get(recordKey(state)))
    if (stored?.attempt.step !== step) return 'unknown'
    return isSameToken(digest(cookies.read(request, cookieOf(state)) ?? ''), stored.browser) ? stored.attempt : 'other browser'
  }
  return {
    find,
    async begin(state, { link, ...attempt }, ms) {
      const browser = randomToken()
      const stored = { ...attempt, browser: digest(browser), ...(link && { link: encodeLinkKey(link) }) }
      await records.set(recordKey(state), JSON.stringify(stored), ms)
      return cookies.set(cookieOf(state), browser, Math.ceil(ms / 1000))
    },
    async take(request, state, step) {
      const found = await find(request, state, step)
      if (typeof found === 'string') return found
      return (await records.take(recordKey(state))) === undefined ? 'unknown' : found
    },
    clear: (state) => cookies.clear(cookieOf(state)),
  }
}

const steps: readonly AttemptStep[] = ['sign in', 'consent', 'key']

function readAttempt(text: string | undefined): { readonly attempt: Attempt; readonly browser: string } | undefined {
  const value = text === undefined ? undefined : parseJson(text)
  const [verifier, nonce, browser] = [stringMember(value, 'verifier'), stringMember(value, 'nonce'), stringMember(value, 'browser')]
  const step = steps.find((each) => each === stringMember(value, 'step'))
  if (step === undefined || verifier === undefined || nonce === undefined || browser === undefined) return undefined
  const link = stringMember(value, 'link')
  const key = link === undefined ? undefined : decodeLinkKey(link)
  // Without its link it would be a sign-in to see one's accounts.
  return link !== undefined && key === undefined ? undefined : { attempt: { step, verifier, nonce, link: key }, browser }
}
