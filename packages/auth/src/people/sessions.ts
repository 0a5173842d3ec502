import type { ExpiringRecords, RecordKey } from '@mcp-toolkits/core/shared-state'
import { parseJson, stringMember } from '@mcp-toolkits/core/json'
import type { Person } from '@mcp-toolkits/core/people'
import { digest, newToken, ownerIn } from './connect-records.ts'
import type { Cookies } from './cookies.ts'

/** Someone whose browser is signed in to see their accounts. */
export interface Session {
  readonly owner: string
  readonly person: Person
  readonly name: string | undefined
  /** Stands in the forms of their pages: another page does not know it. */
  readonly formToken: string
}

/** Who is signed in, for half an hour. It is stored under the person, so that it ends when they are forgotten. */
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
      // A session of an earlier release: the person signs in again.
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
