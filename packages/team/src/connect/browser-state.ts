import { type ExpiringRecords, parseJson, type Person, type RecordKey, stringMember } from '@mcp-toolkits/core/base'
import { decodeLinkKey, digest, encodeLinkKey, isSameToken, type LinkKey, newToken, ownerIn, randomToken } from './connect-records.ts'

/** One server's cookies. Browsers send a host's cookies to all its ports, so cookie names contain the server's. */
export interface Cookies {
  /** Returns a header that sets a cookie, which expires after `seconds` or when the browser closes. */
  readonly set: (name: string, value: string, seconds: number) => string
  /** Returns a header that deletes a cookie. */
  readonly clear: (name: string) => string
  /** Undefined if the request has no such cookie, or several: another host may have set one of them. */
  readonly read: (request: Request, name: string) => string | undefined
}

/**
 * Over https, the names make browsers refuse cookies from another host or an unencrypted page:
 * https://www.rfc-editor.org/rfc/rfc6265bis#name-the-__host-prefix
 */
export function cookies(server: string, { protocol }: Pick<URL, 'protocol'>): Cookies {
  const isSecure = protocol === 'https:'
  const nameOf = (name: string) => `${isSecure ? '__Host-' : ''}${server}-${name}`
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  return {
    set: (name, value, seconds) => `${nameOf(name)}=${value}; Max-Age=${seconds}; ${attributes}`,
    clear: (name) => `${nameOf(name)}=; Max-Age=0; ${attributes}`,
    read(request, name) {
      const prefix = `${nameOf(name)}=`
      const [found, ...more] = (request.headers.get('cookie') ?? '').split(';').flatMap((part) => {
        const text = part.trim()
        return text.startsWith(prefix) ? [text.slice(prefix.length)] : []
      })
      return more.length === 0 ? found : undefined
    },
  }
}

/** The step that a browser returns from. */
export type AttemptStep =
  /** From the identity provider. */
  | 'sign in'
  /** From the vendor. */
  | 'consent'
  /** From this server's form for an API key. */
  | 'key'

/** One browser's visit to another page, until it returns. */
export interface Attempt {
  readonly step: AttemptStep
  /** Absent for people who sign in to see their accounts. */
  readonly link: LinkKey | undefined
  readonly verifier: string
  readonly nonce: string
}

/** The reason a browser's return is invalid. */
export type AttemptProblem =
  /** The attempt was already answered, has expired or never existed. */
  | 'unknown'
  /** The attempt was begun in a different browser. */
  | 'other browser'

/**
 * Current attempts. Each is bound to one browser by its own cookie, and counts once: of two returns with the same state, only one is
 * accepted.
 */
export interface ConnectAttempts {
  /** Stores an attempt for `ms` milliseconds, and resolves with the header that binds the browser to the attempt. */
  readonly begin: (state: string, attempt: Attempt, ms: number) => Promise<string>
  /** Reads an attempt without using it up. */
  readonly find: (request: Request, state: string, step: AttemptStep) => Promise<Attempt | AttemptProblem>
  /** Uses up an attempt. An invalid return changes nothing. */
  readonly take: (request: Request, state: string, step: AttemptStep) => Promise<Attempt | AttemptProblem>
  /** The header that removes an ended attempt's cookie. */
  readonly clear: (state: string) => string
}

/** Owner of all attempts, which begin before a sign-in and contain nothing about a person. */
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
  // Without its link, the attempt would look like a sign-in to the accounts page.
  return link !== undefined && key === undefined ? undefined : { attempt: { step, verifier, nonce, link: key }, browser }
}

/** A person whose browser is signed in to the accounts page. */
export interface Session {
  readonly owner: string
  readonly person: Person
  readonly name: string | undefined
  /** A token in their pages' forms, unknown to other pages. */
  readonly formToken: string
}

/** Sign-ins, each for half an hour. They are stored under the person, so they end when the person is forgotten. */
export interface Sessions {
  /** Resolves with the header that signs the browser in. */
  readonly begin: (owner: string, person: Person & { readonly name: string | undefined }) => Promise<string>
  readonly find: (request: Request) => Promise<Session | undefined>
  /** Resolves with the header that signs the browser out. */
  readonly end: (request: Request) => Promise<string>
}

const sessionMs = 30 * 60_000
const cookie = 'session'

export function sessions(records: ExpiringRecords, cookies: Cookies): Sessions {
  const recordKey = (token: string): RecordKey | undefined => {
    const owner = ownerIn(token)
    return owner === undefined ? undefined : { owner, kind: 'connect session', name: digest(token) }
  }
  return {
    async begin(owner, { issuer, subject, name }) {
      const token = newToken(owner)
      await records.set({ owner, kind: 'connect session', name: digest(token) }, JSON.stringify({ issuer, subject, name }), sessionMs)
      return cookies.set(cookie, token, sessionMs / 1000)
    },
    async find(request) {
      const token = cookies.read(request, cookie)
      const key = token === undefined ? undefined : recordKey(token)
      const text = key && (await records.get(key))
      if (token === undefined || !key || text === undefined) return undefined
      const stored = parseJson(text)
      const [issuer, subject] = [stringMember(stored, 'issuer'), stringMember(stored, 'subject')]
      // A session from an earlier release: the person must sign in again.
      if (issuer === undefined || subject === undefined) return undefined
      return { owner: key.owner, person: { issuer, subject }, name: stringMember(stored, 'name'), formToken: digest(`form ${token}`) }
    },
    async end(request) {
      const key = recordKey(cookies.read(request, cookie) ?? '')
      if (key) await records.delete(key)
      return cookies.clear(cookie)
    },
  }
}
