import type { Fetch } from '@mcp-toolkits/core'
import type { Identity, LiveLogin } from '@mcp-toolkits/core/accounts'
import { getAbout } from './drive/about.ts'
import { driveClient } from './drive/client.ts'

/** Whom the credentials are for. `fetch` has them. */
export async function whoIsAt(api: { readonly fetch: Fetch; readonly url: string }, signal: AbortSignal): Promise<Identity> {
  const { displayName = '', emailAddress } = (await getAbout(driveClient(api), signal)).user
  return { account: emailAddress === undefined ? displayName : `${displayName} <${emailAddress}>`.trim() }
}

/** Whose drive is worked on, and how much of it can be seen. */
export interface Person {
  /** Tells one person from another; nothing that could be shown. */
  readonly account: string
  readonly scopes: readonly string[]
}

/** Whom a login is for. Where Google did not say, each login counts as somebody else. */
export function personOf({ identity, tokens, scopes = [] }: LiveLogin): Person {
  return { account: identity['account'] ?? (tokens.refreshToken ?? tokens.accessToken).reveal(), scopes }
}

/** Makes a value for the person who is signed in at the moment, and a new one when that is another, or one who sees more or less. */
export function perPerson<Value>(who: () => Person, make: (person: Person) => Value): () => Value {
  let made: { readonly key: string; readonly value: Value } | undefined
  return () => {
    const person = who()
    const key = JSON.stringify([person.account, person.scopes])
    if (made?.key !== key) made = { key, value: make(person) }
    return made.value
  }
}
